"""Slugs: the lowercase, hyphen-separated form of a name or a title."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection

from slugify import slugify
from text_unidecode import unidecode

# Room is left for the number that tells two equal slugs apart.
LENGTH = 240


def slug_of(words: str) -> str:
    """Return the slug of a name or a title: Latin letters as ASCII, other scripts kept.

    Where nothing is left (a title of emoji, say), a short random one.
    """
    folded = "".join(_folded(letter) for letter in unicodedata.normalize("NFC", words))
    slug = slugify(folded, allow_unicode=True, max_length=LENGTH, word_boundary=True)
    return slug or secrets.token_hex(4)


def free(wished: str, taken: Collection[str]) -> str:
    """Return `wished`, or it with the first number (-2, -3, …) that is not taken."""
    if wished not in taken:
        return wished
    return next(slug for number in range(2, len(taken) + 3) if (slug := f"{wished}-{number}") not in taken)


def _folded(letter: str) -> str:
    return unidecode(letter) if unicodedata.name(letter, "").startswith("LATIN") else letter
