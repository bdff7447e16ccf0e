"""Request and response bodies of working copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.users.schemas import UserReferenceSchema
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.fields import OUTPUT_FIELDS
from blogapi.content.articles.schemas import ArticleBodySchema, KeyName
from blogapi.content.custom_fields.validation import CustomValuesField
from blogapi.publication.visibility import API_STATUSES, ItemType
from blogapi.web.fields import (
    BoundedList,
    Fields,
    Identifier,
    InputSchema,
    OutputSchema,
    Reference,
    Slug,
    Text,
    Timestamp,
)
from blogapi.web.media_addresses import PictureAddress

MAX_VERSION_NAME_LENGTH = 100

#: The fields that describe a working copy, and not the edited article.
COPY_FIELDS = frozenset(
    {"article", "user", "key_name", "created", "last_updated", "version", "base_version", "not_live"}
)

_SLUG_METADATA = {
    "description": "If it is empty, the article keeps its slug; in a draft, a slug that is derived from the "
    "title changes with the title."
}


class OptionalSlug(Slug):
    """A slug or an empty string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.metadata = {**self.metadata, "minLength": 0}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        return "" if value == "" else super()._deserialize(value, attr, data, **options)


class WorkingCopyBodySchema(ArticleBodySchema):
    """The fields of an article that an editor edits; the JSON of the article is also a valid body."""

    class Meta(InputSchema.Meta):
        exclude: tuple[str, ...] = ("status", "published_at")

    read_only = ArticleBodySchema.read_only | COPY_FIELDS | {"status", "published_at"}

    slug = OptionalSlug(metadata=_SLUG_METADATA)
    category = Reference(
        allow_none=True, metadata={"description": "Default, also for null: the category of the article."}
    )
    authors = BoundedList(
        Reference(),
        max_items="MAX_AUTHORS",
        metadata={"description": "Default, also for an empty list: the authors of the article."},
    )

    @ma.post_load
    def make_input(self, data: Fields, **options: Any) -> ArticleInput:
        """Return an ArticleInput; an empty category stands for the category of the article."""
        if "category" in data:
            data["category"] = data["category"] or ""
        fields: ArticleInput = super().make_input(data, **options)
        return fields


class SeoTextsSchema(OutputSchema):
    """The texts of an SEO record; in a working copy, an empty text is derived from the article."""

    title = ma.fields.String()
    description = ma.fields.String()
    og_image = PictureAddress()
    canonical_url = ma.fields.String()


class WorkingCopySchema(OutputSchema):
    """A working copy: the edited fields, who saved them and when, and the version they are based on."""

    class Meta:
        include = OUTPUT_FIELDS

    article = Identifier(attribute="article_id")
    user = ma.fields.Nested(UserReferenceSchema, metadata={"description": "The user who saved last."})
    key_name = KeyName()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    version = ma.fields.Integer(metadata={"description": "Increases with each save.", "example": 3})
    base_version = ma.fields.Integer(
        metadata={"description": "The version of the article that the edits are based on.", "example": 1}
    )
    slug = ma.fields.String(metadata=_SLUG_METADATA)
    category = Identifier(
        allow_none=True,
        metadata={"description": "uuid of the category; null if it was deleted in the meantime."},
    )
    tags = ma.fields.List(Identifier())
    authors = ma.fields.List(Identifier())
    seo = ma.fields.Nested(SeoTextsSchema)
    not_live = ma.fields.List(
        ma.fields.String(),
        allow_none=True,
        metadata={
            "description": "Why the edits could not be written into the scheduled article; empty if they "
            "were."
        },
    )
    custom = ma.fields.Raw(
        metadata={
            "type": "object",
            "additionalProperties": {},
            "description": "The values of custom fields, by name, including values that do not fit.",
        }
    )


class PageWorkingCopyBodySchema(WorkingCopyBodySchema):
    """The fields of a page that an editor edits, without its parent and position."""

    class Meta(WorkingCopyBodySchema.Meta):
        exclude = (*WorkingCopyBodySchema.Meta.exclude, "category")

    read_only = WorkingCopyBodySchema.read_only | {"parent", "position"}

    custom = CustomValuesField(ItemType.PAGE.value)


class PageWorkingCopySchema(WorkingCopySchema):
    """A working copy of a page, which has no category."""

    class Meta(WorkingCopySchema.Meta):
        exclude = ("category",)


# The schemas of a working copy in requests and in responses.
SCHEMAS_BY_KIND: Mapping[ItemType, tuple[type[WorkingCopyBodySchema], type[WorkingCopySchema]]] = {
    ItemType.ARTICLE: (WorkingCopyBodySchema, WorkingCopySchema),
    ItemType.PAGE: (PageWorkingCopyBodySchema, PageWorkingCopySchema),
}


class VersionName(Text):
    """The name of a version."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=MAX_VERSION_NAME_LENGTH,
            metadata={"description": "A name for the version.", "example": "After the fire drill"},
            **options,
        )


class PublishSchema(InputSchema):
    """The status, the publication time and the name of the version for publishing a working copy."""

    status = ma.fields.String(
        validate=validate.OneOf(API_STATUSES),
        metadata={
            "description": "Default: `published` for a draft, the current status for other articles.",
            "example": "published",
        },
    )
    published_at = Timestamp(allow_none=True, metadata={"example": "2030-01-01T09:00:00Z"})
    name = VersionName()
