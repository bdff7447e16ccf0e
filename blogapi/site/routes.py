"""The endpoints of the site."""

from __future__ import annotations

from typing import cast

from blogapi.publication.shared_caching import declare_shown_kinds
from blogapi.site import queries, service
from blogapi.site.addresses import localize_site
from blogapi.site.heads import FIRST_PAGE, PageNumber, make_site_head
from blogapi.site.models import Site
from blogapi.site.schemas import SiteChangesSchema, SiteFieldsSchema, SiteQuery, SiteSchema
from blogapi.web.access import admin_login, allow, current_caller, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.pagination import Query
from blogapi.web.representation import PartialResult, Representation

bp = Blueprint("site", __name__, url_prefix="/api/v1/blog/site", description="The site of the blog")


def _read_site() -> Site | WithAttributes:
    """Return the site with only the fields that the caller may see."""
    site = queries.get_site()
    return site if current_caller().sees_admin_fields else WithAttributes(site, built_in=None, mcp=None)


REPRESENTATION = Representation(lambda uuid: _read_site(), SiteSchema(), _read_site, SiteSchema())


@bp.get("/")
@allow(reader, scope="published")
@bp.response(200, SiteSchema(), partial_schema=SiteFieldsSchema, query=SiteQuery, cacheable=True)
@declare_shown_kinds()
def single(query: Query) -> PartialResult:
    """Return the site: its title, its addresses and its navigation."""
    site = localize_site(cast(Site, _read_site()), query.filters.get("language", ""))
    names, added = query.fields or (), Fields()
    if not {"logo_width", "logo_height"}.isdisjoint(names):
        added["logo_width"], added["logo_height"] = queries.find_logo_size(site) or (None, None)
    if "head" in names:
        added["head"] = make_site_head(site, page=PageNumber(query.page.number) if query.page else FIRST_PAGE)
    return PartialResult(WithAttributes(site, **added), query)


@bp.patch("/")
@allow(admin_login, scope="write")
@bp.arguments(SiteChangesSchema)
@bp.write(200, SiteSchema(), REPRESENTATION, prepare_write=service.prerender_articles)
def change(fields: Fields) -> Site:
    """Change the given fields of the site."""
    return service.change_site(fields)
