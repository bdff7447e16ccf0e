"""Writes of categories."""

from __future__ import annotations

from uuid import UUID

from blogapi.categories import queries
from blogapi.categories.models import Category
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.core import slugs
from blogapi.core.database import db, transaction
from blogapi.core.schema import Fields


def create(owner: UUID, fields: Fields) -> Category:
    """Make a category from the fields of a CategoryBodySchema; its slug comes from its name."""
    with transaction():
        wished = slugs.slug_of(fields.get("slug") or fields["name"])
        slug = slugs.free(wished, queries.slugs_like(wished))
        category = Category(**(fields | {"slug": slug, "owner_id": owner}))
        db.session.add(category)
        db.session.flush()
    return category


def named(owner: UUID, name: str) -> Category:
    """Return the category whose name gives the same slug, made first where there is none."""
    with transaction():
        found = queries.by_slug(slugs.slug_of(name))
        return found or create(owner, CategoryBodySchema().load({"name": name}))
