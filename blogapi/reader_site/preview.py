"""The page of a preview link: the draft in the design of the site, even while the site is off."""

from __future__ import annotations

import hashlib
from base64 import b64encode

import flask
from flask import Response

from blogapi.delivery.previews import service
from blogapi.reader_site import documents, pages, templating
from blogapi.reader_site.pages import Edition
from blogapi.reader_site.templating import FRAME_SRC_DIRECTIVE
from blogapi.reader_site.words import make_word_tables
from blogapi.site.queries import get_site
from blogapi.web.access import allow, anyone
from blogapi.web.errors import NotFound
from blogapi.web.headers import NO_STORE, prefers_html
from blogapi.web.json import make_json_response

preview_pages = flask.Blueprint("preview_pages", __name__)

# The style sheet is part of the page, so that the page needs no other request.
_STYLE_SHEET = templating.read_style_sheet()
STYLE_DIGEST = b64encode(hashlib.sha256(_STYLE_SHEET.encode("utf-8")).digest()).decode("ascii")

_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "img-src 'self' https: http: data:",
        "media-src 'self' https: http:",
        FRAME_SRC_DIRECTIVE,
        f"style-src 'sha256-{STYLE_DIGEST}'",
        *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    )
)


@preview_pages.get("/preview/<token>")
@allow(anyone)
def show_preview(token: str) -> Response:
    """Show the article of a preview link to a browser; return it as JSON to other clients."""
    response = _make_page_response(token) if prefers_html() else _make_json_response(token)
    response.headers["X-Robots-Tag"] = "noindex"
    # Only the draft must not be stored; browsers may store errors, such as for an unknown token.
    if response.status_code == 200:
        response.headers["Cache-Control"] = NO_STORE
    return response


def _make_json_response(token: str) -> Response:
    article, _ = service.get_item_json(token, None)
    assert isinstance(article.body, bytes), "only lists are streamed"
    response = make_json_response(article.body)
    response.set_etag(article.compute_etag())
    return response


def _make_page_response(token: str) -> Response:
    # The owner's templates and words are not used, because they could refer to files of other hosts.
    edition = Edition(get_site(), make_word_tables({}))
    try:
        item, has_edits = documents.get_previewed_item(token)
        page = pages.make_preview_page(edition, item, has_edits=has_edits, style=_STYLE_SHEET)
    except NotFound:
        page = pages.make_missing_preview_page(edition, _STYLE_SHEET)
    template = templating.get_built_in_environment().get_template(page.template)
    response = Response(template.render(page.values), page.status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response
