"""References to other items in request bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi.parsing import parse_uuid
from blogapi.rendering import slugs
from blogapi.web.fields import Identifier, Schema, Text

SEND_REFERENCE = 'Send the slug or the uuid of an item, as in {"slug": "kitchen"} or "kitchen".'


def parse_reference(value: Any) -> UUID | str:
    """Return the uuid or the slug in a reference; raises ValidationError for any other value."""
    # A uuid takes precedence over a slug, which may have changed since the client read it.
    members = value if isinstance(value, Mapping) else {}
    member = next((name for name in ("uuid", "slug") if name in members), "")
    text = members.get(member, value)
    if isinstance(text, str):
        if member != "slug" and (uuid := parse_uuid(text)):
            return uuid
        if member != "uuid" and slugs.is_slug(text):
            return text
    raise ma.ValidationError({member: [SEND_REFERENCE]} if member else SEND_REFERENCE)


class Reference(ma.fields.Field[UUID | str]):
    """A reference to another item: its uuid or slug as a string, or an object with `uuid` or `slug`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> UUID | str:
        return parse_reference(value)


class ReferenceSchema(Schema):
    """A reference to another item by its `uuid` or its `slug`; other members are ignored."""

    uuid = Identifier()
    slug = Text(max_length=slugs.MAX_SLUG_LENGTH, min_length=1)
