"""Provisional slugs of the unpublished articles of authors, which do not reveal which other slugs are taken.

Slugs are unique, also among drafts. If an author's draft got the next free slug, or if a given slug were
refused, the author would learn of the drafts of others. Therefore the slug of such a draft has a suffix: a
part of the article's uuid. The publication removes this suffix, and adds a number if the slug is taken.
"""

from __future__ import annotations

from uuid import UUID

from blogapi.rendering.slugs import MAX_SLUG_LENGTH


def make_provisional(slug: str, uuid: UUID) -> str:
    """Return the provisional slug of the article; a slug that is provisional is returned unchanged."""
    base, suffix = get_base(slug, uuid) or slug, _make_suffix(uuid)
    return base[: MAX_SLUG_LENGTH - len(suffix)].rstrip("-") + suffix


def get_base(slug: str, uuid: UUID) -> str | None:
    """Return the slug without its provisional suffix, or None if the slug is not provisional."""
    base = slug.removesuffix(_make_suffix(uuid))
    return base if base != slug else None


def _make_suffix(uuid: UUID) -> str:
    return f"-{uuid.hex[:8]}"
