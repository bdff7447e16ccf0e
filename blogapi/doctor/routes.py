"""The endpoints of the quick checks."""

from __future__ import annotations

from blogapi.doctor import health_checks
from blogapi.doctor.health_checks import Report
from blogapi.doctor.schemas import ReportSchema
from blogapi.storage.database import end_read
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint

bp = Blueprint("doctor", __name__, url_prefix="/api/v1/doctor", description="Checks of the blog")


@bp.get("/")
@allow(admin_login)
@bp.response(200, ReportSchema())
def single() -> Report:
    """Return the results of the last checks since the server started, if there are any."""
    return health_checks.get_report()


@bp.post("/")
@allow(admin_login)
@bp.response(200, ReportSchema(), may_conflict=True)
def run() -> Report:
    """Run quick checks of the blog and return their results.

    The command `doctor` checks more, and repairs.
    """
    end_read()
    return health_checks.make_report()
