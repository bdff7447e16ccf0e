"""The endpoints of the OpenAPI document and its interactive page, which loads no external assets."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import flask
import flask_swagger_ui
from flask import Flask, Response, current_app

from blogapi.docs.document import get_document
from blogapi.web import json as web_json
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import NotFound

openapi = Blueprint("openapi", __name__, description="This document")
docs = flask.Blueprint("docs", __name__, url_prefix="/docs")

_STATIC = Path(__file__).parent / "static"
_SWAGGER_UI = Path(flask_swagger_ui.__file__).parent / "dist"
ASSETS = {
    "docs.js": _STATIC,
    "docs.css": _STATIC,
    "swagger-ui.css": _SWAGGER_UI,
    "swagger-ui-bundle.js": _SWAGGER_UI,
    "favicon-32x32.png": _SWAGGER_UI,
}

# `mimetypes` reads the Windows registry. If the registry maps `.js` to text/plain, the page stays blank.
CONTENT_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".png": "image/png",
}

# Swagger UI sets inline styles and uses icons from data: URLs.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@openapi.get("/openapi.json")
@allow(anyone)
@openapi.response(200, {"type": "object"})
def document() -> Response:
    """Return this OpenAPI document."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return web_json.json_response(web_json.to_json_bytes(get_document(app)))


@docs.get("/")
@allow(anyone)
def page() -> Response:
    """Return the interactive API reference."""
    response = Response(_read_bytes(_STATIC / "docs.html"), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response


@docs.get("/<name>")
@allow(anyone)
def asset(name: str) -> Response:
    """Return a script, a style sheet or an image of the interactive API reference."""
    if name not in ASSETS:
        raise NotFound("The documentation page has no such file.")
    return Response(_read_bytes(ASSETS[name] / name), content_type=CONTENT_TYPES[Path(name).suffix])


@cache
def _read_bytes(path: Path) -> bytes:
    return path.read_bytes()
