"""The health check, for supervisors and load balancers."""

from __future__ import annotations

from blogapi.core.access import allow, anyone
from blogapi.core.blueprint import Blueprint
from blogapi.core.errors import Unavailable
from blogapi.health import queries
from blogapi.health.schemas import HealthSchema

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
