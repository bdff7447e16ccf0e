"""Slugs: the lowercase, hyphen-separated form of a name or a title."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Collection

from blogapi.core.errors import Conflict

LONGEST = 255
# Room is left for the number that tells two equal slugs apart.
DERIVED = 240


def slug_of(words: str, *, longest: int = DERIVED) -> str:
    """Return the slug of a name or a title: Latin letters as ASCII, other scripts kept.

    Where nothing is left (a title of emoji, say), a short random one.
    """
    slug = _once(words, longest)
    # What one fold uncovers, another may fold: a slug must be the slug of itself.
    while (again := _once(slug, longest)) != slug:
        slug = again
    return slug or secrets.token_hex(4)


def free(wished: str, taken: Collection[str]) -> str:
    """Return `wished`, or it with the first number (-2, -3, …) that is not taken."""
    if wished not in taken:
        return wished
    return next(slug for number in range(2, len(taken) + 3) if (slug := f"{wished}-{number}") not in taken)


def hyphenated(words: str, longest: int = 0) -> str:
    """Return the words in lowercase with hyphens between, at most `longest` signs; 0: any number."""
    # Here, since it brings a table of all letters: 4 MB, which a service that is only read does without.
    from slugify import slugify

    slug: str = slugify(words, allow_unicode=True, max_length=longest, word_boundary=True)
    return slug


def _once(words: str, longest: int) -> str:
    return hyphenated("".join(map(_folded, unicodedata.normalize("NFC", words))), longest)


def _folded(letter: str) -> str:
    from text_unidecode import unidecode

    return unidecode(letter) if unicodedata.name(letter, "").startswith("LATIN") else letter


def chosen(given: str | None, words: str, taken: Callable[[str], Collection[str]]) -> str:
    """Return the slug of a new name: the given one, or a free one made of the words.

    `taken` tells which slugs like one are in use. Raises Conflict for a given slug that is taken.
    """
    if given is None:
        wished = slug_of(words)
        return free(wished, taken(wished))
    if given in taken(given):
        raise Conflict(
            f"The slug {given!r} is taken; choose another.", code="slug_taken", errors={"slug": ["Is taken."]}
        )
    return given
