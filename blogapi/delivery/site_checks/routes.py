"""The endpoint of the check of the site."""

from __future__ import annotations

from blogapi.delivery.site_checks.check import SiteCheck, check_site
from blogapi.delivery.site_checks.schemas import SiteCheckSchema
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint

bp = Blueprint(
    "site_checks",
    __name__,
    url_prefix="/api/v1/site-check",
    description="The check of the address of the site",
    resource="site",
)


@bp.post("/")
@allow(admin_login, scope="write")
@bp.response(200, SiteCheckSchema(), storable=False)
def check() -> SiteCheck:
    """Fetch the page at the address of the site and the feed that it names; nothing is stored.

    Only servers on the internet are fetched, or those that the setting WEBHOOK_HOSTS allows.
    """
    return check_site()
