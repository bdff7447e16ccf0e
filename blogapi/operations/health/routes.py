"""The health check, for supervisors and load balancers."""

from __future__ import annotations

from pathlib import Path

import marshmallow as ma
from flask import current_app

from blogapi.delivery.webhooks.queries import list_delayed
from blogapi.operations.backups.status import read_status
from blogapi.operations.health import queries
from blogapi.web.access import allow, anyone
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Unavailable
from blogapi.web.fields import Fields, OmitsNull, OutputSchema

WEBHOOKS_WAIT, BACKUP_LATE = "webhooks_wait", "backup_late"

bp = Blueprint("health", __name__, url_prefix="/health", description="The state of the service")


class HealthSchema(OmitsNull, OutputSchema):
    """The status of a healthy service."""

    omitted_if_null = frozenset({"warnings"})

    status = ma.fields.String(metadata={"enum": ["ok"]})
    warnings = ma.fields.List(
        ma.fields.String(metadata={"enum": [WEBHOOKS_WAIT, BACKUP_LATE]}),
        metadata={
            "description": "Problems that an admin should solve, although requests are answered. "
            f"`{WEBHOOKS_WAIT}`: calls of webhooks that are due have waited for five minutes. "
            f"`{BACKUP_LATE}`: there has been no good backup for 36 hours. Absent if there are none."
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
    warnings = [WEBHOOKS_WAIT] if list_delayed() else []
    if read_status(Path(current_app.instance_path)).is_late(current_app.config["DAILY_BACKUPS"]):
        warnings.append(BACKUP_LATE)
    return {"status": "ok", "warnings": warnings or None}
