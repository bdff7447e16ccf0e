"""The endpoint of redirects."""

from __future__ import annotations

from flask import Response

from blogapi.delivery.redirects import queries
from blogapi.delivery.redirects.formats import format_redirects
from blogapi.delivery.redirects.schemas import RedirectListQuery, RedirectSchema
from blogapi.publication.kinds import KINDS_WITH_PAGES
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.site.queries import get_site
from blogapi.web.access import allow, reader
from blogapi.web.blueprint import Blueprint, add_page_headers
from blogapi.web.pagination import PageRequest, Query
from blogapi.web.representation import PartialResult

bp = Blueprint(
    "redirects", __name__, url_prefix="/api/v1/blog/redirects", description="Former slugs and paths"
)

_TEXT_CONTENT = {"text/plain": {"schema": {"type": "string", "example": "/old/ /new/ 308\n"}}}


@bp.get("/")
@allow(reader, scope="published")
@bp.doc(responses={200: {"content": _TEXT_CONTENT}})
@bp.response(200, RedirectSchema(many=True), partial_schema=RedirectSchema, query=RedirectListQuery)
# Every response depends on the site, and a change of a custom redirect is recorded as a change of the site.
@declare_shown_kinds(*KINDS_WITH_PAGES)
def listed(query: Query) -> PartialResult | Response:
    """List custom redirects, former slugs of articles and terms, and former paths of articles and pages."""
    if "format" in query.filters:
        return _make_text_response(query.page, query.filters["format"])
    if "path" in query.filters:
        return PartialResult(queries.find_redirects(query.filters["path"]), query)
    return PartialResult(queries.list_redirects(query.page), query)


def _make_text_response(page: PageRequest | None, name: str) -> Response:
    # The output contains only paths, so any host can be used if the site has no address.
    site = queries.add_placeholder_address(get_site())
    redirects = queries.list_redirects(page, site)
    text = format_redirects(redirects.rows, name, site.url)
    return add_page_headers(Response(text, content_type="text/plain; charset=utf-8"), redirects)
