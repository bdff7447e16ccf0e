"""Writes of tags."""

from __future__ import annotations

from uuid import UUID, uuid4

from blogapi.core import slugs
from blogapi.core.database import db, transaction
from blogapi.core.errors import NotFound
from blogapi.core.schema import Fields
from blogapi.tags import queries
from blogapi.tags.models import Tag
from blogapi.tags.schemas import TagBodySchema


def create(owner: UUID, fields: Fields, *, uuid: UUID | None = None) -> Tag:
    """Make a tag from the fields of a TagBodySchema; without a slug its name gives one.

    Raises Conflict for a slug that is taken.
    """
    with transaction():
        slug = slugs.chosen(fields.get("slug"), fields["name"], queries.slugs_like)
        tag = Tag(**(fields | {"slug": slug, "owner_id": owner, "uuid": uuid or uuid4()}))
        db.session.add(tag)
        db.session.flush()
    return tag


def replace(owner: UUID, uuid: UUID, fields: Fields) -> tuple[Tag, bool]:
    """Make the tag anew under that uuid, or replace what is there; tell whether it was made."""
    with transaction():
        try:
            queries.by_uuid(uuid)
        except NotFound:
            return create(owner, fields, uuid=uuid), True
        return change(uuid, fields), False


def change(uuid: UUID, fields: Fields) -> Tag:
    """Change what is named; the slug stays unless it is named. Raises NotFound, Conflict."""
    with transaction():
        tag = queries.by_uuid(uuid)
        if "slug" in fields and fields["slug"] != tag.slug:
            slugs.chosen(fields["slug"], "", queries.slugs_like)
        for name, value in fields.items():
            setattr(tag, name, value)
        db.session.flush()
    return tag


def delete(uuid: UUID) -> None:
    """Delete the tag; its articles go on without it. Raises NotFound."""
    with transaction():
        db.session.delete(queries.by_uuid(uuid))
        db.session.flush()


def named(owner: UUID, name: str) -> Tag:
    """Return the tag whose name gives the same slug, made first where there is none."""
    with transaction():
        found = queries.by_slug(slugs.slug_of(name))
        return found or create(owner, TagBodySchema().load({"name": name}))
