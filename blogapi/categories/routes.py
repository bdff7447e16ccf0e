"""Categories over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
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
from blogapi.web import json_fragments
from blogapi.web.access import admin, allow, current_user_id, reader
from blogapi.web.blueprint import Blueprint, Representation, UpsertResult
from blogapi.web.bulk import write_all
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import BulkDeleteQuery, Page, Query

bp = Blueprint("categories", __name__, url_prefix="/api/v1/blog/categories", description="Categories")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(CategoryListQuery, location="query")
@bp.response(
    200, CategorySchema(many=True), partial_schema=CategoryFieldsSchema, section="4.3", cacheable=True
)
def listed(query: Query) -> Page[JsonBody]:
    """List the categories by name."""
    return queries.list_json(query.fields, query.window)


@bp.get("/<id:id>/")
@allow(reader, scope="published")
@bp.arguments(CategoryQuery, location="query")
@bp.response(
    200, SingleCategorySchema(), partial_schema=SingleCategoryFieldsSchema, section="4.4", cacheable=True
)
def single(query: Query, id: UUID) -> JsonBody:
    """Show a category with its published articles, newest first."""
    return _whole(id, query.fields)


def _whole(id: UUID, names: Sequence[str] | None = None) -> JsonBody:
    carried = queries.get_fragments(id)
    chosen = SingleCategorySchema._declared_fields if names is None else names
    shown = json_fragments.select_fields(Category, carried, chosen)
    if "articles" not in chosen:
        return JsonBody(shown.encode(), beside=carried)
    listed = articles.list_published(category=(str(id),)).rows
    return json_fragments.add_member(shown, "articles", listed, beside=carried)


REPRESENTATION = Representation(
    _whole, SingleCategorySchema(), lambda: queries.list_json().rows, CategorySchema(many=True)
)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(CategoryBodySchema)
@bp.write(201, CategorySchema(), REPRESENTATION)
def create(fields: Fields) -> Category:
    """Make a category; without a slug its name gives one."""
    return service.create(current_user_id(), fields)


@bp.put("/<id:id>/")
@allow(admin, scope="write")
@bp.named
@bp.arguments(CategoryBodySchema)
@bp.write(200, CategorySchema(), REPRESENTATION, creates=True)
def replace(fields: Fields, id: UUID) -> UpsertResult:
    """Make the category under this uuid, or replace it."""
    return UpsertResult(*service.replace(current_user_id(), id, fields))


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.get_by_uuid)
@bp.arguments(CategoryBodySchema(partial=True))
@bp.write(200, CategorySchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> Category:
    """Change what is named of a category."""
    return service.change(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.item(queries.get_by_uuid)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a category in which no article stands."""
    service.delete(id)


@bp.put("/")
@allow(admin, scope="write")
@bp.arguments(CategoryItemSchema(many=True))
@bp.write(200, CategorySchema(many=True), REPRESENTATION)
def replace_all(items: list[Fields]) -> list[Category]:
    """Make or replace several categories, all or none."""
    return write_all(items, lambda fields: service.replace(current_user_id(), fields.pop("uuid"), fields)[0])


@bp.patch("/")
@allow(admin, scope="write")
@bp.arguments(CategoryItemSchema(many=True, partial=("name",)))
@bp.write(200, CategorySchema(many=True), REPRESENTATION)
def change_all(items: list[Fields]) -> list[Category]:
    """Change what is named of several categories, all or none."""
    return write_all(items, lambda fields: service.change(fields.pop("uuid"), fields))


@bp.delete("/")
@allow(admin, scope="write")
@bp.arguments(BulkDeleteQuery, location="query")
@bp.write(204, None, REPRESENTATION)
def delete_all(query: Fields) -> None:
    """Delete several categories, all or none."""
    write_all(query["uuid"], service.delete)
