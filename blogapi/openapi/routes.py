"""The document of the API over HTTP."""

from __future__ import annotations

from flask import Response, current_app

from blogapi.core import wire
from blogapi.core.access import allow, anyone
from blogapi.core.blueprint import Blueprint
from blogapi.openapi.document import Api

bp = Blueprint("openapi", __name__, description="This document")


@bp.get("/openapi.json")
@allow(anyone)
@bp.response(200, {"type": "object"})
def document() -> Response:
    """Show this document."""
    api: Api = current_app.extensions["blogapi-api"]
    return wire.answer(api.document)
