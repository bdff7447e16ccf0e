"""Request and response bodies of former versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.fields import OUTPUT_FIELDS
from blogapi.content.articles.schemas import KeyName
from blogapi.content.working_copies.schemas import (
    PageWorkingCopyBodySchema,
    SeoTextsSchema,
    VersionName,
    WorkingCopyBodySchema,
    WorkingCopySchema,
)
from blogapi.publication.visibility import ItemType, Status
from blogapi.web.fields import Fields, Identifier, InputSchema, OutputSchema, StrictInteger, Timestamp
from blogapi.web.media_addresses import add_service_url

MAX_REVISION_NUMBER = 2**31 - 1

_PICTURE_FIELDS = ("cover_image", "seo.og_image")


class RevisionSchema(OutputSchema):
    """A former version in the list."""

    number = ma.fields.Integer(metadata={"description": "The first version is number 1.", "example": 1})
    created = Timestamp(dump_only=True)
    user = Identifier(attribute="user_id", metadata={"description": "The user who wrote this version."})
    key_name = KeyName()
    name = ma.fields.String(
        metadata={
            "description": "The name that a user gave to the version, or empty.",
            "example": "After the fire drill",
        }
    )
    title = OUTPUT_FIELDS["title"]
    status = ma.fields.String(metadata={"enum": [status.value for status in Status]})


class SingleRevisionSchema(RevisionSchema):
    """A former version with its whole content."""

    class Meta:
        include = OUTPUT_FIELDS

    slug = ma.fields.String()
    published_at = Timestamp(dump_only=True, allow_none=True)
    category = Identifier()
    tags = ma.fields.List(Identifier())
    authors = ma.fields.List(
        Identifier(),
        metadata={"description": "The byline; empty in versions that were stored before articles had one."},
    )
    seo = ma.fields.Nested(SeoTextsSchema)
    custom = WorkingCopySchema._declared_fields["custom"]


class SinglePageRevisionSchema(SingleRevisionSchema):
    """A former version of a page with its whole content, parent and position."""

    class Meta(SingleRevisionSchema.Meta):
        exclude = ("category",)

    parent = Identifier(allow_none=True)
    position = ma.fields.Integer()


class AnyFieldValue(ma.fields.Raw):
    """The value of any field of an article, serialized as in responses with the article."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> Any:
        if isinstance(value, datetime):
            return Timestamp()._serialize(value, attr, obj)
        if isinstance(value, list):
            return [str(uuid) for uuid in value]
        if obj.field in _PICTURE_FIELDS:
            return add_service_url(value or "")
        return str(value) if isinstance(value, UUID) else value


class DifferenceSchema(OutputSchema):
    """A field whose value differs between two versions."""

    field = ma.fields.String(metadata={"example": "title"})
    before = AnyFieldValue(allow_none=True)
    after = AnyFieldValue(allow_none=True)


class ComparisonSchema(OutputSchema):
    """The differences between two versions."""

    before = ma.fields.Integer(metadata={"example": 1})
    after = ma.fields.Integer(metadata={"example": 2})
    changes = ma.fields.List(ma.fields.Nested(DifferenceSchema))


class _NewRevision(ma.Schema):
    name = VersionName(required=True)

    @ma.post_load
    def make_input(self, data: Fields, **options: Any) -> tuple[str, ArticleInput | None]:
        """Return the name, and the fields of an article if the body has any."""
        name: str = data.pop("name")
        return name, super().make_input(data, **options) if data else None  # type: ignore[misc]


class NewRevisionSchema(_NewRevision, WorkingCopyBodySchema):
    """A version that is added to the history, and its name; an omitted field is taken from the article."""


class NewPageRevisionSchema(_NewRevision, PageWorkingCopyBodySchema):
    """A version that is added to the history of a page, and its name."""


class RevisionBodySchema(InputSchema):
    """The name of a version; an empty text removes the name."""

    name = VersionName()


class ComparisonQuery(InputSchema):
    """The query parameters of a request for a comparison."""

    to = StrictInteger(
        minimum=1,
        maximum=MAX_REVISION_NUMBER,
        from_query=True,
        metadata={"description": "Number of the later version. Default: the current version."},
    )


# The schemas of a new version in requests and of a former version in responses.
SCHEMAS_BY_KIND: Mapping[
    ItemType, tuple[type[NewRevisionSchema | NewPageRevisionSchema], type[SingleRevisionSchema]]
] = {
    ItemType.ARTICLE: (NewRevisionSchema, SingleRevisionSchema),
    ItemType.PAGE: (NewPageRevisionSchema, SinglePageRevisionSchema),
}
