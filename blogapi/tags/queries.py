"""Reads of tags."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select

from blogapi.core import pieces
from blogapi.core.database import bytewise, db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.core.pieces import Rendered
from blogapi.tags.models import Tag
from blogapi.tags.schemas import TagSchema

_NONE = "There is no such tag; GET /api/v1/blog/tags/ lists them."


def listed(names: Sequence[str] | None = None, window: Window | None = None) -> Page[Rendered]:
    """Return the tags by name, in the fields of these names (None: the documented)."""
    page = paged(select(Tag.pieces).order_by(func.lower(bytewise(Tag.name)), Tag.uuid), window)
    shown = TagSchema._declared_fields if names is None else names
    rows = pieces.array(pieces.part(Tag, row, shown) for row in page.rows)
    return Page(Rendered(rows), page.total, window)


def carried(uuid: UUID) -> str:
    """Return the lines of the tag; raises NotFound."""
    found = db.session.scalar(select(Tag.pieces).where(Tag.uuid == uuid))
    if found is None:
        raise NotFound(_NONE)
    return found


def by_uuid(uuid: UUID) -> Tag:
    """Return the tag; raises NotFound."""
    tag = db.session.get(Tag, uuid)
    if tag is None:
        raise NotFound(_NONE)
    return tag


def by_slug(slug: str) -> Tag | None:
    """Return the tag, or None."""
    return db.session.scalar(select(Tag).where(Tag.slug == slug))


def slugs_like(slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    taken = (Tag.slug == slug) | Tag.slug.startswith(f"{slug}-", autoescape=True)
    return set(db.session.scalars(select(Tag.slug).where(taken)))
