"""Request and response bodies of tags (section 2.3 of the interface)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.taxonomies.schemas import (
    PageAddress,
    TermBodySchema,
    TermDetails,
    TermDetailsBody,
    TermFieldsSchema,
    TermListQuery,
    TermSchema,
    articles_by_status,
    articles_count,
)
from blogapi.web.fields import FieldNames, Identifier, OutputSchema, Text
from blogapi.web.pagination import DetailQuery


class TagSchema(TermSchema):
    """A tag, in the list and in an article."""


class SingleTagSchema(OutputSchema):
    """A tag with its public articles, newest first."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "slow food"})
    # The schema is referenced by name, because `articles` imports `tags`, so an import of `articles` here
    # would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)

    def hidden_state(self, shown: Any) -> str:
        """Return the slug, which this schema does not show."""
        return str(shown.slug)


class TagFieldsSchema(TermDetails, TermFieldsSchema):
    """A tag in the list, with the requested fields."""

    url = PageAddress()
    description = ma.fields.String(metadata={"description": "May be empty."})
    articles_count = articles_count()
    articles_by_status = articles_by_status()


class SingleTagFieldsSchema(TagFieldsSchema):
    """A tag with the requested fields."""

    articles = ma.fields.Nested("ArticleSchema", many=True)


class TagBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of a tag that a client writes."""

    read_only = TermBodySchema.read_only | {"url"}

    description = Text(max_length=10_000)


class TagItemSchema(TagBodySchema):
    """The fields of one tag in a bulk write."""

    read_only = TagBodySchema.read_only - {"uuid"}

    uuid = Identifier(required=True)


class TagListQuery(TermListQuery):
    """The query parameters of a request for the list of tags."""

    fields_ = FieldNames(TagFieldsSchema, TagSchema, single=SingleTagFieldsSchema)


class TagQuery(DetailQuery):
    """The query parameters of a request for one tag."""

    fields_ = FieldNames(SingleTagFieldsSchema, SingleTagSchema)
