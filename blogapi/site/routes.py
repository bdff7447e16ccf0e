"""The endpoints of the site."""

from __future__ import annotations

from blogapi.publication.shared_caching import shows
from blogapi.site import queries, service
from blogapi.site.models import Site
from blogapi.site.schemas import SiteChangesSchema, SiteSchema
from blogapi.web.access import admin_login, allow, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields
from blogapi.web.representation import Representation

bp = Blueprint("site", __name__, url_prefix="/api/v1/blog/site", description="The site of the blog")

REPRESENTATION = Representation(lambda uuid: queries.get_site(), SiteSchema(), queries.get_site, SiteSchema())


@bp.get("/")
@allow(reader, scope="published")
@bp.response(200, SiteSchema(), cacheable=True)
@shows()
def single() -> Site:
    """Return the site: its title, its addresses and its navigation."""
    return queries.get_site()


@bp.patch("/")
@allow(admin_login, scope="write")
@bp.arguments(SiteChangesSchema)
@bp.write(200, SiteSchema(), REPRESENTATION)
def change(fields: Fields) -> Site:
    """Change the given fields of the site."""
    return service.change(fields)
