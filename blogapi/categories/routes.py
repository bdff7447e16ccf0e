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
from blogapi.core import pieces
from blogapi.core.access import admin, allow, reader, writer
from blogapi.core.blueprint import Blueprint, Placed, Representation
from blogapi.core.paging import BulkDeleteQuery, Page, Query
from blogapi.core.pieces import Rendered
from blogapi.core.schema import Fields
from blogapi.core.writing import each

bp = Blueprint("categories", __name__, url_prefix="/api/v1/blog/categories", description="Categories")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(CategoryListQuery, location="query")
@bp.response(200, CategorySchema(many=True), trimmed=CategoryFieldsSchema, section="4.3", replayed=True)
def listed(query: Query) -> Page[Rendered]:
    """List the categories by name."""
    return queries.listed(query.fields, query.window)


@bp.get("/<id:id>/")
@allow(reader, scope="published")
@bp.arguments(CategoryQuery, location="query")
@bp.response(200, SingleCategorySchema(), trimmed=SingleCategoryFieldsSchema, section="4.4", replayed=True)
def single(query: Query, id: UUID) -> Rendered:
    """Show a category with its published articles, newest first."""
    return _whole(id, query.fields)


def _whole(id: UUID, names: Sequence[str] | None = None) -> Rendered:
    carried = queries.carried(id)
    chosen = SingleCategorySchema._declared_fields if names is None else names
    shown = pieces.part(Category, carried, chosen)
    if "articles" not in chosen:
        return Rendered(shown.encode(), beside=carried)
    listed = articles.published(category=(str(id),)).rows
    return pieces.extended(shown, "articles", listed, beside=carried)


SHOWN = Representation(
    _whole, SingleCategorySchema(), lambda: queries.listed().rows, CategorySchema(many=True)
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
