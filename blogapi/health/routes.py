"""The health check, for supervisors and load balancers."""

from __future__ import annotations

from blogapi.health import queries
from blogapi.health.schemas import HealthSchema
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Unavailable

bp = Blueprint("health", __name__, url_prefix="/health", description="Whether the service works")


@bp.get("/")
@allow(anyone)
@bp.response(200, HealthSchema())
def check() -> dict[str, str]:
    """Say `ok`, or 503 with what is wrong as the code."""
    word = queries.trouble()
    if word is not None:
        raise Unavailable(queries.SENTENCES[word], code=word)
    return {"status": "ok"}
