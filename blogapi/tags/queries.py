"""Reads of tags."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select

from blogapi.storage.database import bytewise, db
from blogapi.tags.models import Tag
from blogapi.tags.schemas import TagSchema
from blogapi.web import json_fragments
from blogapi.web.errors import NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate

_NONE = "There is no such tag; GET /api/v1/blog/tags/ lists them."


def list_json(names: Sequence[str] | None = None, window: PageRequest | None = None) -> Page[JsonBody]:
    """Return the tags by name, in the fields of these names (None: the documented)."""
    page = paginate(select(Tag.pieces).order_by(func.lower(bytewise(Tag.name)), Tag.uuid), window)
    shown = TagSchema._declared_fields if names is None else names
    rows = json_fragments.to_array(json_fragments.select_fields(Tag, row, shown) for row in page.rows)
    return Page(JsonBody(rows), page.total, window)


def get_fragments(uuid: UUID) -> str:
    """Return the lines of the tag; raises NotFound."""
    found = db.session.scalar(select(Tag.pieces).where(Tag.uuid == uuid))
    if found is None:
        raise NotFound(_NONE)
    return found


def get_by_uuid(uuid: UUID) -> Tag:
    """Return the tag; raises NotFound."""
    tag = db.session.get(Tag, uuid)
    if tag is None:
        raise NotFound(_NONE)
    return tag


def find_by_slug(slug: str) -> Tag | None:
    """Return the tag, or None."""
    return db.session.scalar(select(Tag).where(Tag.slug == slug))


def find_similar_slugs(slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    taken = (Tag.slug == slug) | Tag.slug.startswith(f"{slug}-", autoescape=True)
    return set(db.session.scalars(select(Tag.slug).where(taken)))
