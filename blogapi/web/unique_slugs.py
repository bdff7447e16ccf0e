"""Slugs of new items: the given slug, or a free slug derived from the name."""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlalchemy import ColumnElement, and_, bindparam, or_
from sqlalchemy.orm import InstrumentedAttribute

from blogapi.rendering.slugs import make_slug
from blogapi.storage.database import bytewise
from blogapi.web.errors import Conflict


def is_similar(column: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """Return the SQL condition that the column equals a slug or starts with this slug and a hyphen.

    `similar_slug_range` returns the values of the parameters of the condition.
    """
    # The condition is a range, because LIKE would read the whole table (5 ms for 10,000 articles).
    after, before = bytewise(column) > bindparam("after"), bytewise(column) < bindparam("before")
    return or_(column == bindparam("slug"), and_(after, before))


def similar_slug_range(slug: str) -> dict[str, str]:
    """Return the values of the parameters of `is_similar` for a slug."""
    # `.` follows `-` in ASCII.
    return {"slug": slug, "after": f"{slug}-", "before": f"{slug}."}


def first_free_slug(slug: str, taken: Collection[str]) -> str:
    """Return `slug`, or `slug` with the first free number (-2, -3, …) if it is taken."""
    if slug not in taken:
        return slug
    numbered = (f"{slug}-{number}" for number in range(2, len(taken) + 3))
    return next(candidate for candidate in numbered if candidate not in taken)


def choose_slug(slug: str | None, name: str, find_similar: Callable[[str], Collection[str]]) -> str:
    """Return the requested slug, or a free slug derived from the name if `slug` is None.

    `find_similar` returns the slugs in use that begin with its argument. Raises Conflict if the given slug is
    in use.
    """
    if slug is None:
        derived = make_slug(name)
        return first_free_slug(derived, find_similar(derived))
    if slug in find_similar(slug):
        raise Conflict(
            f"The slug {slug!r} is taken; choose another.", code="slug_taken", errors={"slug": ["Is taken."]}
        )
    return slug
