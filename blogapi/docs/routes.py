"""The document of the API over HTTP."""

from __future__ import annotations

from flask import Flask, Response, current_app

from blogapi.docs import document as description
from blogapi.web import json as web_json
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint

bp = Blueprint("openapi", __name__, description="This document")


@bp.get("/openapi.json")
@allow(anyone)
@bp.response(200, {"type": "object"})
def document() -> Response:
    """Show this document."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return web_json.json_response(web_json.to_json_bytes(description.get_document(app)))
