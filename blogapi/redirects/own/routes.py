"""The endpoints of the redirects that an admin sets."""

from __future__ import annotations

from uuid import UUID

from blogapi.redirects.own import queries, service
from blogapi.redirects.own.models import OwnRedirect
from blogapi.redirects.own.schemas import (
    OwnRedirectBodySchema,
    OwnRedirectListQuery,
    OwnRedirectSchema,
)
from blogapi.web.access import admin, allow
from blogapi.web.blueprint import Blueprint, PartialResult, Representation
from blogapi.web.fields import Fields
from blogapi.web.pagination import Query

bp = Blueprint(
    "own_redirects",
    __name__,
    url_prefix="/api/v1/blog/redirects/own",
    description="Redirects of your own",
    resource="custom_redirects",
)

REPRESENTATION = Representation(
    queries.get_by_uuid,
    OwnRedirectSchema(),
    lambda: queries.list_own(None).rows,
    OwnRedirectSchema(many=True),
)


@bp.get("/")
@allow(admin)
@bp.arguments(OwnRedirectListQuery, location="query")
@bp.response(200, OwnRedirectSchema(many=True))
def listed(query: Query) -> PartialResult:
    """List the redirects that admins have set, by path."""
    return PartialResult(queries.list_own(query.page, **query.filters), query)


@bp.post("/")
@allow(admin, scope="write")
@bp.arguments(OwnRedirectBodySchema)
@bp.write(201, OwnRedirectSchema(), REPRESENTATION)
def create(fields: Fields) -> OwnRedirect:
    """Create a redirect from a path to a path or an address, or to nothing: with 410, the page is gone.

    A redirect that leads back to its own path, also over other redirects, is refused.
    """
    return service.create(fields)


@bp.get("/<id:id>/")
@allow(admin)
@bp.response(200, OwnRedirectSchema())
def single(id: UUID) -> OwnRedirect:
    """Show a redirect."""
    return queries.get_by_uuid(id)


@bp.patch("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(queries.get_by_uuid)
@bp.arguments(OwnRedirectBodySchema(partial=True))
@bp.write(200, OwnRedirectSchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> OwnRedirect:
    """Change a redirect."""
    return service.change(id, fields)


@bp.delete("/<id:id>/")
@allow(admin, scope="write")
@bp.check_exists(queries.get_by_uuid)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a redirect."""
    service.delete(id)
