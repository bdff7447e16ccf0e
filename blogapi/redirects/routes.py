"""Redirects over HTTP."""

from __future__ import annotations

from blogapi.core.access import allow, reader
from blogapi.core.blueprint import Blueprint, Trim
from blogapi.core.paging import Query
from blogapi.redirects import queries
from blogapi.redirects.schemas import RedirectFieldsSchema, RedirectListQuery, RedirectSchema

bp = Blueprint("redirects", __name__, url_prefix="/api/v1/blog/redirects", description="Former slugs")


@bp.get("/")
@allow(reader, scope="published")
@bp.arguments(RedirectListQuery, location="query")
@bp.response(200, RedirectSchema(many=True), trimmed=RedirectFieldsSchema)
def listed(query: Query) -> Trim:
    """List the former slugs of public articles with the present ones."""
    return Trim(queries.listed(query.window), query)
