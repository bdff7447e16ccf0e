"""Split queries and texts into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# These characters enclose each hit in a snippet until the text is escaped for HTML.
HIT_START, HIT_END = "\x02", "\x03"

# Separates words in the index where the text has no space. The character is never shown.
WORD_SEPARATOR = "\x1f"

# A shorter prefix would match a large share of all words.
MIN_PREFIX_LENGTH = 2

# Longer words are cut; no word of a natural language is that long.
MAX_WORD_LENGTH = 250

# Han, Hiragana and Katakana have no spaces between words, so each character is indexed as a word.
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Letters and digits of any script with their diacritics, and private-use characters.
_WORD = re.compile(r"(?:[^\W_]|[\ue000-\uf8ff])(?:[^\W_]|[\ue000-\uf8ff\u0300-\u036f])*")
_FINAL_SIGMA, _SIGMA = "\u03c2", "\u03c3"
_LATIN_DIACRITICS = re.compile(r"(?<=[\x00-\u024f])[\u0300-\u036f]+")
# Texts can contain these characters, because HTML can encode them as references such as `&#2;`.
_RESERVED_TO_SPACE = str.maketrans(dict.fromkeys((HIT_START, HIT_END, WORD_SEPARATOR), " "))


def split_query(query: str) -> list[str]:
    """Return the words of a query: its space-separated parts that contain a letter or a digit."""
    return [word for word in query.split() if any(character.isalnum() for character in word)]


def separate_ideographs(text: str) -> str:
    """Return the text as it is indexed, with each ideograph between word separators."""
    return _IDEOGRAPH.sub(rf"{WORD_SEPARATOR}\g<0>{WORD_SEPARATOR}", text.translate(_RESERVED_TO_SPACE))


def tokenize(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text in folded form, with its start and end. Words are split as FTS5 splits them.

    The ideographs in the text must be separated.
    """
    for match in _WORD.finditer(text):
        yield fold_word(match[0]), match.start(), match.end()


def fold_word(word: str) -> str:
    """Return the word in the form used for comparison: in lowercase, without diacritics on Latin letters."""
    lower = word.lower()[:MAX_WORD_LENGTH]
    if lower.isascii():
        return lower
    decomposed = unicodedata.normalize("NFD", lower.replace(_FINAL_SIGMA, _SIGMA))
    return unicodedata.normalize("NFC", _LATIN_DIACRITICS.sub("", decomposed))
