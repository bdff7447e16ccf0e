"""The figures, for a Prometheus that asks with an admin's key.

For admins: which paths are asked how often tells of drafts and of visitors.
"""

from __future__ import annotations

from flask import Blueprint, Response

from blogapi.core.access import admin, allow
from blogapi.core.errors import NotFound
from blogapi.metrics import queries

bp = Blueprint("metrics", __name__, url_prefix="/metrics")


@bp.get("/")
@allow(admin)
def page() -> Response:
    """Show the figures."""
    shown = queries.exposition()
    if shown is None:
        raise NotFound("The metrics are off; the setting METRICS turns them on.")
    return Response(shown, content_type=queries.CONTENT_TYPE)
