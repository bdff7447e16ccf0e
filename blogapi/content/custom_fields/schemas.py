"""Request and response bodies of the definitions of custom fields."""

from __future__ import annotations

import json
import sys
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.content.custom_fields.models import MAX_NAME_LENGTH, FieldType
from blogapi.publication.kinds import CONTENT_KINDS
from blogapi.web.fields import (
    BoundedList,
    Fields,
    Identifier,
    InputSchema,
    OutputSchema,
    StrictBoolean,
    StrictInteger,
    Text,
    Timestamp,
)

MAX_CHOICES, MAX_POSITION = 200, 100_000
KINDS = CONTENT_KINDS
READERS = ("everyone", "admins")

_TYPES = [kind.value for kind in FieldType]
# Without the lookahead, Python's `$` would accept a line break at the end; JavaScript's `$` would not.
_NAME_PATTERN = r"^[a-z][a-z0-9_]*(?!\n)$"


class _LimitField(ma.fields.Float):
    """The minimum or the maximum of a number, or null for no limit."""

    def __init__(self, description: str) -> None:
        super().__init__(
            allow_none=True, allow_nan=False, metadata={"description": description, "example": None}
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= sys.float_info.max:
            raise ma.ValidationError("Not a valid number.")
        return float(value)


class FieldBodySchema(InputSchema):
    """The definition of a custom field as a client writes it."""

    read_only = frozenset({"uuid", "created", "last_updated", "used_in", "unfit_in"})

    name = Text(
        max_length=MAX_NAME_LENGTH,
        required=True,
        validate=validate.Regexp(
            _NAME_PATTERN, error="Use small letters, digits and underscores; begin with a letter."
        ),
        metadata={
            "description": "The name in the API, in filters and in imports. It cannot change.",
            "example": "rating",
        },
    )
    label = Text(max_length=100, required=True, metadata={"example": "Rating"})
    help = Text(max_length=500, metadata={"example": "How gladly you would do it again"})
    type = ma.fields.String(required=True, validate=validate.OneOf(_TYPES), metadata={"example": "number"})
    list = StrictBoolean(
        attribute="is_list",
        metadata={"description": "Whether an article can have several values, as a list.", "example": False},
    )
    choices = BoundedList(
        Text(max_length=200, min_length=1),
        max_items=MAX_CHOICES,
        metadata={"description": "The values of a `choice`.", "example": []},
    )
    minimum = _LimitField("The least value of a `number`.")
    maximum = _LimitField("The greatest value of a `number`.")
    required = StrictBoolean(
        attribute="is_required",
        metadata={
            "description": "Whether an article needs a value to be published. Published articles stay "
            "public.",
            "example": False,
        },
    )
    read_by = ma.fields.String(
        validate=validate.OneOf(READERS),
        metadata={"description": "Who can read the values.", "example": "everyone"},
    )
    searched = StrictBoolean(
        attribute="is_searched",
        metadata={"description": "Whether searches find the words of the values.", "example": False},
    )
    kinds = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(KINDS)),
        validate=validate.Length(min=1, error="Name at least one kind."),
        metadata={"description": "The kinds of items that have the field.", "example": ["article"]},
    )
    position = StrictInteger(
        minimum=0, maximum=MAX_POSITION, metadata={"description": "Order in the panel Details.", "example": 1}
    )

    @ma.post_load
    def make_columns(self, data: Fields, **_: Any) -> Fields:
        """Return the fields of the body as columns of the definition."""
        if "choices" in data:
            data["choices"] = json.dumps(list(dict.fromkeys(data["choices"])), ensure_ascii=False)
        if "kinds" in data:
            kinds = data.pop("kinds")
            data |= {"for_articles": "article" in kinds, "for_pages": "page" in kinds}
        if "read_by" in data:
            data["is_admin_only"] = data.pop("read_by") == "admins"
        return data


class FieldSchema(OutputSchema):
    """The definition of a custom field."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "rating"})
    label = ma.fields.String(metadata={"example": "Rating"})
    help = ma.fields.String()
    type = ma.fields.String(metadata={"enum": _TYPES})
    list = ma.fields.Boolean(attribute="is_list")
    choices = ma.fields.List(ma.fields.String(), attribute="options")
    minimum = ma.fields.Float(allow_none=True)
    maximum = ma.fields.Float(allow_none=True)
    required = ma.fields.Boolean(attribute="is_required")
    read_by = ma.fields.Function(
        lambda field: READERS[field.is_admin_only], metadata={"type": "string", "enum": [*READERS]}
    )
    searched = ma.fields.Boolean(attribute="is_searched")
    kinds = ma.fields.List(ma.fields.String(metadata={"enum": [*KINDS]}))
    position = ma.fields.Integer()
    used_in = ma.fields.Integer(
        metadata={"description": "The number of articles and pages that have a value, in any status."}
    )
    unfit_in = ma.fields.Integer(
        metadata={
            "description": "The number of articles and pages whose value does not fit. Such a value is kept, "
            "but not shown."
        }
    )
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
