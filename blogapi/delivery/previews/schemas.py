"""Request and response bodies of preview links."""

from __future__ import annotations

import marshmallow as ma

from blogapi.content.articles.schemas import (
    ArticleSchema,
    LinksSchema,
    PageFieldsSchema,
    SingleArticleFieldsSchema,
)
from blogapi.content.pages.schemas import PageSchema
from blogapi.web.fields import (
    FieldNames,
    Identifier,
    InputSchema,
    OmitNullMixin,
    OutputSchema,
    StrictInteger,
    Timestamp,
)
from blogapi.web.pagination import DetailQuery

DEFAULT_LIFETIME_SECONDS = 7 * 24 * 3600
MAX_LIFETIME_SECONDS = 90 * 24 * 3600


class PreviewSchema(OutputSchema):
    """A preview link, without its addresses."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    expires = Timestamp(dump_only=True)
    user = Identifier(attribute="user_id", metadata={"description": "The user who created the link."})


class CreatedPreviewSchema(PreviewSchema):
    """A new preview link; only this response shows its addresses."""

    url = ma.fields.String(
        metadata={
            "description": "Address of the page that shows the article to anyone: the preview page of the "
            "site, or a page of this service, which is absolute if the service has a public address, "
            "otherwise a path.",
            "example": "https://blog.example/preview/?token=…",
        }
    )
    api_url = ma.fields.String(
        metadata={
            "description": "Address at which anyone can read the article as JSON, without a key. It is "
            "absolute if the service has a public address, otherwise it is a path.",
            "example": "/api/v1/blog/preview/…/",
        }
    )


class PreviewedSchema(OmitNullMixin, ArticleSchema):
    """The article or page of a preview link; only pages have `parent` and `position`."""

    omitted_if_null = frozenset({"category", "parent", "position"})

    parent = PageSchema._declared_fields["parent"]
    position = PageSchema._declared_fields["position"]


class PreviewedLinksSchema(OmitNullMixin, LinksSchema):
    """The addresses of the terms of an article or page; absent if the site has no `url`."""

    omitted_if_null = frozenset({"category"})


class PreviewedFieldsSchema(SingleArticleFieldsSchema):
    """The article or page of a preview link with the requested fields."""

    links = ma.fields.Nested(PreviewedLinksSchema)
    parent = PageFieldsSchema._declared_fields["parent"]
    position = PageFieldsSchema._declared_fields["position"]


class PreviewedQuery(DetailQuery):
    """The query parameters of a request for the article or page of a preview link."""

    fields_ = FieldNames(PreviewedFieldsSchema, ArticleSchema)


class PreviewBodySchema(InputSchema):
    """The options of a new preview link."""

    expires_in = StrictInteger(
        minimum=1,
        maximum=MAX_LIFETIME_SECONDS,
        load_default=DEFAULT_LIFETIME_SECONDS,
        metadata={"description": "Lifetime of the link in seconds.", "example": 86_400},
    )
