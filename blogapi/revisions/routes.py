"""Former versions over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from blogapi.articles.models import Article
from blogapi.articles.routes import SHOWN
from blogapi.articles.schemas import ArticleSchema
from blogapi.core.access import admin, allow, writer
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query
from blogapi.core.schema import Fields, Nothing
from blogapi.revisions import queries, service
from blogapi.revisions.schemas import (
    LAST,
    ComparisonQuery,
    ComparisonSchema,
    RevisionFieldsSchema,
    RevisionListQuery,
    RevisionQuery,
    RevisionSchema,
    SingleRevisionFieldsSchema,
    SingleRevisionSchema,
)

bp = Blueprint(
    "revisions",
    __name__,
    url_prefix="/api/v1/blog/articles/<id:id>/revisions",
    description="Former versions of articles",
)
_ONE = f"/<int(max={LAST}):number>/"


@bp.get("/")
@allow(admin)
@bp.arguments(RevisionListQuery, location="query")
@bp.response(200, RevisionSchema(many=True), trimmed=RevisionFieldsSchema)
def listed(query: Query, id: UUID) -> Trim:
    """List the former versions of an article, newest first; a deleted one's too."""
    return Trim(queries.listed(id, query.window), query)


@bp.get(_ONE)
@allow(admin)
@bp.arguments(RevisionQuery, location="query")
@bp.response(200, SingleRevisionSchema(), trimmed=SingleRevisionFieldsSchema)
def single(query: Query, id: UUID, number: int) -> Trim:
    """Show a former version with all that was written."""
    return Trim(queries.seen(queries.one(id, number)), query)


@bp.get(f"{_ONE}compare/")
@allow(admin)
@bp.arguments(ComparisonQuery, location="query")
@bp.response(200, ComparisonSchema())
def compare(query: Fields, id: UUID, number: int) -> dict[str, Any]:
    """Show field by field what changed since that version."""
    return service.comparison(id, number, **query)


@bp.post(f"{_ONE}restore/")
@allow(admin, scope="write")
@bp.arguments(Nothing, required=False)
@bp.write(200, ArticleSchema(), SHOWN)
def restore(nothing: Fields, id: UUID, number: int) -> Article:
    """Give the article what it was in that version; the present one is kept."""
    return service.restore(writer(), id, number)
