"""Request and response bodies of categories (section 2.2 of the interface)."""

from __future__ import annotations

import marshmallow as ma

from blogapi.content.taxonomies.schemas import PAGE_ADDRESS, TermBodySchema, TermDetails, TermDetailsBody
from blogapi.web.fields import Identifier, OutputSchema, Slug, Text, Timestamp
from blogapi.web.media_addresses import PictureAddress, PictureReference
from blogapi.web.references import Reference


class CategorySchema(OutputSchema):
    """A category in the list."""

    uuid = Identifier()
    name = ma.fields.String(metadata={"example": "Kitchen"})
    description = ma.fields.String(allow_none=True)
    cover_image = PictureAddress(metadata={"example": "https://example.org/kitchen.jpg"})
    slug = ma.fields.String(metadata={"example": "kitchen"})


class EmbeddedCategorySchema(CategorySchema):
    """A category in an article."""

    user = Identifier(attribute="owner_id")
    created = Timestamp(aware=False, dump_only=True)
    last_updated = Timestamp(aware=False, dump_only=True)


class SingleCategorySchema(CategorySchema):
    """A category with its public articles, newest first."""

    # The schema is referenced by name, because an import would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)


class CategoryFieldsSchema(TermDetails, EmbeddedCategorySchema):
    """A category in the list, with the requested fields."""

    url = PAGE_ADDRESS
    parent = Identifier(
        attribute="parent_id", allow_none=True, metadata={"description": "The parent category."}
    )


class CategoryBodySchema(TermDetailsBody, TermBodySchema):
    """The fields of a category that a client writes."""

    read_only = TermBodySchema.read_only | {"url"}

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "Kitchen"})
    description = Text(max_length=10_000, allow_none=True)
    cover_image = PictureReference()
    slug = Slug(metadata={"example": "kitchen"})
    parent = Reference(
        attribute="parent_id",
        allow_none=True,
        metadata={"description": "The parent category, or null.", "example": None},
    )
