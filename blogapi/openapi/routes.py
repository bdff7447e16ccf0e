"""The document of the API over HTTP."""

from __future__ import annotations

from flask import Flask, Response, current_app

from blogapi.core import wire
from blogapi.core.access import allow, anyone
from blogapi.core.blueprint import Blueprint
from blogapi.openapi import document as description

bp = Blueprint("openapi", __name__, description="This document")


@bp.get("/openapi.json")
@allow(anyone)
@bp.response(200, {"type": "object"})
def document() -> Response:
    """Show this document."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return wire.answer(wire.dumps(description.of(app)))
