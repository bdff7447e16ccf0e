"""Provisional slugs of the unpublished articles of authors, which do not reveal which other slugs are taken.

Slugs are unique, also among drafts. If an author's draft got the next free slug, or if a given slug were
refused, the author would learn of the drafts of others. Therefore the slug of such a draft ends with a part
of the article's uuid. The publication removes this end, and adds a number if the slug is taken.
"""

from __future__ import annotations

from uuid import UUID

from blogapi.rendering.slugs import MAX_SLUG_LENGTH


def make_provisional(slug: str, uuid: UUID) -> str:
    """Return the provisional slug of the article; a slug that is provisional is returned unchanged."""
    base, end = get_base(slug, uuid) or slug, _get_end(uuid)
    return base[: MAX_SLUG_LENGTH - len(end)].rstrip("-") + end


def get_base(slug: str, uuid: UUID) -> str | None:
    """Return the slug without its provisional end, or None if the slug is not provisional."""
    base = slug.removesuffix(_get_end(uuid))
    return base if base != slug else None


def _get_end(uuid: UUID) -> str:
    return f"-{uuid.hex[:8]}"
