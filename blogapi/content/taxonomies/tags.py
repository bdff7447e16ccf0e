"""Tags: an article can have any number of tags."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.schemas import (
    PAGE_URL_FIELD,
    TermBodySchema,
    TermDetails,
    TermDetailsBody,
    TermSchema,
)
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.storage.database import Base
from blogapi.web.access import author
from blogapi.web.fields import Identifier, OutputSchema, Text


class Tag(Term, Base):
    """A tag, with a description and a cover for its page."""

    __tablename__ = "tag"
    kind = "tag"
    picture_fields = ("cover_image", "og_image")

    description: Mapped[str] = mapped_column(default="", server_default="")
    cover_image: Mapped[str] = mapped_column(default="", server_default="")


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

    url = PAGE_URL_FIELD
    description = ma.fields.String(metadata={"description": "May be empty."})


class TagBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of a tag that a client writes."""

    read_only = TermBodySchema.read_only | {"url"}

    description = Text(max_length=10_000)


TAGS = Taxonomy(
    singular="tag",
    plural="tags",
    model=Tag,
    embedded_schema=TagSchema,
    schema=TagSchema,
    fields_schema=TagFieldsSchema,
    single_schema=SingleTagSchema,
    body_schema=TagBodySchema,
    link="article_tag.tag_id",
    deletion="Delete a tag and remove it from its articles.",
    list_section="4.5",
    detail_section="4.6",
    creator=author,
)
