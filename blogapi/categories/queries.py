"""Reads of categories."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select

from blogapi.categories.models import Category
from blogapi.core.database import bytewise, db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged


def listed(window: Window | None) -> Page[Category]:
    """Return the categories by name."""
    return paged(select(Category).order_by(func.lower(bytewise(Category.name)), Category.uuid), window)


def by_uuid(uuid: UUID) -> Category:
    """Return the category; raises NotFound."""
    category = db.session.get(Category, uuid)
    if category is None:
        raise NotFound("There is no such category; GET /api/v1/blog/categories/ lists them.")
    return category


def by_slug(slug: str) -> Category | None:
    """Return the category, or None."""
    return db.session.scalar(select(Category).where(Category.slug == slug))


def slugs_like(slug: str) -> set[str]:
    """Return the slugs in use that are this one or begin with it and a hyphen."""
    taken = (Category.slug == slug) | Category.slug.startswith(f"{slug}-", autoescape=True)
    return set(db.session.scalars(select(Category.slug).where(taken)))
