"""The interactive page of the API; all it needs comes out of installed packages, nothing off the network."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, Response

from blogapi.web.access import allow, anyone
from blogapi.web.errors import NotFound

bp = Blueprint("docs", __name__, url_prefix="/docs")

_OURS = Path(__file__).parent / "static"
_THEIRS = Path(flask_swagger_ui.__file__).parent / "dist"
ASSETS = {
    "docs.js": _OURS,
    "docs.css": _OURS,
    "swagger-ui.css": _THEIRS,
    "swagger-ui-bundle.js": _THEIRS,
    "favicon-32x32.png": _THEIRS,
}

# By suffix. Not asked of the machine: a Windows registry that takes `.js` for text/plain blanks the page.
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".png": "image/png",
}

# Swagger UI sets styles on its elements and draws its icons from data: addresses.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@bp.get("/")
@allow(anyone)
def page() -> Response:
    """Show the page."""
    response = Response(_bytes(_OURS / "docs.html"), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@bp.get("/<name>")
@allow(anyone)
def asset(name: str) -> Response:
    """Serve a script, a style or an image of the page."""
    if name not in ASSETS:
        raise NotFound("The page has no such part.")
    return Response(_bytes(ASSETS[name] / name), content_type=TYPES[Path(name).suffix])


@cache
def _bytes(path: Path) -> bytes:
    return path.read_bytes()
