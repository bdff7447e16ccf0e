"""Writes of categories."""

from __future__ import annotations

from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError

from blogapi.categories import queries
from blogapi.categories.models import Category
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.content import slugs
from blogapi.storage.database import db, transaction
from blogapi.web import unique_slugs
from blogapi.web.errors import Conflict, NotFound
from blogapi.web.fields import Fields

EMPTY: Fields = {"description": None, "cover_image": ""}


def create(owner: UUID, fields: Fields, *, uuid: UUID | None = None) -> Category:
    """Make a category from the fields of a CategoryBodySchema; without a slug its name gives one.

    Raises Conflict for a slug that is taken.
    """
    with transaction():
        slug = unique_slugs.choose_slug(fields.get("slug"), fields["name"], queries.find_similar_slugs)
        category = Category(**(EMPTY | fields | {"slug": slug, "owner_id": owner, "uuid": uuid or uuid4()}))
        db.session.add(category)
        db.session.flush()
    return category


def replace(owner: UUID, uuid: UUID, fields: Fields) -> tuple[Category, bool]:
    """Make the category anew under that uuid, or replace what is there; tell whether it was made."""
    with transaction():
        try:
            queries.get_by_uuid(uuid)
        except NotFound:
            return create(owner, fields, uuid=uuid), True
        return change(uuid, EMPTY | fields), False


def change(uuid: UUID, fields: Fields) -> Category:
    """Change what is named; the slug stays unless it is named. Raises NotFound, Conflict."""
    with transaction():
        category = queries.get_by_uuid(uuid)
        if "slug" in fields and fields["slug"] != category.slug:
            unique_slugs.choose_slug(fields["slug"], "", queries.find_similar_slugs)
        for name, value in fields.items():
            setattr(category, name, value)
        db.session.flush()
    return category


def delete(uuid: UUID) -> None:
    """Delete the category; raises NotFound, or Conflict where articles stand in it."""
    try:
        with transaction():
            db.session.delete(queries.get_by_uuid(uuid))
            db.session.flush()
    except IntegrityError as error:
        raise Conflict(
            "Articles stand in this category; move or delete them first.", code="category_in_use"
        ) from error


def get_or_create(owner: UUID, name: str) -> Category:
    """Return the category whose name gives the same slug, made first where there is none."""
    with transaction():
        found = queries.find_by_slug(slugs.make_slug(name))
        return found or create(owner, CategoryBodySchema().load({"name": name}))
