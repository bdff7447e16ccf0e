"""Categories over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.categories import queries
from blogapi.categories.schemas import (
    CategoryFieldsSchema,
    CategoryListQuery,
    CategoryQuery,
    CategorySchema,
    SingleCategoryFieldsSchema,
    SingleCategorySchema,
)
from blogapi.core.access import allow, reader
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query
from blogapi.core.schema import Seen

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
    category = queries.by_uuid(id)
    return Trim(Seen(category, articles=articles.published(category=(str(id),)).rows), query)
