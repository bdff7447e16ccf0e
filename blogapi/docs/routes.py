"""The endpoints of the OpenAPI document, of the guide and of the interactive API reference."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import flask
from flask import Flask, Response, current_app, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from blogapi.content.custom_fields.shown_values import make_public_field_schemas
from blogapi.docs import assets, document, guide_pages
from blogapi.docs.custom_fields import add_custom_fields
from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.web import json as web_json
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import NotFound
from blogapi.web.headers import ENCODING_VARY

openapi = Blueprint("openapi", __name__, description="This document", resource="")
docs = flask.Blueprint("docs", __name__, url_prefix="/docs", template_folder="templates")

# Scalar sets inline styles and uses icons from data: URLs.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@openapi.get("/openapi.json")
@allow(anyone)
@openapi.response(200, {"type": "object"})
def get_document() -> Response:
    """Return this OpenAPI document."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return web_json.make_json_response(
        web_json.to_json_bytes(add_custom_fields(document.get_document(app), make_public_field_schemas()))
    )


@docs.get("/")
@allow(anyone)
def show_guide() -> Response:
    """Return the first page of the guide."""
    return _show_guide_page(guide_pages.PAGE_NAMES[0])


@docs.get("/<name>/")
@allow(anyone)
def show_guide_page(name: str) -> BaseResponse:
    """Return a page of the guide, or redirect to the page that has its content now."""
    if name in guide_pages.MOVED_PAGES:
        return flask.redirect(f"/docs/{guide_pages.MOVED_PAGES[name]}", 308)
    if name not in guide_pages.PAGE_NAMES[1:]:
        raise NotFound("The guide has no such page; see /docs/.")
    return _show_guide_page(name)


@docs.get("/api/")
@allow(anyone)
def show_api_reference() -> Response:
    """Return the interactive API reference."""
    return _render_page("docs/api.html")


@docs.get("/static/<name>")
@allow(anyone)
@declare_shown_kinds()
def send_asset(name: str) -> Response:
    """Return a script, a style sheet or an image of the documentation pages."""
    if name not in assets.ASSET_NAMES:
        raise NotFound("The documentation has no such file.")
    content, is_compressed = assets.read_asset(name)
    content_type = assets.CONTENT_TYPES[Path(name).suffix]
    if is_compressed:
        return _send_compressed(content, content_type)
    return Response(content, content_type=content_type)


@docs.get("/search.json")
@allow(anyone)
@declare_shown_kinds()
def send_search_index() -> Response:
    """Return the sections of the guide as JSON, for the search on the pages of the guide."""
    return _send_compressed(guide_pages.make_search_index(), "application/json")


@docs.get("/blogapi.js")
@allow(anyone)
@declare_shown_kinds()
def send_client() -> Response:
    """Return the JavaScript client for front ends, a module that developers copy into their projects."""
    return send_asset("blogapi.js")


def _send_compressed(content: bytes, content_type: str) -> Response:
    """Return a response with compressed content, decompressed if the client does not accept gzip."""
    response = Response(content_type=content_type, headers={"Vary": ENCODING_VARY})
    if request.accept_encodings["gzip"]:
        response.headers["Content-Encoding"] = "gzip"
    else:
        content = gzip.decompress(content)
    response.set_data(content)
    return response


def _show_guide_page(name: str) -> Response:
    position, pages = guide_pages.PAGE_NAMES.index(name), guide_pages.list_pages()
    before, page, after = (None, *pages, None)[position : position + 3]
    return _render_page(
        "docs/guide.html",
        groups=guide_pages.PAGE_GROUPS,
        pages=pages,
        before=before,
        page=page,
        after=after,
    )


def _render_page(template: str, **context: Any) -> Response:
    response = Response(render_template(template, **context), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response
