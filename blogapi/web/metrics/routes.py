"""The metrics endpoint, for a Prometheus server that sends an admin's API key.

Only admins may use it, because the numbers of requests can reveal drafts and the behaviour of visitors.
"""

from __future__ import annotations

from flask import Blueprint, Response, current_app

from blogapi.web.access import admin, allow
from blogapi.web.errors import NotFound
from blogapi.web.metrics import exposition

bp = Blueprint("metrics", __name__, url_prefix="/metrics")


@bp.get("/")
@allow(admin)
def show_metrics() -> Response:
    """Return the metrics of the blog and of the process that serves the request."""
    metrics = exposition.get_metrics(current_app)
    if metrics is None:
        raise NotFound("Metrics are off; turn on the METRICS setting.")
    return Response(metrics.render(), content_type=exposition.CONTENT_TYPE)
