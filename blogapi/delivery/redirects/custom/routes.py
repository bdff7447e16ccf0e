"""The endpoints of custom redirects."""

from __future__ import annotations

from uuid import UUID

from blogapi.delivery.redirects.custom import service
from blogapi.delivery.redirects.custom.schemas import (
    CustomRedirectBodySchema,
    CustomRedirectListQuery,
    CustomRedirectSchema,
)
from blogapi.delivery.redirects.custom.service import CustomRedirect
from blogapi.web.access import admin, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields
from blogapi.web.pagination import Query
from blogapi.web.representation import PartialResult, Representation

bp = Blueprint(
    "custom_redirects",
    __name__,
    url_prefix="/api/v1/blog/redirects/own",
    description="Custom redirects",
    resource="custom_redirects",
)

REPRESENTATION = Representation(
    service.get_redirect,
    CustomRedirectSchema(),
    lambda: service.list_custom_redirects(None).rows,
    CustomRedirectSchema(many=True),
)


@bp.get("/")
@allow(admin)
@bp.arguments(CustomRedirectListQuery, location="query")
@bp.response(200, CustomRedirectSchema(many=True))
def listed(query: Query) -> PartialResult:
    """List the redirects that admins have created, sorted by path."""
    return PartialResult(service.list_custom_redirects(query.page, **query.filters), query)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(CustomRedirectBodySchema)
@bp.write(201, CustomRedirectSchema(), REPRESENTATION)
def create(fields: Fields) -> CustomRedirect:
    """Create a redirect from a path to a path or an address, or to nothing: with 410, the page is gone.

    A redirect that leads back to its own path, also through other redirects, is refused.
    """
    return service.create_redirect(fields)


@bp.get("/<id:id>/")
@allow(admin)
@bp.response(200, CustomRedirectSchema())
def single(id: UUID) -> CustomRedirect:
    """Show a redirect."""
    return service.get_redirect(id)


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(service.get_redirect)
@bp.arguments(CustomRedirectBodySchema(partial=True))
@bp.write(200, CustomRedirectSchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> CustomRedirect:
    """Change a redirect."""
    return service.change_redirect(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(service.get_redirect)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a redirect."""
    service.delete_redirect(id)
