"""Request and response bodies of articles and their SEO records (2.4, 2.5)."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar

import marshmallow as ma
from marshmallow import validate

from blogapi.articles.content import ArticleInput, TermReference
from blogapi.articles.lifecycle import API_STATUSES, ContentType, get_api_status
from blogapi.articles.models import Article
from blogapi.categories.schemas import EmbeddedCategorySchema
from blogapi.storage.database import current_time
from blogapi.tags.schemas import TagSchema
from blogapi.web.fields import (
    BoundedList,
    FieldNames,
    Fields,
    Identifier,
    InputSchema,
    OutputSchema,
    PartialOutputSchema,
    Reference,
    Slug,
    Text,
    Timestamp,
    WebAddress,
)
from blogapi.web.pagination import MAX_SEARCH_PAGE, DetailQuery, ListQuery

ORDERINGS = ("published_at", "-published_at", "title", "-title")


class SeoBodySchema(InputSchema):
    """The fields of an SEO record that a client writes; omitted fields are derived from the article."""

    read_only = frozenset({"uuid", "created", "last_updated", "article"})

    title = Text(max_length="MAX_TITLE")
    description = Text(max_length=100_000)
    og_image = WebAddress()
    canonical_url = WebAddress()


class _TermReferenceSchema(Reference):
    @ma.post_load
    def build(self, data: Fields, **_: Any) -> TermReference:
        """Return the reference as an object."""
        return TermReference(**data)


class CategoryReference(_TermReferenceSchema):
    """The category in the body of an article; fields other than `uuid` and `slug` are ignored."""

    read_only = frozenset(EmbeddedCategorySchema._declared_fields) - {"uuid", "slug"}


class TagReference(_TermReferenceSchema):
    """A tag in the body of an article; fields other than `uuid` and `slug` are ignored."""

    read_only = frozenset(TagSchema._declared_fields) - {"uuid", "slug"}


class ArticleBodySchema(InputSchema):
    """The fields of an article that a client writes."""

    title = Text(max_length="MAX_TITLE", required=True, metadata={"example": "The bread that waits for me"})
    subtitle = Text(max_length="MAX_SUBTITLE")
    slug = Slug(metadata={"example": "the-bread-that-waits-for-me"})
    cover_image = WebAddress()
    content = Text(max_length="MAX_CONTENT", metadata={"example": "Flour, *water*, time."})
    content_type = ma.fields.String(
        validate=validate.OneOf([kind.value for kind in ContentType]), metadata={"example": "markdown"}
    )
    status = ma.fields.String(validate=validate.OneOf(API_STATUSES), metadata={"example": "draft"})
    published_at = Timestamp(allow_none=True, metadata={"example": "2030-01-01T09:00:00Z"})
    category = ma.fields.Nested(CategoryReference, required=True, metadata={"example": {"slug": "kitchen"}})
    tags = BoundedList(
        ma.fields.Nested(TagReference), max_items="MAX_TAGS", metadata={"example": [{"slug": "slow-food"}]}
    )
    seo = ma.fields.Nested(SeoBodySchema)

    @ma.post_load
    def build(self, data: Fields, **_: Any) -> ArticleInput:
        """Return the fields of the body as an object."""
        texts = {name: data.pop(name) for name in TEXT_FIELDS if name in data}
        tags = data.pop("tags", None)
        return ArticleInput(texts=texts, tags=None if tags is None else tuple(tags), **data)


# The text fields of an article are the fields of the body that ArticleInput does not list individually. Each
# text field is stored unchanged in the column of the same name. Responses with `fields` and revisions can
# contain text fields.
_OTHER_FIELDS = {field.name for field in dataclass_fields(ArticleInput)}
TEXT_FIELDS = tuple(name for name in ArticleBodySchema._declared_fields if name not in _OTHER_FIELDS)

SchemaType = TypeVar("SchemaType", bound=type[ma.Schema])


def with_text_fields(schema: SchemaType) -> SchemaType:
    """Add the text fields that a response schema does not declare itself, as plain strings."""
    missing: dict[str, ma.fields.Field[Any]] = {
        name: ma.fields.String() for name in TEXT_FIELDS if name not in schema._declared_fields
    }
    return schema.from_dict(missing, name=schema.__name__) if missing else schema  # type: ignore[return-value]


class SeoSchema(OutputSchema):
    """The metadata of an article for search engines and social networks."""

    uuid = Identifier()
    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    og_image = ma.fields.String()
    title = ma.fields.String()
    description = ma.fields.String()
    canonical_url = ma.fields.String(metadata={"description": "May be empty."})
    article = Identifier(attribute="article_id")


class _DocumentedFields(ma.Schema):
    uuid = Identifier()
    author = Identifier(attribute="author_id")
    title = ma.fields.String(metadata={"example": "The bread that waits for me"})
    subtitle = ma.fields.String()
    tags = ma.fields.List(ma.fields.Nested(TagSchema))
    category = ma.fields.Nested(EmbeddedCategorySchema)
    slug = ma.fields.String(metadata={"example": "the-bread-that-waits-for-me"})
    cover_image = ma.fields.String()
    content = ma.fields.String(metadata={"description": "The text exactly as it was sent."})
    status = ma.fields.Method("get_status", metadata={"type": "string", "enum": list(API_STATUSES)})
    content_type = ma.fields.String(metadata={"enum": [kind.value for kind in ContentType]})
    seo = ma.fields.Nested(SeoSchema)

    def get_status(self, article: Article) -> str:
        return get_api_status(article.status, article.published_at, current_time())


class ArticleSchema(_DocumentedFields, OutputSchema):
    """An article with exactly the documented fields."""

    def hidden_state(self, shown: Any) -> str:
        """Return the version of the article; writes to fields outside this schema also change it."""
        return str(shown.version)


@with_text_fields
class ArticleFieldsSchema(_DocumentedFields, PartialOutputSchema):
    """An article with the requested fields."""

    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    published_at = Timestamp(dump_only=True, allow_none=True)
    excerpt = ma.fields.String(metadata={"description": "The beginning of the content as plain text."})
    reading_minutes = ma.fields.Integer(metadata={"minimum": 1})
    html = ma.fields.String(metadata={"description": "The content as sanitised HTML."})


ArticleBodySchema.read_only = frozenset(ArticleFieldsSchema._declared_fields.keys()) - (
    ArticleBodySchema._declared_fields.keys()
)


class ArticleItemSchema(ArticleBodySchema):
    """The fields of one article in a bulk write."""

    read_only = ArticleBodySchema.read_only - {"uuid"}

    uuid = Identifier(required=True)


class FoundFieldsSchema(ArticleFieldsSchema):
    """An article in a list, with the requested fields."""

    snippet = ma.fields.String(
        metadata={"description": "The text around a match of `q`, as HTML with the matches in `<mark>`."}
    )


class ArticleListQuery(ListQuery):
    """The query parameters of a request for the list of published articles."""

    fields_ = FieldNames(FoundFieldsSchema)
    q = Text(
        max_length=200,
        min_length=1,
        metadata={
            "description": "Full-text query over title, subtitle and body. All words must match, the last "
            "one as a prefix. The articles are ordered by relevance unless `ordering` is sent. A search "
            f"has at most {MAX_SEARCH_PAGE} pages.",
            "example": "bread",
        },
    )
    category = ma.fields.List(
        Text(max_length=255, min_length=1),
        metadata={
            "description": "uuid or slug of a category. If the parameter is repeated, articles in any of "
            "these categories match.",
            "example": ["kitchen"],
        },
    )
    tag = ma.fields.List(
        Text(max_length=255, min_length=1),
        metadata={
            "description": "uuid or slug of a tag. If the parameter is repeated, articles with any of "
            "these tags match.",
            "example": ["bread"],
        },
    )
    author = Identifier(metadata={"description": "uuid of the author."})
    slug = Text(
        max_length=255,
        min_length=1,
        metadata={
            "description": "Current or former slug of the article.",
            "example": "the-bread-that-waits-for-me",
        },
    )
    published_after = Timestamp(
        metadata={
            "description": "List only articles published at this time or later.",
            "example": "2026-01-01T00:00:00Z",
        }
    )
    published_before = Timestamp(
        metadata={
            "description": "List only articles published before this time.",
            "example": "2027-01-01T00:00:00Z",
        }
    )
    ordering = ma.fields.String(validate=validate.OneOf(ORDERINGS), metadata={"example": "-published_at"})

    @ma.validates_schema
    def check_search_page(self, data: Fields, **_: Any) -> None:
        """Refuse a page number after the last page of a search."""
        if "q" in data and data.get("page", 1) > MAX_SEARCH_PAGE:
            raise ma.ValidationError(
                f"A search has at most {MAX_SEARCH_PAGE} pages; add words or filters to find fewer articles.",
                "page",
            )

    @ma.validates_schema
    def check_snippet(self, data: Fields, **_: Any) -> None:
        """Refuse `snippet` without a search query."""
        if "snippet" in data.get("fields_", ()) and "q" not in data:
            raise ma.ValidationError("`snippet` is only available with a search; add `q`.", "fields")


class OwnArticleListQuery(ArticleListQuery):
    """The query parameters of a request for the list of the caller's own articles."""

    status = ma.fields.String(validate=validate.OneOf(API_STATUSES), metadata={"example": "draft"})


class ArticleQuery(DetailQuery):
    """The query parameters of a request for one article."""

    fields_ = FieldNames(ArticleFieldsSchema)
