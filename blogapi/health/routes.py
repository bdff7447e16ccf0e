"""The health check, for supervisors and load balancers."""

from __future__ import annotations

import marshmallow as ma

from blogapi.health import queries
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Unavailable
from blogapi.web.fields import Fields, OmitsNull, OutputSchema
from blogapi.webhooks.queries import list_delayed

WEBHOOKS_WAIT = "webhooks_wait"

bp = Blueprint("health", __name__, url_prefix="/health", description="The state of the service")


class HealthSchema(OmitsNull, OutputSchema):
    """The status of a healthy service."""

    omitted_if_null = frozenset({"warnings"})

    status = ma.fields.String(metadata={"enum": ["ok"]})
    warnings = ma.fields.List(
        ma.fields.String(metadata={"enum": [WEBHOOKS_WAIT]}),
        metadata={
            "description": "Problems for an admin, although requests are answered: calls of webhooks that "
            "are due have waited for five minutes. Absent if there are none."
        },
    )


@bp.get("/")
@allow(anyone)
@bp.response(200, HealthSchema())
def check() -> Fields:
    """Return `ok`, or 503 with the problem, or `upgrading`, as the error's `code`."""
    problem = queries.find_problem()
    if problem is not None:
        raise Unavailable(queries.DETAILS[problem], code=problem)
    return {"status": "ok", "warnings": [WEBHOOKS_WAIT] if list_delayed() else None}
