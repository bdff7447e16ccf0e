"""Writes of tags."""

from __future__ import annotations

from uuid import UUID, uuid4

from blogapi.content import slugs
from blogapi.storage.database import db, transaction
from blogapi.tags import queries
from blogapi.tags.models import Tag
from blogapi.tags.schemas import TagBodySchema
from blogapi.web import unique_slugs
from blogapi.web.errors import NotFound
from blogapi.web.fields import Fields


def create(owner: UUID, fields: Fields, *, uuid: UUID | None = None) -> Tag:
    """Make a tag from the fields of a TagBodySchema; without a slug its name gives one.

    Raises Conflict for a slug that is taken.
    """
    with transaction():
        slug = unique_slugs.choose_slug(fields.get("slug"), fields["name"], queries.find_similar_slugs)
        tag = Tag(**(fields | {"slug": slug, "owner_id": owner, "uuid": uuid or uuid4()}))
        db.session.add(tag)
        db.session.flush()
    return tag


def replace(owner: UUID, uuid: UUID, fields: Fields) -> tuple[Tag, bool]:
    """Make the tag anew under that uuid, or replace what is there; tell whether it was made."""
    with transaction():
        try:
            queries.get_by_uuid(uuid)
        except NotFound:
            return create(owner, fields, uuid=uuid), True
        return change(uuid, fields), False


def change(uuid: UUID, fields: Fields) -> Tag:
    """Change what is named; the slug stays unless it is named. Raises NotFound, Conflict."""
    with transaction():
        tag = queries.get_by_uuid(uuid)
        if "slug" in fields and fields["slug"] != tag.slug:
            unique_slugs.choose_slug(fields["slug"], "", queries.find_similar_slugs)
        for name, value in fields.items():
            setattr(tag, name, value)
        db.session.flush()
    return tag


def delete(uuid: UUID) -> None:
    """Delete the tag; its articles go on without it. Raises NotFound."""
    with transaction():
        db.session.delete(queries.get_by_uuid(uuid))
        db.session.flush()


def get_or_create(owner: UUID, name: str) -> Tag:
    """Return the tag whose name gives the same slug, made first where there is none."""
    with transaction():
        found = queries.find_by_slug(slugs.make_slug(name))
        return found or create(owner, TagBodySchema().load({"name": name}))
