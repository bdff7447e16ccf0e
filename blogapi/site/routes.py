"""The endpoints of the site."""

from __future__ import annotations

from blogapi.publication.shared_caching import shows
from blogapi.site import queries, service
from blogapi.site.models import Site
from blogapi.site.schemas import SiteChangesSchema, SiteSchema
from blogapi.web.access import admin_login, allow, current_caller, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.representation import Representation

bp = Blueprint("site", __name__, url_prefix="/api/v1/blog/site", description="The site of the blog")


def _get_shown() -> Site | WithAttributes:
    """Return the site as the caller may see it."""
    site = queries.get_site()
    return site if current_caller().sees_admin_fields else WithAttributes(site, built_in=None)


REPRESENTATION = Representation(lambda uuid: _get_shown(), SiteSchema(), _get_shown, SiteSchema())


@bp.get("/")
@allow(reader, scope="published")
@bp.response(200, SiteSchema(), cacheable=True)
@shows()
def single() -> Site | WithAttributes:
    """Return the site: its title, its addresses and its navigation."""
    return _get_shown()


@bp.patch("/")
@allow(admin_login, scope="write")
@bp.arguments(SiteChangesSchema)
@bp.write(200, SiteSchema(), REPRESENTATION)
def change(fields: Fields) -> Site:
    """Change the given fields of the site."""
    return service.change(fields)
