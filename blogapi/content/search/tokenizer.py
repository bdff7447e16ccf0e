"""Splits queries and texts into words.

Both engines index exactly these words, so that a search has the same results on SQLite and PostgreSQL.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from blogapi.rendering.characters import COMBINING_MARKS, JOINERS

# These characters enclose each hit in a snippet until the text is escaped for HTML.
HIT_START, HIT_END = "\x02", "\x03"

# A shorter prefix would match a large share of all words.
MIN_PREFIX_LENGTH = 2

# Longer words are cut off; no word of a natural language is that long.
MAX_WORD_LENGTH = 250
# The endings of a word such as `a.b.c.…` would need an index of many times the length of the word.
MAX_DOTS_IN_WORD = 8

MAX_SORT_KEY_LENGTH = 200

# Han, Hiragana and Katakana have no spaces between words, so each character is indexed as a word.
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Thai, Lao, Khmer and Burmese have no spaces either, so each syllable is indexed as a word. A syllable begins
# with a consonant, or with a vowel that is written before it. A syllable also contains stacked consonants,
# and the vowels and marks after these.
_SPACELESS_SCRIPTS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
_FIRST_VOWELS, _STACKERS = r"\u0e40-\u0e44\u0ec0-\u0ec4", r"\u1039\u17d2"
_LAST_VOWELS = r"\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\u0ebd"
# Tatweel stretches an Arabic word.
_TATWEEL = r"\u0640"
# Letters and digits of any script with their marks, and private-use characters.
_LETTER, _PRIVATE = rf"[^\W_{_IDEOGRAPHS}{_SPACELESS_SCRIPTS}{_TATWEEL}]", r"\ue000-\uf8ff"
_MARKS = f"{COMBINING_MARKS}{_TATWEEL}{JOINERS}"
# The lookahead avoids the slower search in _MARKS at the end of most words.
_LETTERS = rf"(?:{_LETTER}+|[{_PRIVATE}])(?:(?=[^\x00-\u02ff])[{_PRIVATE}{_MARKS}]+{_LETTER}*)*"
_CONSONANT = rf"(?=[^\W_])[{_SPACELESS_SCRIPTS}]"
_SYLLABLE = rf"[{_FIRST_VOWELS}]?{_CONSONANT}(?:[{_STACKERS}]{_CONSONANT}|[{_MARKS}{_LAST_VOWELS}])*"
_WORD = re.compile(rf"{_LETTERS}|(?=[^\W_])[{_IDEOGRAPHS}]|{_SYLLABLE}")
_UPPERCASE = string.ascii_uppercase.encode()
_SEPARATORS = bytes(code for code in range(128) if not chr(code).isalnum())
# Maps ASCII letters to lowercase, and the ASCII characters that no word contains to a space.
_ASCII_TO_WORDS = bytes.maketrans(_UPPERCASE + _SEPARATORS, _UPPERCASE.lower() + b" " * len(_SEPARATORS))
# Matches words with the dots between and before them, and with the `+` and `#` after them. The dot at the end
# of a sentence is not part of a word.
_SYMBOL_WORD = re.compile(rf"(?:(?<![\w.])\.)?{_LETTERS}(?:\.{_LETTERS})*[+#]*")
# A quick test: a text without a match contains no symbol word with a dot.
_DOT_IN_WORD = re.compile(rf"\.[\w{_PRIVATE}]")
# Hebrew points, Arabic short vowels and variation selectors are optional, as are tatweel and the joiners.
_OPTIONAL_MARKS = re.compile(rf"[\u0591-\u05c7\u064b-\u065f\u0670\ufe00-\ufe0f{_TATWEEL}{JOINERS}]+")
_LATIN_DIACRITICS = re.compile(r"(?<=[\x00-\u024f])[\u0300-\u036f]+")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The words of a search query.

    `phrases` are the indexed words of each query word (`Go语言`: go, 语, 言). With `prefix`, the last indexed
    word also matches as a prefix. `symbol_words` are the query words that contain a dot, `+` or `#`.
    """

    phrases: list[list[str]]
    prefix: bool
    symbol_words: list[str]


def parse_query(query: str) -> SearchQuery | None:
    """Return the words of a query, or None if it contains no letter and no digit."""
    split = ([word for word, _, _ in tokenize_text(part)] for part in query.split())
    phrases = [phrase for phrase in split if phrase]
    if not phrases:
        return None
    return SearchQuery(phrases, len(phrases[-1][-1]) >= MIN_PREFIX_LENGTH, list(find_symbol_words(query)))


def tokenize_text(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text in folded form, with its start and end."""
    for match in _WORD.finditer(text):
        yield from ((word, *match.span()) for word in split_and_fold_word(match[0]))


def find_words(text: str) -> list[str]:
    """Return the words that `tokenize_text` yields for a text, five times as fast."""
    translated = text.encode("utf-8", "surrogatepass").translate(_ASCII_TO_WORDS)
    words: list[str] = []
    for part in translated.decode("utf-8", "surrogatepass").split():
        if part.isascii():
            words.append(part[:MAX_WORD_LENGTH])
        else:
            words += chain.from_iterable(map(split_and_fold_word, _WORD.findall(part)))
    return words


def make_sort_key(text: str) -> str:
    """Return the text in the form that orders a list of titles or names (`Ábel, Öl`: abel ol).

    A text without letters and digits is its own key. Keys have at most 200 characters, and are compared by
    their bytes, so that both databases return the same order.
    """
    return (" ".join(find_words(text)) or text)[:MAX_SORT_KEY_LENGTH]


def find_symbol_words(text: str) -> Iterator[str]:
    """Yield each word that contains a dot, `+` or `#`, in folded form: `c++`, `c#`, `.net`, `node.js`."""
    # Most texts contain no symbol word, so only parts that can contain one are searched.
    parts = filter(_may_contain_symbol_word, text.split()) if _may_contain_symbol_word(text) else ()
    for match in chain.from_iterable(map(_SYMBOL_WORD.finditer, parts)):
        if any(character in match[0] for character in ".+#"):
            yield _fold_word(match[0], "NFC")


def list_symbol_words_and_endings(text: str) -> list[str]:
    """Return each symbol word of the text once, and its endings: `asp.net` also gives `.net`.

    A word with more than MAX_DOTS_IN_WORD dots gives no endings.
    """
    found = (
        term[start:]
        for term in find_symbol_words(text)
        for start in (0, *(index for index in range(1, len(term)) if term[index] == "."))
        if start == 0 or term.count(".") <= MAX_DOTS_IN_WORD
    )
    return list(dict.fromkeys(found))


def _may_contain_symbol_word(text: str) -> bool:
    return "+" in text or "#" in text or _DOT_IN_WORD.search(text) is not None


@lru_cache(maxsize=10_000)
def split_and_fold_word(word: str) -> tuple[str, ...]:
    """Return the word in the form used for comparison, which can be several words: `½` gives `1` and `2`."""
    if word.isascii():
        return (word.lower()[:MAX_WORD_LENGTH],)
    return tuple(part[:MAX_WORD_LENGTH] for part in _WORD.findall(_fold_word(word, "NFKC")))


def _fold_word(word: str, form: Literal["NFC", "NFKC"]) -> str:
    """Return the word with its case folded (`Straße`: strasse), in this normal form.

    Diacritics of Latin letters, and Arabic and Hebrew vowel points, are removed.
    """
    folded = unicodedata.normalize(form, word[:MAX_WORD_LENGTH]).casefold()
    # The word is composed first, so that the marks of letters such as \u0623 and \u0622 are kept.
    composed = unicodedata.normalize(form, folded)
    decomposed = unicodedata.normalize("NFD", _OPTIONAL_MARKS.sub("", composed))
    return unicodedata.normalize("NFC", _LATIN_DIACRITICS.sub("", decomposed))
