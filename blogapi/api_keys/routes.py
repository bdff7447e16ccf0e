"""API keys over HTTP."""

from __future__ import annotations

from uuid import UUID

from flask import current_app

from blogapi.api_keys import queries, rules, service
from blogapi.api_keys.models import ApiKey
from blogapi.api_keys.schemas import (
    CreatedKeySchema,
    KeyChangesSchema,
    KeyFieldsSchema,
    KeyListQuery,
    KeyQuery,
    KeySchema,
    KeySettingsSchema,
    NewKeySchema,
    RotationSchema,
)
from blogapi.core import limits
from blogapi.core.access import allow, caller, first, guest, reader
from blogapi.core.blueprint import Blueprint, Representation, Trim
from blogapi.core.errors import Forbidden
from blogapi.core.paging import Query
from blogapi.core.schema import Fields, Seen

bp = Blueprint("api_keys", __name__, url_prefix="/api/v1/auth/api-key", description="API keys")


SHOWN = Representation(
    lambda id: queries.visible(id, caller()),
    KeySchema(),
    lambda: queries.listed(caller(), None).rows,
    KeySchema(many=True),
)


def _visible(id: UUID) -> ApiKey:
    return queries.visible(id, caller())


def _deletable(id: UUID) -> ApiKey:
    return service.deletable(caller(), id)


def _may_create() -> None:
    rules.may_create(current_app.config["KEY_CREATION"], caller())


def _count() -> None:
    limits.count(("KEY_LIMIT", limits.sender()))


@bp.post("/")
@allow(guest)
@first(_may_create)
@bp.arguments(NewKeySchema, required=False)
@bp.response(201, CreatedKeySchema(), section="4.1")
def create(fields: Fields) -> Seen:
    """Create a key: without a user an anonymous one, which reads published content, as a web page does.

    A login, or a user's key of scope `read` or `write`, makes a key of that user. An anonymous key that is
    not used within a day ends.
    """
    _count()
    if caller().user is None:
        if fields:
            raise Forbidden("Only a user may name, date or scope a key; log in, or send no body.")
        return service.lend()
    return service.create(caller(), **fields)


@bp.get("/")
@allow(reader)
@bp.arguments(KeyListQuery, location="query")
@bp.response(200, KeySchema(many=True), trimmed=KeyFieldsSchema)
def listed(query: Query) -> Trim:
    """List the caller's own keys that still live; an admin's: all."""
    if query.filters and not caller().is_admin:
        raise Forbidden("Only an admin may look for the keys of others.")
    return Trim(queries.listed(caller(), query.window, **query.filters), query)


@bp.get("/<id:id>/")
@allow(reader)
@bp.arguments(KeyQuery, location="query")
@bp.response(200, KeySchema(), trimmed=KeyFieldsSchema)
def single(query: Query, id: UUID) -> Trim:
    """Show a key, without its value."""
    return Trim(queries.visible(id, caller()), query)


@bp.patch("/<id:id>/")
@allow(reader, scope="write")
@bp.item(_visible)
@bp.arguments(KeyChangesSchema)
@bp.write(200, KeySchema(), SHOWN)
def change(changes: Fields, id: UUID) -> ApiKey:
    """Change the name or the expiry of a key."""
    return service.change(caller(), id, changes)


@bp.put("/<id:id>/")
@allow(reader, scope="write")
@bp.item(_visible)
@bp.arguments(KeySettingsSchema)
@bp.write(200, KeySchema(), SHOWN)
def replace(settings: Fields, id: UUID) -> ApiKey:
    """Set the name and the expiry of a key."""
    return service.change(caller(), id, settings)


@bp.delete("/<id:id>/")
@allow(reader, scope="published")
@bp.item(_deletable)
@bp.write(204, None, SHOWN, section="4.2")
def delete(id: UUID) -> None:
    """Delete a key; it is dead for the next request.

    An anonymous key ends any anonymous key whose uuid it is given, a `read` key itself. A `write` key and a
    login end the keys of their user, an admin's all.
    """
    service.delete(caller(), id)


@bp.post("/<id:id>/rotate/")
@allow(reader, scope="write")
@bp.item(_visible)
@bp.arguments(RotationSchema, required=False)
@bp.response(201, CreatedKeySchema())
def rotate(fields: Fields, id: UUID) -> Seen:
    """Give the key a successor; the old one ends after the overlap."""
    _count()
    return service.rotate(caller(), id, **fields)
