"""Tags over HTTP."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import queries as articles
from blogapi.core.access import allow, reader
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query
from blogapi.core.schema import Seen
from blogapi.tags import queries
from blogapi.tags.schemas import (
    SingleTagFieldsSchema,
    SingleTagSchema,
    TagFieldsSchema,
    TagListQuery,
    TagQuery,
    TagSchema,
)

bp = Blueprint("tags", __name__, url_prefix="/api/v1/blog/tags", description="Tags")


@bp.get("/")
@allow(reader)
@bp.arguments(TagListQuery, location="query")
@bp.response(200, TagSchema(many=True), trimmed=TagFieldsSchema, section="4.5")
def listed(query: Query) -> Trim:
    """List the tags by name."""
    return Trim(queries.listed(query.window), query)


@bp.get("/<id:id>/")
@allow(reader)
@bp.arguments(TagQuery, location="query")
@bp.response(200, SingleTagSchema(), trimmed=SingleTagFieldsSchema, section="4.6")
def single(query: Query, id: UUID) -> Trim:
    """Show a tag with its published articles, newest first."""
    tag = queries.by_uuid(id)
    return Trim(Seen(tag, articles=articles.published(tag=(str(id),)).rows), query)
