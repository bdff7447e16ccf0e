"""Slugs: the lowercase, hyphen-separated form of a name or a title."""

from __future__ import annotations

import html
import re
import secrets
import unicodedata
import zlib
from functools import lru_cache

from anyascii import anyascii

from blogapi.rendering.characters import COMBINING_MARKS, JOINERS

MAX_SLUG_LENGTH = 255
# The maximum length of a derived slug, which leaves space for a number such as `-2`.
MAX_DERIVED_SLUG_LENGTH = 240

# `C#` and `C++` must not get the slug of `C`.
_SHARP_SIGN = re.compile(rf"(?<=[\w{COMBINING_MARKS}])#(?!\w)")
_PLUS_SIGN = re.compile(rf"(?<=[\w{COMBINING_MARKS}+])\+(?!\w)")
# The scripts whose words can contain joiners: from Arabic to Myanmar, and from Khmer to Mongolian. Older
# texts in Malayalam write the last consonant of a word with a joiner.
_SCRIPTS_WITH_JOINERS = r"\u0600-\u109f\u1780-\u18af"
_JOINER = rf"(?<=[{_SCRIPTS_WITH_JOINERS}])[{JOINERS}](?=[{_SCRIPTS_WITH_JOINERS}])|(?<=\u0d4d)\u200d"
# A variation selector only chooses how a character looks.
_WORD_PATTERN = rf"[^\W_](?:[^\W_]|(?![\ufe00-\ufe0f])[{COMBINING_MARKS}]|{_JOINER})*"
_WORD = re.compile(_WORD_PATTERN)
_SLUG = re.compile(rf"{_WORD_PATTERN}(?:-{_WORD_PATTERN})*")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ENTITY = re.compile(r"&#?\w{1,32};")
# `Don't panic` becomes `dont-panic`. Elsewhere, such as in `l'été`, an apostrophe separates words.
_CONTRACTION = re.compile(r"(?<=[a-z])['\u2019\u02bc](?=(?:t|s|d|m|re|ve|ll)(?![^\W_]))")
_APOSTROPHE = re.compile("['\u2019\u02bc]")
# Matches the characters that a slug omits: apostrophes from entities, commas between digits, and marks that
# remain on Latin letters.
_DROPPED_CHARACTERS = re.compile(rf"'|(?<=\d),(?=\d)|(?<=[a-z0-9])(?![\ufe00-\ufe0f])[{COMBINING_MARKS}]+")
# NFKC would split the vowel AM of Thai and Lao, which is written as one character.
_NOT_THAI_OR_LAO = re.compile(r"[^\u0e00-\u0eff]+")


def make_slug(
    text: str, *, max_length: int = MAX_DERIVED_SLUG_LENGTH, default: str = "", former: bool = False
) -> str:
    """Return the slug of a name or a title, of at most `max_length` characters.

    Latin letters become ASCII; other scripts are kept, with their vowel signs and other marks. For a text
    without letters and digits (for example only emoji), the slug is `default`, or eight random hexadecimal
    digits. With `former`, the slug follows the rule of version 1.0, so that terms of that version are found.
    """
    slug = _derive_slug_once(text, max_length, former)
    # Converting a letter can produce another letter to convert. Repeat the conversion until it no longer
    # changes the slug.
    while (next_slug := _derive_slug_once(slug, max_length, former)) != slug:
        slug = next_slug
    return slug or default or secrets.token_hex(4)


# Cached, because in an import most names occur in many articles.
@lru_cache(maxsize=10_000)
def make_term_slug(name: str, *, former: bool = False) -> str:
    """Return the slug of the name of a category or tag: `C#` gives "c-sharp", `C++` gives "c-plus-plus".

    Equal names have equal slugs, even without letters and digits, so that each import finds the same term.
    `former` has the same meaning as in `make_slug`.
    """
    default = f"{zlib.crc32(name.encode(errors='replace')):08x}"
    return make_slug(_PLUS_SIGN.sub(" plus", _SHARP_SIGN.sub(" sharp", name)), default=default, former=former)


def make_term_key(name: str) -> str:
    """Return the key by which an import compares terms; *Kids Corner* and *Kid's Corner* differ."""
    return make_term_slug(name, former=True)


def is_slug(text: str) -> bool:
    """Return whether the text has the form of a slug; the slugs of all items have this form."""
    return len(text) <= MAX_SLUG_LENGTH and _SLUG.fullmatch(text) is not None


def hyphenate_words(text: str, max_length: int = 0) -> str:
    """Return the words in lowercase, joined by hyphens: as many as fit into `max_length` (0: all)."""
    return _join_words(_fold_text(_unescape_entities(text.replace("'", "-"))), max_length)


def _unescape_entities(text: str) -> str:
    return unicodedata.normalize("NFC", _ENTITY.sub(lambda entity: html.unescape(entity[0]), text))


def _fold_text(text: str) -> str:
    return _NOT_THAI_OR_LAO.sub(lambda part: unicodedata.normalize("NFKC", part[0]), text).lower()


def _join_words(text: str, max_length: int) -> str:
    slug = "-".join(_WORD.findall(_DROPPED_CHARACTERS.sub("", text)))
    if not max_length or len(slug) <= max_length:
        return slug
    return slug[: max_length + 1].rpartition("-")[0] or slug[:max_length]


# Cached, because a write makes the slug twice: before it takes the write lock, and while it holds the lock.
@lru_cache(maxsize=64)
def _derive_slug_once(text: str, max_length: int, former: bool) -> str:
    if former:
        return hyphenate_words(
            _NOT_ASCII.sub(_convert_latin_to_ascii, unicodedata.normalize("NFC", text)), max_length
        )
    text = _fold_text(_NOT_ASCII.sub(_convert_latin_to_ascii, _unescape_entities(text)))
    return _join_words(_APOSTROPHE.sub("-", _CONTRACTION.sub("", text)), max_length)


def _convert_latin_to_ascii(letter: re.Match[str]) -> str:
    return anyascii(letter[0]) if unicodedata.name(letter[0], "").startswith("LATIN") else letter[0]
