"""Slugs: the lowercase, hyphen-separated form of a name or a title."""

from __future__ import annotations

import re
import secrets
import unicodedata
import zlib
from functools import lru_cache

MAX_SLUG_LENGTH = 255
# The maximum length of a derived slug. It is below MAX_SLUG_LENGTH to leave space for the number that makes a
# taken slug unique (`-2`, `-3`, …).
MAX_DERIVED_LENGTH = 240

# `C#` and `C++` are not `C`.
_SHARP = re.compile(r"(?<=\w)#(?!\w)")
_PLUS = re.compile(r"(?<=[\w+])\+(?!\w)")
_SLUG = re.compile(r"[^\W_]+(-[^\W_]+)*")


def make_slug(text: str, *, max_length: int = MAX_DERIVED_LENGTH, default: str = "") -> str:
    """Return the slug of a name or a title, of at most `max_length` characters.

    Latin letters become ASCII; other scripts are kept. For a text without letters and digits (for example
    only emoji), the slug is `default`, or eight random hexadecimal digits.
    """
    slug = _slugify(text, max_length)
    # Converting a letter can produce another letter to convert. Repeat until the slug stays the same.
    while (again := _slugify(slug, max_length)) != slug:
        slug = again
    return slug or default or secrets.token_hex(4)


def make_term_slug(name: str) -> str:
    """Return the slug of the name of a category or tag: `C#` gives "c-sharp", `C++` gives "c-plus-plus".

    Equal names have equal slugs, also without letters and digits, so that each import finds their terms.
    """
    default = f"{zlib.crc32(name.encode(errors='replace')):08x}"
    return make_slug(_PLUS.sub(" plus", _SHARP.sub(" sharp", name)), default=default)


def is_slug(text: str) -> bool:
    """Return whether the text has the form of a slug; no item has another text as its slug."""
    return len(text) <= MAX_SLUG_LENGTH and _SLUG.fullmatch(text) is not None


def hyphenate(text: str, max_length: int = 0) -> str:
    """Return the words in lowercase, joined by hyphens, cut between words at `max_length` (0: no limit)."""
    # Imported on first use, because its table of letters takes 4 MB and a read-only process never needs it.
    from slugify import slugify

    slug: str = slugify(text, allow_unicode=True, max_length=max_length, word_boundary=True)
    return slug


# A write derives the slug before it takes the write lock, and once more under it.
@lru_cache(maxsize=64)
def _slugify(text: str, max_length: int) -> str:
    return hyphenate("".join(map(_latin_to_ascii, unicodedata.normalize("NFC", text))), max_length)


def _latin_to_ascii(letter: str) -> str:
    from text_unidecode import unidecode

    return unidecode(letter) if unicodedata.name(letter, "").startswith("LATIN") else letter
