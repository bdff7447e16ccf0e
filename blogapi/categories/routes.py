"""Categories over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.categories import queries, service
from blogapi.categories.models import Category
from blogapi.categories.schemas import (
    CategoryBodySchema,
    CategoryFieldsSchema,
    CategoryItemSchema,
    CategoryListQuery,
    CategoryQuery,
    CategorySchema,
    SingleCategoryFieldsSchema,
    SingleCategorySchema,
)
from blogapi.core.access import admin, allow, reader, writer
from blogapi.core.blueprint import Blueprint, Placed, Representation, Trim
from blogapi.core.paging import BulkDeleteQuery, Query
from blogapi.core.schema import Fields, Seen
from blogapi.core.writing import each

bp = Blueprint("categories", __name__, url_prefix="/api/v1/blog/categories", description="Categories")


@bp.get("/")
@allow(reader)
@bp.arguments(CategoryListQuery, location="query")
@bp.response(200, CategorySchema(many=True), trimmed=CategoryFieldsSchema, section="4.3")
def listed(query: Query) -> Trim:
    """List the categories by name."""
    return Trim(queries.listed(query.window), query)


@bp.get("/<id:id>/")
@allow(reader)
@bp.arguments(CategoryQuery, location="query")
@bp.response(200, SingleCategorySchema(), trimmed=SingleCategoryFieldsSchema, section="4.4")
def single(query: Query, id: UUID) -> Trim:
    """Show a category with its published articles, newest first."""
    return Trim(_whole(id), query)


def _whole(id: UUID) -> Seen:
    category = queries.by_uuid(id)
    return Seen(category, articles=articles.published(category=(str(id),)).rows)


SHOWN = Representation(
    _whole, SingleCategorySchema(), lambda: queries.listed(None).rows, CategorySchema(many=True)
)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(CategoryBodySchema)
@bp.write(201, CategorySchema(), SHOWN)
def create(fields: Fields) -> Category:
    """Make a category; without a slug its name gives one."""
    return service.create(writer(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.named
@bp.arguments(CategoryBodySchema)
@bp.write(200, CategorySchema(), SHOWN, creates=True)
def replace(fields: Fields, id: UUID) -> Placed:
    """Make the category under this uuid, or replace it."""
    return Placed(*service.replace(writer(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.arguments(CategoryBodySchema(partial=True))
@bp.write(200, CategorySchema(), SHOWN)
def change(fields: Fields, id: UUID) -> Category:
    """Change what is named of a category."""
    return service.change(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.by_uuid)
@bp.write(204, None, SHOWN)
def delete(id: UUID) -> None:
    """Delete a category in which no article stands."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(CategoryItemSchema(many=True))
@bp.write(200, CategorySchema(many=True), SHOWN)
def replace_all(items: list[Fields]) -> list[Category]:
    """Make or replace several categories, all or none."""
    return each(items, lambda fields: service.replace(writer(), fields.pop("uuid"), fields)[0])


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(CategoryItemSchema(many=True, partial=("name",)))
@bp.write(200, CategorySchema(many=True), SHOWN)
def change_all(items: list[Fields]) -> list[Category]:
    """Change what is named of several categories, all or none."""
    return each(items, lambda fields: service.change(fields.pop("uuid"), fields))


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, SHOWN)
def delete_all(query: Fields) -> None:
    """Delete several categories, all or none."""
    each(query["uuid"], service.delete)
