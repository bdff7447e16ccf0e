"""The page that shows the article of a preview link in a browser, without scripts."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from datetime import datetime
from pathlib import Path

import flask
from flask import Response, render_template

from blogapi.content.articles.fields import TEXT_FIELDS
from blogapi.delivery.previews import service
from blogapi.parsing import parse_timestamp
from blogapi.rendering.players import EMBED_HOSTS
from blogapi.site.addresses import to_time_zone
from blogapi.site.queries import get_site
from blogapi.web.access import allow, anyone
from blogapi.web.errors import NotFound
from blogapi.web.headers import NO_STORE, prefers_html
from blogapi.web.json import JsonBody, json_response

html_page = flask.Blueprint("preview_pages", __name__, template_folder="templates")

# The text fields below the title.
_TEXTS = tuple(text.name for text in TEXT_FIELDS if text.is_previewed)
_FIELDS = (
    "title",
    *_TEXTS,
    "status",
    "published_at",
    "last_updated",
    "cover_image",
    "category",
    "authors",
    "html",
)

# The style sheet is part of the page, so that the page needs no other request.
_STYLES = ("delivery/previews/templates/previews/page.css", "admin/static/reading.css")
_STYLE = "".join((Path(__file__).parents[2] / path).read_text(encoding="utf-8") for path in _STYLES)
_STYLE_DIGEST = b64encode(hashlib.sha256(_STYLE.encode("utf-8")).digest()).decode("ascii")

# The names that `strftime` writes depend on the locale of the server.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "img-src 'self' https: http: data:",
        "media-src 'self' https: http:",
        f"frame-src {' '.join(f'https://{host}' for host in sorted(EMBED_HOSTS))}",
        f"style-src 'sha256-{_STYLE_DIGEST}'",
        *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    )
)


@html_page.get("/preview/<token>")
@allow(anyone)
def show(token: str) -> Response:
    """Show the article of a preview link to a browser; return it as JSON to other clients."""
    response = _show_page(token) if prefers_html() else _show_json(token)
    response.headers["X-Robots-Tag"] = "noindex"
    # Browsers may store the response to an unknown token, like all errors.
    if response.status_code == 200:
        response.headers["Cache-Control"] = NO_STORE
    return response


def _show_json(token: str) -> Response:
    article, _ = service.get_item_json(token, None)
    assert isinstance(article.body, bytes), "only lists are streamed"
    response = json_response(article.body)
    response.set_etag(article.etag())
    return response


def _show_page(token: str) -> Response:
    try:
        page, status = _render_article(*service.get_item_json(token, _FIELDS)), 200
    except NotFound:
        # The page is in English, and not in the language of the site.
        page, status = _render("missing", language="en"), 404
    response = Response(page, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response


def _render_article(json_body: JsonBody, has_edits: bool) -> str:
    assert isinstance(json_body.body, bytes), "only lists are streamed"
    article, site = json.loads(json_body.body), get_site()
    times = {}
    for name in ("published_at", "last_updated"):
        time = parse_timestamp(article[name] or "")
        times[name] = time and to_time_zone(time, site.time_zone)
    # The page sends no Referer, because its address is secret. Embedded players require one, so they get only
    # the origin. In sanitized HTML, `<` always begins an element.
    article["html"] = article["html"].replace("<iframe ", '<iframe referrerpolicy="strict-origin" ')
    values = {"article": article, "words": format_time, "texts": _TEXTS, "has_edits": has_edits, "site": site}
    return _render("article", language=site.language, **values, **times)


def format_time(time: datetime) -> str:
    """Return a time in words: 29 November 2026, 08:00."""
    return f"{time.day} {_MONTHS[time.month - 1]} {time.year:04}, {time:%H:%M}"


def _render(template: str, **context: object) -> str:
    return render_template(f"previews/{template}.html", style=_STYLE, **context)
