"""The endpoints of feeds, the sitemap and robots.txt.

The views import `formats`, so that servers without feed readers do not load its libraries (0.7 MB).
"""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Response, request

from blogapi.delivery.feeds import sitemap
from blogapi.delivery.feeds.entries import Feed, get_feed
from blogapi.publication.kinds import KINDS_WITH_PAGES
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.site.queries import get_site
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, Language, Schema, Text


class FeedQuery(Schema):
    """Selects the articles of a feed."""

    category = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a category."})
    tag = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of a tag."})
    author = Text(max_length=255, min_length=1, metadata={"description": "uuid or slug of an author."})
    language = Language(metadata={"description": "The language of the articles (BCP 47), or `all`."})


bp = Blueprint(
    "feeds", __name__, description="Feeds, the sitemap and robots.txt; they need no key", resource=""
)

RSS_TYPE, ATOM_TYPE, JSON_FEED_TYPE = "application/rss+xml", "application/atom+xml", "application/feed+json"
XML_TYPE, TEXT_TYPE = "application/xml", "text/plain"

# The known query parameters of the paths with each prefix; all other parameters are ignored.
QUERY_PARAMETERS = {"/feeds/": tuple(FeedQuery._declared_fields), "/sitemap": (), "/robots.txt": ()}

_ROBOTS = b"""User-agent: *
Allow: /feeds/
Allow: /media/
Allow: /sitemap
Disallow: /
"""
# The robots.txt of a blog whose site for readers is on: crawlers may index the pages of the site.
_SITE_ROBOTS = """User-agent: *
Disallow: /admin/
Disallow: /api/
Disallow: /docs/
Disallow: /preview/
Disallow: /openapi.json

Sitemap: {url}/sitemap.xml
"""


@bp.get("/feeds/rss.xml")
@allow(anyone)
@bp.arguments(FeedQuery, location="query")
@bp.response(200, {"type": "string"}, content_type=RSS_TYPE, cacheable=True, may_be_missing=True)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def get_rss_feed(query: Fields) -> Response:
    """Return the newest public articles as RSS 2.0."""
    from blogapi.delivery.feeds import formats

    return _make_response(formats.format_rss_feed(_get_requested_feed(query)), RSS_TYPE)


@bp.get("/feeds/atom.xml")
@allow(anyone)
@bp.arguments(FeedQuery, location="query")
@bp.response(200, {"type": "string"}, content_type=ATOM_TYPE, cacheable=True, may_be_missing=True)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def get_atom_feed(query: Fields) -> Response:
    """Return the newest public articles as Atom 1.0."""
    from blogapi.delivery.feeds import formats

    return _make_response(formats.format_atom_feed(_get_requested_feed(query)), ATOM_TYPE)


@bp.get("/feeds/feed.json")
@allow(anyone)
@bp.arguments(FeedQuery, location="query")
@bp.response(
    200,
    {"type": "object", "additionalProperties": True},
    content_type=JSON_FEED_TYPE,
    cacheable=True,
    may_be_missing=True,
)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def get_json_feed(query: Fields) -> Response:
    """Return the newest public articles as JSON Feed 1.1."""
    from blogapi.delivery.feeds import formats

    return _make_response(formats.format_json_feed(_get_requested_feed(query)), JSON_FEED_TYPE)


@bp.get("/sitemap.xml")
@allow(anyone)
@bp.response(200, {"type": "string"}, content_type=XML_TYPE, cacheable=True, may_be_missing=True)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def get_sitemap() -> Response:
    """Return the sitemap of the site, or an index of sitemaps if there are more than 50,000 pages."""
    return _make_response(sitemap.get_sitemap(), XML_TYPE)


@bp.get("/sitemap-<int(min=1, max=999999):number>.xml")
@allow(anyone)
@bp.response(200, {"type": "string"}, content_type=XML_TYPE, cacheable=True)
@declare_shown_kinds(*KINDS_WITH_PAGES)
def get_sitemap_part(number: int) -> Response:
    """Return one of the sitemaps of the index."""
    return _make_response(sitemap.get_sitemap_part(number), XML_TYPE)


@bp.get("/robots.txt")
@allow(anyone)
@bp.response(200, {"type": "string"}, content_type=TEXT_TYPE, cacheable=True)
@declare_shown_kinds()
def get_robots() -> Response:
    """Return the rules for crawlers."""
    site = get_site()
    return _make_response(_SITE_ROBOTS.format(url=site.url).encode() if site.built_in else _ROBOTS, TEXT_TYPE)


def _get_requested_feed(query: Fields) -> Feed:
    return get_feed(query, f"{request.path}?{urlencode(query)}" if query else request.path)


def _make_response(body: bytes, content_type: str) -> Response:
    return Response(body, content_type=f"{content_type}; charset=utf-8")
