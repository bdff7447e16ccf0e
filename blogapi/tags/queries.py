"""Reads of tags."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select

from blogapi.core.database import bytewise, db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.tags.models import Tag


def listed(window: Window | None) -> Page[Tag]:
    """Return the tags by name."""
    return paged(select(Tag).order_by(func.lower(bytewise(Tag.name)), Tag.uuid), window)


def by_uuid(uuid: UUID) -> Tag:
    """Return the tag; raises NotFound."""
    tag = db.session.get(Tag, uuid)
    if tag is None:
        raise NotFound("There is no such tag; GET /api/v1/blog/tags/ lists them.")
    return tag


def by_slug(slug: str) -> Tag | None:
    """Return the tag, or None."""
    return db.session.scalar(select(Tag).where(Tag.slug == slug))


def slugs_like(slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    taken = (Tag.slug == slug) | Tag.slug.startswith(f"{slug}-", autoescape=True)
    return set(db.session.scalars(select(Tag.slug).where(taken)))
