"""Categories: each article has one category, and a category can have a parent."""

from __future__ import annotations

from functools import partial
from uuid import UUID

import marshmallow as ma
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.content.taxonomies.hierarchy import check_and_resolve_parent
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.schemas import PAGE_URL_FIELD, TermBodySchema, TermDetails, TermDetailsBody
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.storage.database import Base
from blogapi.web.fields import Identifier, OutputSchema, Reference, Slug, Text, Timestamp
from blogapi.web.media_addresses import PictureAddress, PictureReference


class Category(Term, Base):
    """A category; each article belongs to exactly one category."""

    __tablename__ = "category"
    kind = "category"
    picture_fields = ("cover_image", "og_image")

    description: Mapped[str | None]
    cover_image: Mapped[str] = mapped_column(default="")
    # There is no foreign key, because imports and copies of a database insert the rows in any order.
    parent_id: Mapped[UUID | None] = mapped_column(index=True)


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

    url = PAGE_URL_FIELD
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


# The name of the category of articles that are created or imported without a category.
DEFAULT_CATEGORY = "Uncategorised"

CATEGORIES = Taxonomy(
    singular="category",
    plural="categories",
    model=Category,
    embedded_schema=EmbeddedCategorySchema,
    schema=CategorySchema,
    fields_schema=CategoryFieldsSchema,
    single_schema=SingleCategorySchema,
    body_schema=CategoryBodySchema,
    link="article.category_id",
    deletion="Delete a category that has no articles.",
    defaults={"description": None, "cover_image": ""},
    check_fields=partial(check_and_resolve_parent, Category),
    list_section="4.3",
    detail_section="4.4",
)
