"""Writes of tags."""

from __future__ import annotations

from uuid import UUID

from blogapi.core import slugs
from blogapi.core.database import db, transaction
from blogapi.core.schema import Fields
from blogapi.tags import queries
from blogapi.tags.models import Tag
from blogapi.tags.schemas import TagBodySchema


def create(owner: UUID, fields: Fields) -> Tag:
    """Make a tag from the fields of a TagBodySchema; its slug comes from its name."""
    with transaction():
        wished = slugs.slug_of(fields.get("slug") or fields["name"])
        slug = slugs.free(wished, queries.slugs_like(wished))
        tag = Tag(**(fields | {"slug": slug, "owner_id": owner}))
        db.session.add(tag)
        db.session.flush()
    return tag


def named(owner: UUID, name: str) -> Tag:
    """Return the tag whose name gives the same slug, made first where there is none."""
    with transaction():
        found = queries.by_slug(slugs.slug_of(name))
        return found or create(owner, TagBodySchema().load({"name": name}))
