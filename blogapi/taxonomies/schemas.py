"""Request and response bodies that the terms of every taxonomy share."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import (
    Identifier,
    InputSchema,
    OutputSchema,
    PartialOutputSchema,
    Slug,
    Text,
    Timestamp,
)


class TermSchema(OutputSchema):
    """A term with all its fields."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    name = ma.fields.String(metadata={"example": "slow food"})
    slug = ma.fields.String(metadata={"example": "slow-food"})
    user = Identifier(attribute="owner_id")


class TermFieldsSchema(PartialOutputSchema):
    """A term in a list, with the requested fields."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    name = ma.fields.String()
    slug = ma.fields.String()
    user = Identifier(attribute="owner_id")


class TermBodySchema(InputSchema):
    """The fields of a term that a client writes."""

    read_only = frozenset({"uuid", "user", "created", "last_updated", "articles"})

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "slow food"})
    slug = Slug(metadata={"example": "slow-food"})
