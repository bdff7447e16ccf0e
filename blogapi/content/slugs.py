"""Slugs: the lowercase, hyphen-separated form of a name or a title."""

from __future__ import annotations

import secrets
import unicodedata

MAX_SLUG_LENGTH = 255
# Room is left for the number that tells two equal slugs apart.
MAX_DERIVED_LENGTH = 240


def make_slug(words: str, *, longest: int = MAX_DERIVED_LENGTH) -> str:
    """Return the slug of a name or a title: Latin letters as ASCII, other scripts kept.

    Where nothing is left (a title of emoji, say), a short random one.
    """
    slug = _once(words, longest)
    # What one fold uncovers, another may fold: a slug must be the slug of itself.
    while (again := _once(slug, longest)) != slug:
        slug = again
    return slug or secrets.token_hex(4)


def hyphenate(words: str, longest: int = 0) -> str:
    """Return the words in lowercase with hyphens between, at most `longest` signs; 0: any number."""
    # Here, since it brings a table of all letters: 4 MB, which a service that is only read does without.
    from slugify import slugify

    slug: str = slugify(words, allow_unicode=True, max_length=longest, word_boundary=True)
    return slug


def _once(words: str, longest: int) -> str:
    return hyphenate("".join(map(_folded, unicodedata.normalize("NFC", words))), longest)


def _folded(letter: str) -> str:
    from text_unidecode import unidecode

    return unidecode(letter) if unicodedata.name(letter, "").startswith("LATIN") else letter
