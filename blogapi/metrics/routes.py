"""The figures, for a Prometheus that asks with an admin's key.

For admins: which paths are asked how often tells of drafts and of visitors.
"""

from __future__ import annotations

from flask import Blueprint, Response

from blogapi.metrics import exposition
from blogapi.web.access import admin, allow
from blogapi.web.errors import NotFound

bp = Blueprint("metrics", __name__, url_prefix="/metrics")


@bp.get("/")
@allow(admin)
def page() -> Response:
    """Show the figures."""
    shown = exposition.render_metrics()
    if shown is None:
        raise NotFound("The metrics are off; the setting METRICS turns them on.")
    return Response(shown, content_type=exposition.CONTENT_TYPE)
