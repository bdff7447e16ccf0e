"""The health check, for supervisors and load balancers."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from blogapi.core.access import allow, anyone
from blogapi.core.blueprint import Blueprint
from blogapi.core.database import db
from blogapi.core.errors import Unavailable
from blogapi.health.schemas import HealthSchema

bp = Blueprint("health", __name__, url_prefix="/health", description="Whether the service works")


@bp.get("/")
@allow(anyone)
@bp.response(200, HealthSchema())
def check() -> dict[str, str]:
    """Say `ok`, or 503 with what is wrong as the code."""
    try:
        db.session.execute(text("SELECT 1 FROM article LIMIT 1"))
    except DBAPIError as error:
        raise Unavailable("The database does not answer.", code="database") from error
    return {"status": "ok"}
