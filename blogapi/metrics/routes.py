"""The metrics endpoint, for a Prometheus server that uses an admin's key.

Only admins may use this endpoint, because the number of requests for a path can reveal drafts and visitors.
"""

from __future__ import annotations

from flask import Blueprint, Response

from blogapi.metrics import exposition
from blogapi.web.access import admin, allow
from blogapi.web.errors import NotFound

bp = Blueprint("metrics", __name__, url_prefix="/metrics")


@bp.get("/")
@allow(admin)
def show_metrics() -> Response:
    """Return the metrics of the process that serves the request."""
    metrics = exposition.render_metrics()
    if metrics is None:
        raise NotFound("Metrics are off; turn on the METRICS setting.")
    return Response(metrics, content_type=exposition.CONTENT_TYPE)
