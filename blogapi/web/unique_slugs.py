"""Slugs of new items: the given slug, or a free slug derived from the name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from uuid import UUID

from blogapi.rendering.slugs import MAX_SLUG_LENGTH, make_slug
from blogapi.web.errors import Conflict, Invalid

# The number of slugs that the first statement looks up, and the maximum number for the following statements.
FIRST_LOOKUP_SIZE, _MAX_LOOKUP_SIZE = 4, 500
# The number of characters that a provisional slug reserves for a number such as -2.
_NUMBER_LENGTH = 6

# A function that returns the given slugs that are in use.
FindTakenSlugs = Callable[[Sequence[str]], Collection[str]]
# A function that returns whether the address of an item with this slug would belong to another page.
IsReservedSlug = Callable[[str], bool]


def make_numbered_slugs(slug: str, first: int = 1, size: int = FIRST_LOOKUP_SIZE) -> list[str]:
    """Return `size` slugs with consecutive numbers from `first`; number 1 is `slug` itself."""
    return [slug if number == 1 else f"{slug}-{number}" for number in range(first, first + size)]


def find_free_slug(slug: str, find_taken: FindTakenSlugs, is_reserved: IsReservedSlug) -> str:
    """Return `slug`, or `slug` with the first free number (-2, -3, …) if it is taken or reserved."""
    # Each candidate is looked up in the unique index. A search for all slugs with the same prefix could not
    # use this index on PostgreSQL, because its order depends on the locale.
    first, size = 1, FIRST_LOOKUP_SIZE
    while True:
        candidates = make_numbered_slugs(slug, first, size)
        taken = find_taken(candidates)
        for candidate in candidates:
            if candidate not in taken and not is_reserved(candidate):
                return candidate
        first, size = first + size, min(4 * size, _MAX_LOOKUP_SIZE)


def choose_slug(
    slug: str | None,
    name: str,
    find_taken: FindTakenSlugs,
    is_reserved: IsReservedSlug,
    derive_slug: Callable[[str], str] = make_slug,
) -> str:
    """Return the requested slug, or a free slug derived from the name if `slug` is None.

    Raises Conflict if the given slug is in use, and Invalid if it is reserved.
    """
    if slug is None:
        return find_free_slug(derive_slug(name), find_taken, is_reserved)
    if is_reserved(slug):
        sentence = "The site has another page at this address; choose another slug."
        raise Invalid(f"The slug {slug!r} is reserved.", code="slug_reserved", errors={"slug": [sentence]})
    if find_taken([slug]):
        errors = {"slug": ["Is taken; choose another."]}
        raise Conflict(f"The slug {slug!r} is taken; choose another.", code="slug_taken", errors=errors)
    return slug


def choose_provisional_slug(slug: str, uuid: UUID, find_taken: FindTakenSlugs) -> str:
    """Return the slug with a suffix from the article's uuid; a provisional slug is returned unchanged.

    If that slug is taken, a number precedes the suffix: uuids that are made within a minute (UUIDv7) have the
    same suffix.
    """
    suffix = _make_suffix(uuid)
    base = (get_base_slug(slug, uuid) or slug)[: MAX_SLUG_LENGTH - len(suffix) - _NUMBER_LENGTH].rstrip("-")

    def find_taken_bases(bases: Sequence[str]) -> Collection[str]:
        return {taken.removesuffix(suffix) for taken in find_taken([base + suffix for base in bases])}

    return find_free_slug(base, find_taken_bases, lambda _: False) + suffix


def get_base_slug(slug: str, uuid: UUID) -> str | None:
    """Return the slug without its provisional suffix, or None if the slug is not provisional."""
    base = slug.removesuffix(_make_suffix(uuid))
    return base if base != slug else None


def _make_suffix(uuid: UUID) -> str:
    return f"-{uuid.hex[:8]}"
