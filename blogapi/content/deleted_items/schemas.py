"""Response bodies and query parameters of deleted articles and pages."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles.fields import OUTPUT_FIELDS, TEXT_NAMES
from blogapi.content.articles.schemas import ArticleFieldsSchema
from blogapi.content.taxonomies.categories import EmbeddedCategorySchema
from blogapi.publication.visibility import API_STATUSES, ItemType
from blogapi.web.fields import Identifier, OutputSchema, Text, Timestamp
from blogapi.web.media_addresses import PictureAddress
from blogapi.web.pagination import ListQuery

_KINDS = [kind.value for kind in ItemType]


class RestoredSchema(OutputSchema):
    """A restored article or page, with notes about differences from its state before the deletion."""

    uuid = Identifier()
    title = ma.fields.String()
    slug = ma.fields.String()
    status = ma.fields.String(metadata={"enum": list(API_STATUSES)})
    notes = ma.fields.List(
        ma.fields.String(),
        metadata={
            "description": "Sentences about differences from the state before the deletion.",
            "example": ["Its slug is “rye-2” instead of “rye”."],
        },
    )


class DeletedItemSchema(OutputSchema):
    """A deleted article or page in the list.

    `status` is the status of the item after a restoration. `edits` is the time at which its working copy was
    saved last, or null if it has none. From the time `goes` on, the item can no longer be restored.
    """

    uuid = Identifier()
    kind = ma.fields.String(metadata={"enum": _KINDS})
    title = OUTPUT_FIELDS["title"]
    language = OUTPUT_FIELDS["language"]
    cover_image = PictureAddress()
    status = ma.fields.String(metadata={"enum": list(API_STATUSES)})
    edits = Timestamp(dump_only=True, allow_none=True)
    deleted = Timestamp(dump_only=True)
    deleted_by = ma.fields.String(
        metadata={"description": "The name of the user; empty if the user was deleted.", "example": "Ada"}
    )
    goes = Timestamp(dump_only=True)


# The fields of the text of an article or page that a deleted item shows.
ITEM_FIELDS = (*TEXT_NAMES, "slug", "html", "category", "tags", "authors", "seo", "last_updated")


class DeletedTextSchema(ArticleFieldsSchema):
    """The text of a deleted article or page."""

    class Meta(ArticleFieldsSchema.Meta):
        fields = ITEM_FIELDS

    category = ma.fields.Nested(
        EmbeddedCategorySchema,
        allow_none=True,
        metadata={"description": "The category of an article; null for a page."},
    )


class DeletedItemDetailsSchema(DeletedItemSchema):
    """A deleted article or page, with its text and with the text of its edits."""

    text = ma.fields.Nested(DeletedTextSchema)
    edited_text = ma.fields.Nested(
        DeletedTextSchema,
        allow_none=True,
        metadata={"description": "The text with the edits of the working copy; null if it has none."},
    )


class DeletedItemsQuery(ListQuery):
    """The query parameters of the list of deleted items."""

    kind = ma.fields.String(validate=validate.OneOf(_KINDS), metadata={"description": "The kind to list."})
    q = Text(max_length=200, metadata={"description": "List only items whose title contains this text."})
