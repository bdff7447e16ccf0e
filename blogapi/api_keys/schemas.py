"""Wire shapes of API keys."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.api_keys import policy
from blogapi.web.access import SCOPES
from blogapi.web.fields import (
    FieldNames,
    Identifier,
    InputSchema,
    OutputSchema,
    PartialOutputSchema,
    StrictInteger,
    Text,
    Timestamp,
)
from blogapi.web.pagination import DetailQuery, ListQuery

MAX_OVERLAP_SECONDS = 30 * 24 * 3600


def _name(**options: Any) -> Text:
    return Text(
        max_length=policy.MAX_NAME_LENGTH,
        metadata={"description": "To tell keys apart.", "example": "front end"},
        **options,
    )


def _distinct(scopes: list[str]) -> None:
    if len({*scopes}) < len(scopes):
        raise ma.ValidationError("Name each scope once.")


class CreatedKeySchema(OutputSchema):
    """A new key (2.1); its value is shown this once."""

    public_state = ma.fields.String(
        attribute="value",
        metadata={
            "description": "The key: send it as X-API-KEY. It is not shown again.",
            "pattern": "^blogapi_[0-9A-Za-z]{38}$",
            "example": "blogapi_7Qm2XbN4kT9sVd1LwRj6HzYc3GpFa8Ue0sZKiB",
        },
    )
    uuid = Identifier()
    created = Timestamp(aware=True, dump_only=True)


class _KeyFields(ma.Schema):
    uuid = Identifier()
    name = ma.fields.String()
    prefix = ma.fields.String(metadata={"description": "How the key's value begins."})
    scopes = ma.fields.List(ma.fields.String(metadata={"enum": [*SCOPES]}), attribute="scopes_in_order")
    user = Identifier(attribute="owner_id", allow_none=True, metadata={"description": "Null: anonymous."})
    created = Timestamp(aware=True, dump_only=True)
    expires = Timestamp(allow_none=True, dump_only=True)
    last_used = Timestamp(
        allow_none=True, dump_only=True, metadata={"description": "Written at most once an hour."}
    )


class KeySchema(_KeyFields, OutputSchema):
    """A key without its value."""


class KeyFieldsSchema(_KeyFields, PartialOutputSchema):
    """A key without its value, in the fields asked for."""


class NewKeySchema(InputSchema):
    """What an identified user may say of a new key."""

    name = _name()
    expires = Timestamp(allow_none=True, metadata={"example": "2030-01-01T00:00:00Z"})
    scopes = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(SCOPES)),
        validate=[validate.Length(min=1, max=len(SCOPES)), _distinct],
        metadata={
            "description": (
                "`published`: published content only, for a web page; `read`: also what only its user may "
                "read; `write`: also to change it. Each includes the one before. `read` where absent; never "
                "wider than the maker's."
            ),
            "uniqueItems": True,
        },
    )


_READ_ONLY = frozenset({"uuid", "prefix", "scopes", "user", "created", "last_used"})


class KeySettingsSchema(InputSchema):
    """What a key is set to by PUT."""

    read_only = _READ_ONLY

    name = _name(load_default="")
    expires = Timestamp(load_default=None, allow_none=True, metadata={"example": "2030-01-01T00:00:00Z"})


class KeyChangesSchema(InputSchema):
    """What PATCH changes of a key."""

    read_only = _READ_ONLY

    name = _name()
    expires = Timestamp(allow_none=True, metadata={"example": "2030-01-01T00:00:00Z"})


class RotationSchema(InputSchema):
    """How a key is succeeded."""

    overlap_seconds = StrictInteger(
        minimum=0,
        maximum=MAX_OVERLAP_SECONDS,
        load_default=0,
        metadata={"description": "How long the old key goes on, in seconds.", "example": 3600},
    )


class KeyQuery(DetailQuery):
    """The query string of one key."""

    fields_ = FieldNames(KeyFieldsSchema)


class KeyListQuery(ListQuery):
    """The query string of the list of keys."""

    fields_ = FieldNames(KeyFieldsSchema)
    user = Identifier(metadata={"description": "Keys of this user (admins)."})
    ownerless = ma.fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Only anonymous keys, or only owned (admins)."},
    )
