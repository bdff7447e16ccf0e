"""Wire shapes of tags (2.3)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.tags.models import Tag
from blogapi.web.fields import (
    FieldNames,
    Identifier,
    InputSchema,
    OutputSchema,
    PartialOutputSchema,
    Slug,
    Text,
    Timestamp,
)
from blogapi.web.json_fragments import stored_for
from blogapi.web.pagination import DetailQuery, ListQuery


@stored_for(Tag)
class TagSchema(OutputSchema):
    """A tag as the list and an article show it."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    name = ma.fields.String(metadata={"example": "slow food"})
    slug = ma.fields.String(metadata={"example": "slow-food"})
    user = Identifier(attribute="owner_id")


class SingleTagSchema(OutputSchema):
    """A tag with its published articles, newest first."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "slow food"})
    # By name: articles are built on tags, not the other way round.
    articles = ma.fields.Nested("ArticleSchema", many=True)

    def hidden(self, shown: Any) -> str:
        """Return the slug, which the interface leaves out here."""
        return str(shown.slug)


class TagFieldsSchema(PartialOutputSchema):
    """A tag in the fields asked for, from a list."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    name = ma.fields.String()
    slug = ma.fields.String()
    user = Identifier(attribute="owner_id")


class SingleTagFieldsSchema(TagFieldsSchema):
    """A tag in the fields asked for."""

    articles = ma.fields.Nested("ArticleSchema", many=True)


class TagBodySchema(InputSchema):
    """What is written of a tag."""

    read_only = frozenset({"uuid", "user", "created", "last_updated", "articles"})

    name = Text(longest="MAX_NAME", required=True, metadata={"example": "slow food"})
    slug = Slug(metadata={"example": "slow-food"})


class TagItemSchema(TagBodySchema):
    """What is written of one tag among several."""

    read_only = TagBodySchema.read_only - {"uuid"}

    uuid = Identifier(required=True)


class TagListQuery(ListQuery):
    """The query string of the list of tags."""

    fields_ = FieldNames(TagFieldsSchema)


class TagQuery(DetailQuery):
    """The query string of one tag."""

    fields_ = FieldNames(SingleTagFieldsSchema)
