"""The endpoints of the quick checks."""

from __future__ import annotations

import marshmallow as ma

from blogapi.operations.doctor import quick_checks
from blogapi.operations.doctor.findings import Level
from blogapi.operations.doctor.quick_checks import QuickCheckReport
from blogapi.storage.database import end_read
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import OutputSchema, Timestamp

bp = Blueprint("doctor", __name__, url_prefix="/api/v1/doctor", description="Checks of the blog")


class FindingSchema(OutputSchema):
    """The result of one check."""

    check = ma.fields.String(metadata={"example": "backup"})
    level = ma.fields.Enum(
        Level,
        by_value=True,
        metadata={"type": "string", "enum": [Level.OK.value, Level.HINT.value, Level.WRONG.value]},
    )
    title = ma.fields.String(metadata={"example": "Backup made"})
    detail = ma.fields.String(metadata={"example": "31 Jan 2026, 03:00. 7 backups kept."})
    link = ma.fields.String(
        allow_none=True,
        metadata={"description": "The admin page that solves the problem.", "example": "/admin/backups/"},
    )


class ReportSchema(OutputSchema):
    """The results of the checks, the most serious first."""

    checked = Timestamp(
        dump_only=True,
        allow_none=True,
        metadata={"description": "When the checks ran, or null if they have not run since the start."},
    )
    findings = ma.fields.List(ma.fields.Nested(FindingSchema))


@bp.get("/")
@allow(admin_login)
@bp.response(200, ReportSchema())
def single() -> QuickCheckReport:
    """Return the results of the last checks since the server started, if there are any."""
    return quick_checks.get_last_report()


@bp.post("/")
@allow(admin_login)
@bp.response(200, ReportSchema())
def run() -> QuickCheckReport:
    """Run quick checks of the blog and return their results.

    The command `doctor` runs more checks and can repair problems.
    """
    end_read()
    return quick_checks.update_last_report()
