"""Slugs of new items: the given one where it is free, or one derived from the name."""

from __future__ import annotations

from collections.abc import Callable, Collection

from blogapi.content.slugs import make_slug
from blogapi.web.errors import Conflict


def first_free(wished: str, taken: Collection[str]) -> str:
    """Return `wished`, or it with the first number (-2, -3, …) that is not taken."""
    if wished not in taken:
        return wished
    return next(slug for number in range(2, len(taken) + 3) if (slug := f"{wished}-{number}") not in taken)


def choose_slug(given: str | None, words: str, taken: Callable[[str], Collection[str]]) -> str:
    """Return the slug of a new name: the given one, or a free one made of the words.

    `taken` tells which slugs like one are in use. Raises Conflict for a given slug that is taken.
    """
    if given is None:
        wished = make_slug(words)
        return first_free(wished, taken(wished))
    if given in taken(given):
        raise Conflict(
            f"The slug {given!r} is taken; choose another.", code="slug_taken", errors={"slug": ["Is taken."]}
        )
    return given
