"""The endpoints of API keys."""

from __future__ import annotations

from uuid import UUID

from flask import current_app

from blogapi.accounts.api_keys import permissions, queries, service
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.api_keys.schemas import (
    KeyBodySchema,
    KeyListQuery,
    KeySchema,
    KeySettingsSchema,
    KeyWithSecretSchema,
    RotationSchema,
)
from blogapi.web.access import allow, check_before_body, current_caller, guest, reader
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Forbidden
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.pagination import DetailQuery, Query
from blogapi.web.rate_limits import limiter
from blogapi.web.representation import PartialResult, Representation

bp = Blueprint("api_keys", __name__, url_prefix="/api/v1/auth/api-key", description="API keys")


def _get_visible_key(id: UUID, names: object = None) -> ApiKey:
    return queries.get_visible_key(id, current_caller())


REPRESENTATION = Representation(
    _get_visible_key,
    KeySchema(),
    lambda: queries.list_keys(current_caller(), None).rows,
    KeySchema(many=True),
    get_fields=_get_visible_key,
    fields_schema=KeySchema,
)


def _count_key_creation() -> None:
    limiter.count_attempts(("KEY_LIMIT", limiter.get_client_address_key()))


@bp.post("/")
@allow(guest)
@check_before_body(
    lambda: permissions.check_key_creation(current_app.config["KEY_CREATION"], current_caller())
)
@bp.arguments(KeyBodySchema, required=False)
@bp.response(201, KeyWithSecretSchema(), section="4.1")
def create(fields: Fields) -> WithAttributes:
    """Create an API key for the current user, or an anonymous key if there is no user.

    A request with a login, or with a user's key of scope `read` or `write`, creates a key of that user. A
    request without a user creates an anonymous key, which can read published content and expires unless it
    is used within a day.
    """
    _count_key_creation()
    if current_caller().user is None:
        if fields:
            raise Forbidden(
                "Only a user may set the name, expiry or scopes of a key; log in, or send no body."
            )
        return service.create_anonymous_key()
    return service.create_key(current_caller(), **fields)


@bp.get("/")
@allow(reader)
@bp.response(200, KeySchema(many=True), partial_schema=KeySchema, query=KeyListQuery)
def listed(query: Query) -> PartialResult:
    """List the API keys of the caller (all keys for an admin) that have not expired."""
    if query.filters and not current_caller().is_admin:
        raise Forbidden("Only an admin may filter the list of keys; omit `user` and `ownerless`.")
    return PartialResult(queries.list_keys(current_caller(), query.page, **query.filters), query)


@bp.get("/<id:id>/")
@allow(reader)
@bp.response(200, KeySchema(), partial_schema=KeySchema, query=DetailQuery)
def single(query: Query, id: UUID) -> PartialResult:
    """Show an API key without its value."""
    return PartialResult(_get_visible_key(id), query)


@bp.patch("/<id:id>/")
@allow(reader, scope="write")
@bp.check_exists(_get_visible_key)
@bp.arguments(KeySettingsSchema(partial=True))
@bp.write(200, KeySchema(), REPRESENTATION)
def change(changes: Fields, id: UUID) -> ApiKey:
    """Change the name or the expiry of an API key."""
    return service.change_key(current_caller(), id, changes)


@bp.put("/<id:id>/")
@allow(reader, scope="write")
@bp.check_exists(_get_visible_key)
@bp.arguments(KeySettingsSchema)
@bp.write(200, KeySchema(), REPRESENTATION)
def replace(settings: Fields, id: UUID) -> ApiKey:
    """Replace the name and the expiry of an API key."""
    return service.change_key(current_caller(), id, settings)


@bp.delete("/<id:id>/")
@allow(reader, scope="published")
@bp.check_exists(lambda id: service.get_deletable_key(current_caller(), id))
@bp.write(204, None, REPRESENTATION, section="4.2")
def delete(id: UUID) -> None:
    """Delete an API key; the next request with it is refused.

    A caller with an anonymous key may delete any anonymous key whose uuid they know. A key of scope `read`
    may delete only itself. With a login or a key of scope `write`, a user may delete any of their own keys,
    and an admin any key.
    """
    service.delete_key(current_caller(), id)


@bp.post("/<id:id>/rotate/")
@allow(reader, scope="write")
@bp.check_exists(_get_visible_key)
@bp.arguments(RotationSchema, required=False)
@bp.response(201, KeyWithSecretSchema())
def rotate(fields: Fields, id: UUID) -> WithAttributes:
    """Rotate an API key: create a successor, and let the old key expire after the overlap."""
    _count_key_creation()
    return service.rotate_key(current_caller(), id, **fields)
