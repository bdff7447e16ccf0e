"""The endpoint of redirects."""

from __future__ import annotations

from blogapi.redirects import queries
from blogapi.redirects.schemas import RedirectFieldsSchema, RedirectListQuery, RedirectSchema
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint, PartialResult
from blogapi.web.pagination import Query

bp = Blueprint("redirects", __name__, url_prefix="/api/v1/blog/redirects", description="Former slugs")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(RedirectListQuery, location="query")
@bp.response(200, RedirectSchema(many=True), partial_schema=RedirectFieldsSchema)
def listed(query: Query) -> PartialResult:
    """List the former slugs of public articles, each with the current slug."""
    return PartialResult(queries.list_redirects(query.page), query)
