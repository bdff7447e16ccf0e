"""Request and response bodies of API keys."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.api_keys import permissions
from blogapi.web.access import SCOPES
from blogapi.web.fields import (
    Identifier,
    InputSchema,
    OutputSchema,
    StrictInteger,
    Text,
    TextBoolean,
    Timestamp,
)
from blogapi.web.pagination import ListQuery

MAX_ROTATION_OVERLAP_SECONDS = 30 * 24 * 3600


def _make_name_field(**options: Any) -> Text:
    return Text(
        max_length=permissions.MAX_KEY_NAME_LENGTH,
        metadata={"description": "A label for the key.", "example": "front end"},
        **options,
    )


def _check_distinct_scopes(scopes: list[str]) -> None:
    if len({*scopes}) < len(scopes):
        raise ma.ValidationError("Must not contain a scope twice.")


class KeyWithSecretSchema(OutputSchema):
    """A new key; only this response contains the value of the key."""

    public_state = ma.fields.String(
        attribute="value",
        metadata={
            "description": "The value of the key, for the X-API-KEY header. It is not shown again.",
            "pattern": "^blogapi_[0-9A-Za-z]{38}$",
            "example": "blogapi_7Qm2XbN4kT9sVd1LwRj6HzYc3GpFa8Ue0sZKiB",
        },
    )
    uuid = Identifier()
    created = Timestamp(dump_only=True)


class KeySchema(OutputSchema):
    """A key without its value."""

    uuid = Identifier()
    name = ma.fields.String()
    prefix = ma.fields.String(metadata={"description": "The first characters of the key's value."})
    scopes = ma.fields.List(ma.fields.String(metadata={"enum": [*SCOPES]}))
    user = Identifier(
        attribute="owner_id",
        allow_none=True,
        metadata={"description": "The owner; null for an anonymous key."},
    )
    created = Timestamp(dump_only=True)
    expires = Timestamp(allow_none=True, dump_only=True)
    last_used = Timestamp(
        allow_none=True, dump_only=True, metadata={"description": "Updated at most once an hour."}
    )


class KeyBodySchema(InputSchema):
    """The settings of a new key; only users may send them."""

    name = _make_name_field()
    expires = Timestamp(allow_none=True, metadata={"example": "2030-01-01T00:00:00Z"})
    scopes = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(SCOPES)),
        validate=[validate.Length(min=1, max=len(SCOPES)), _check_distinct_scopes],
        metadata={
            "description": (
                "`published` allows reading published content, for example in a web page. `read` allows "
                "reading everything that the owner may read. `drafts` also allows writing drafts, edits and "
                "files, but changes nothing that readers see. `write` allows reading and writing. Default: "
                "`read`. You cannot create a key of a wider scope than your own."
            ),
            "uniqueItems": True,
        },
    )


class KeySettingsSchema(InputSchema):
    """The name and the expiry of a key; a PUT sets an omitted field to its default value."""

    read_only = frozenset({"uuid", "prefix", "scopes", "user", "created", "last_used"})

    name = _make_name_field(load_default="")
    expires = Timestamp(load_default=None, allow_none=True, metadata={"example": "2030-01-01T00:00:00Z"})


class RotationSchema(InputSchema):
    """The overlap of a rotation."""

    overlap_seconds = StrictInteger(
        minimum=0,
        maximum=MAX_ROTATION_OVERLAP_SECONDS,
        load_default=0,
        metadata={"description": "Seconds for which the old key remains valid.", "example": 3600},
    )


class KeyListQuery(ListQuery):
    """The query parameters of a request for the list of keys."""

    user = Identifier(metadata={"description": "List only the keys of this user (for admins)."})
    ownerless = TextBoolean(
        metadata={
            "description": "`true` lists only anonymous keys, `false` only keys with an owner (for admins)."
        }
    )
