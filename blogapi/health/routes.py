"""The health check, for supervisors and load balancers."""

from __future__ import annotations

import marshmallow as ma

from blogapi.health import queries
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Unavailable
from blogapi.web.fields import OutputSchema

bp = Blueprint("health", __name__, url_prefix="/health", description="The state of the service")


class HealthSchema(OutputSchema):
    """The status of a healthy service."""

    status = ma.fields.String(metadata={"enum": ["ok"]})


@bp.get("/")
@allow(anyone)
@bp.response(200, HealthSchema())
def check() -> dict[str, str]:
    """Return `ok`, or 503 with the problem as the error's `code`."""
    problem = queries.find_problem()
    if problem is not None:
        raise Unavailable(queries.DETAILS[problem], code=problem)
    return {"status": "ok"}
