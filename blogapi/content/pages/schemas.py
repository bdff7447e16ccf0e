"""Request and response bodies of pages, which have a position in a tree and no category."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.lists.query_schemas import ArticleListQuery
from blogapi.content.articles.schemas import ArticleBodySchema, ArticleSchema, PageFieldsSchema
from blogapi.content.custom_fields.validation import CustomValuesField
from blogapi.publication.visibility import ItemType
from blogapi.web.fields import Fields, Reference, Text

MAX_POSITION = 1_000_000
ORDERINGS = ("position", "title", "-title", "published_at", "-published_at", "last_updated", "-last_updated")


class PageBodySchema(ArticleBodySchema):
    """The fields of a page that a client writes."""

    class Meta(ArticleBodySchema.Meta):
        exclude = ("category",)

    read_only = frozenset(PageFieldsSchema._declared_fields) - {
        *ArticleBodySchema._declared_fields,
        *("parent", "position"),
    }

    custom = CustomValuesField(ItemType.PAGE.value)
    parent = Reference(allow_none=True, metadata={"description": "The parent page."})
    position = ma.fields.Integer(
        strict=True,
        validate=validate.Range(min=0, max=MAX_POSITION),
        metadata={"description": "The order among pages with the same parent. Default: 0.", "example": 1},
    )

    @ma.post_load
    def make_input(self, data: Fields, **options: Any) -> ArticleInput:
        """Return the fields of the body as an ArticleInput."""
        fields: ArticleInput = super().make_input(data, **options)
        return replace(fields, type=ItemType.PAGE.value)


class PageSchema(ArticleSchema):
    """A page."""

    class Meta(ArticleSchema.Meta):
        exclude = ("category",)

    parent = PageFieldsSchema._declared_fields["parent"]
    position = PageFieldsSchema._declared_fields["position"]


PAGE_FIELDS = tuple(PageSchema().fields)


class PageListQuery(ArticleListQuery):
    """The query parameters of a request for a list of pages, which has no filters for categories."""

    class Meta(ArticleListQuery.Meta):
        exclude = ("category", "exact", "not_category")

    parent = Text(
        max_length=255,
        metadata={
            "description": "uuid or slug of a page: list only the pages directly below it. An empty value "
            "lists the pages at the top.",
            "example": "about",
        },
    )
    ordering = ma.fields.String(
        validate=validate.OneOf(ORDERINGS),
        metadata={"description": "Default: `position`.", "example": "title"},
    )
