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
from blogapi.web.pagination import ListQuery


class PageAddress(ma.fields.String):
    """The address of the page of a term, computed when the term is read."""

    def __init__(self) -> None:
        super().__init__(
            dump_only=True,
            metadata={"description": "The address of the page. It is absent if the site has no `url`."},
        )


class TermSchema(OutputSchema):
    """A term with all its fields."""

    uuid = Identifier()
    created = Timestamp(aware=False, dump_only=True)
    last_updated = Timestamp(aware=False, dump_only=True)
    name = ma.fields.String(metadata={"example": "slow food"})
    slug = ma.fields.String(metadata={"example": "slow-food"})
    user = Identifier(attribute="owner_id")


class TermFieldsSchema(PartialOutputSchema):
    """A term in a list, with the requested fields."""

    uuid = Identifier()
    created = Timestamp(aware=False, dump_only=True)
    last_updated = Timestamp(aware=False, dump_only=True)
    name = ma.fields.String()
    slug = ma.fields.String()
    user = Identifier(attribute="owner_id")


def articles_count() -> ma.fields.Integer:
    """Return the field with the number of public articles, for schemas of terms that have it."""
    return ma.fields.Integer(metadata={"minimum": 0, "description": "Number of public articles."})


class TermListQuery(ListQuery):
    """The query parameters of a request for a list of terms; a subclass adds `fields_`."""

    slug = Text(
        max_length=255,
        min_length=1,
        metadata={"description": "Current or former slug.", "example": "slow-food"},
    )


class TermBodySchema(InputSchema):
    """The fields of a term that a client writes."""

    read_only = frozenset({"uuid", "user", "created", "last_updated", "articles", "articles_count"})

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "slow food"})
    slug = Slug(metadata={"example": "slow-food"})
