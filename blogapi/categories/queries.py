"""Reads of categories."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select

from blogapi.categories.models import Category
from blogapi.categories.schemas import CategorySchema
from blogapi.storage.database import bytewise, db
from blogapi.web import json_fragments
from blogapi.web.errors import NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate

_NONE = "There is no such category; GET /api/v1/blog/categories/ lists them."


def list_json(names: Sequence[str] | None = None, window: PageRequest | None = None) -> Page[JsonBody]:
    """Return the categories by name, in the fields of these names (None: the documented)."""
    page = paginate(
        select(Category.pieces).order_by(func.lower(bytewise(Category.name)), Category.uuid), window
    )
    shown = CategorySchema._declared_fields if names is None else names
    rows = json_fragments.to_array(json_fragments.select_fields(Category, row, shown) for row in page.rows)
    return Page(JsonBody(rows), page.total, window)


def get_fragments(uuid: UUID) -> str:
    """Return the lines of the category; raises NotFound."""
    found = db.session.scalar(select(Category.pieces).where(Category.uuid == uuid))
    if found is None:
        raise NotFound(_NONE)
    return found


def get_by_uuid(uuid: UUID) -> Category:
    """Return the category; raises NotFound."""
    category = db.session.get(Category, uuid)
    if category is None:
        raise NotFound(_NONE)
    return category


def find_by_slug(slug: str) -> Category | None:
    """Return the category, or None."""
    return db.session.scalar(select(Category).where(Category.slug == slug))


def find_similar_slugs(slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    taken = (Category.slug == slug) | Category.slug.startswith(f"{slug}-", autoescape=True)
    return set(db.session.scalars(select(Category.slug).where(taken)))
