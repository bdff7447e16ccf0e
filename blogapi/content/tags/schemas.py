"""Request and response bodies of tags (section 2.3 of the interface)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.content.taxonomies.schemas import (
    PAGE_ADDRESS,
    TermBodySchema,
    TermDetails,
    TermDetailsBody,
    TermSchema,
)
from blogapi.web.fields import Identifier, OutputSchema, Text


class TagSchema(TermSchema):
    """A tag, in the list and in an article."""


class SingleTagSchema(OutputSchema):
    """A tag with its public articles, newest first."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "slow food"})
    # The schema is referenced by name, because an import would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)

    def hidden_state(self, shown: Any) -> str:
        """Return the slug, which this schema does not show."""
        return str(shown.slug)


class TagFieldsSchema(TermDetails, TermSchema):
    """A tag in the list, with the requested fields."""

    url = PAGE_ADDRESS
    description = ma.fields.String(metadata={"description": "May be empty."})


class TagBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of a tag that a client writes."""

    read_only = TermBodySchema.read_only | {"url"}

    description = Text(max_length=10_000)
