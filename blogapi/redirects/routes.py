"""The endpoint of redirects."""

from __future__ import annotations

from typing import cast

from flask import Response

from blogapi.redirects import queries
from blogapi.redirects.formats import format_redirects
from blogapi.redirects.schemas import RedirectFieldsSchema, RedirectListQuery, RedirectSchema
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint, PartialResult, add_page_headers
from blogapi.web.fields import WithAttributes
from blogapi.web.pagination import PageRequest, Query

bp = Blueprint("redirects", __name__, url_prefix="/api/v1/blog/redirects", description="Former slugs")

_TEXT = {"text/plain": {"schema": {"type": "string", "example": "/old/ /new/ 308\n"}}}


@bp.get("/")
@allow(reader, scope="published")
@bp.doc(responses={200: {"content": _TEXT}})
@bp.arguments(RedirectListQuery, location="query")
@bp.response(200, RedirectSchema(many=True), partial_schema=RedirectFieldsSchema)
def listed(query: Query) -> PartialResult | Response:
    """List the former slugs of articles, categories, tags and authors, each with the current slug."""
    if "format" in query.filters:
        return _format(query.page, query.filters["format"])
    return PartialResult(queries.list_redirects(query.page), query)


def _format(page: PageRequest | None, name: str) -> Response:
    site = get_site()
    # Only the paths are shown, so they do not depend on the address of the site, unless it contains a path.
    complete = site if site.url else cast(Site, WithAttributes(site, url="http://localhost"))
    redirects = queries.list_redirects(page, complete)
    text = format_redirects(redirects.rows, name)
    return add_page_headers(Response(text, content_type="text/plain; charset=utf-8"), redirects)
