"""Request and response bodies of pages, which have a place in a tree and no category."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.articles.content import ArticleInput
from blogapi.articles.lifecycle import ANY_STATUS, API_STATUSES
from blogapi.articles.schemas import ArticleBodySchema, ArticleSchema, PageFieldsSchema
from blogapi.publication.visibility import ItemType
from blogapi.web.fields import FieldNames, Fields, Identifier, Text
from blogapi.web.pagination import DetailQuery, ListQuery

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

    parent = Identifier(allow_none=True, metadata={"description": "uuid of the page above this one."})
    position = ma.fields.Integer(
        strict=True,
        validate=validate.Range(min=0, max=MAX_POSITION),
        metadata={"description": "The place among the pages with the same parent. Default: 0.", "example": 1},
    )

    @ma.post_load
    def build(self, data: Fields, **options: Any) -> ArticleInput:
        """Return the fields of the body as an object."""
        fields: ArticleInput = super().build(data, **options)
        return replace(fields, type=ItemType.PAGE.value)


class PageSchema(ArticleSchema):
    """A page."""

    class Meta(ArticleSchema.Meta):
        exclude = ("category",)

    parent = PageFieldsSchema._declared_fields["parent"]
    position = PageFieldsSchema._declared_fields["position"]


PAGE_FIELDS = tuple(PageSchema().fields)


class PageListQuery(ListQuery):
    """The query parameters of a request for a list of pages."""

    fields_ = FieldNames(PageFieldsSchema, PageSchema)
    q = Text(
        max_length=200,
        min_length=1,
        metadata={"description": "Full-text query. All words must match.", "example": "imprint"},
    )
    slug = Text(
        max_length=255,
        min_length=1,
        metadata={"description": "Current or former slug of the page.", "example": "imprint"},
    )
    ordering = ma.fields.String(
        validate=validate.OneOf(ORDERINGS),
        metadata={"description": "Default: `position`.", "example": "title"},
    )
    status = ma.fields.String(
        validate=validate.OneOf((*API_STATUSES, ANY_STATUS)),
        metadata={"description": "For editors and admins: list the pages in this status, or in any."},
    )


class PageQuery(DetailQuery):
    """The query parameters of a request for one page."""

    fields_ = FieldNames(PageFieldsSchema, PageSchema)
