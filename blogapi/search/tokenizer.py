"""What is searched for, in which order hits come, and how text is cut into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Marks of a hit inside a snippet, until the text around them is safe.
HIT_START, HIT_END = "\x02", "\x03"

# Stands between signs in the index where the text has no blank: separates words, and is not shown.
WORD_SEPARATOR = "\x1f"

# A shorter beginning would fit a good part of all words.
MIN_PREFIX_LENGTH = 2


# No word of a language is longer.
MAX_WORD_LENGTH = 250

# Han, Hiragana, Katakana: written without blanks, so each sign is taken for a word.
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# What the words of `cut` are made of: letters and digits of any script, with their diacritics.
_WORD = re.compile(r"(?:[^\W_]|[\ue000-\uf8ff])(?:[^\W_]|[\ue000-\uf8ff\u0300-\u036f])*")
# A Greek word ends in a form of its own.
_SIGMAS = ("\u03c2", "\u03c3")
_DIACRITICS = re.compile(r"(?<=[\x00-\u024f])[\u0300-\u036f]+")
# A text may bring them as `&#2;`: they would pass for ours.
_NOT_OURS = str.maketrans(dict.fromkeys((HIT_START, HIT_END, WORD_SEPARATOR), " "))


def split_query(query: str) -> list[str]:
    """Return what is searched for: the parts between blanks that hold a letter or a digit."""
    return [word for word in query.split() if any(sign.isalnum() for sign in word)]


def separate_ideographs(text: str) -> str:
    """Return the text as the index knows it: each sign of a script without blanks is a word."""
    return _IDEOGRAPH.sub(rf"{WORD_SEPARATOR}\g<0>{WORD_SEPARATOR}", text.translate(_NOT_OURS))


def tokenize(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text that is `apart` and where it begins and ends, as SQLite's FTS5 takes them.

    In lower case and, in Latin script, without diacritics.
    """
    for found in _WORD.finditer(text):
        yield fold_word(found[0]), found.start(), found.end()


def fold_word(word: str) -> str:
    """Return the word as it is compared."""
    lower = word.lower()[:MAX_WORD_LENGTH]
    if lower.isascii():
        return lower
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", lower.replace(*_SIGMAS)))
    return unicodedata.normalize("NFC", bare)
