"""Request and response bodies of articles and their SEO records (sections 2.4 and 2.5 of the interface)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.accounts.users.schemas import UserReferenceSchema
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.fields import (
    INPUT_FIELDS,
    OUTPUT_FIELDS,
    TERM_LIST_NAMES,
    TEXT_DEFAULTS,
    TEXT_NAMES,
)
from blogapi.content.custom_fields.validation import CustomValuesField
from blogapi.content.media.schemas import RenditionSchema
from blogapi.content.taxonomies.authors import EmbeddedAuthorSchema
from blogapi.content.taxonomies.categories import DEFAULT_CATEGORY, EmbeddedCategorySchema
from blogapi.content.taxonomies.schemas import PAGE_URL_FIELD
from blogapi.content.taxonomies.tags import TagSchema
from blogapi.publication.visibility import API_STATUSES, ItemType, get_api_status
from blogapi.site.head_schemas import HeadSchema
from blogapi.storage.database import current_time
from blogapi.web.fields import (
    BoundedList,
    Fields,
    Identifier,
    InputSchema,
    NestedAttributes,
    OmitNullMixin,
    OutputSchema,
    Reference,
    Slug,
    Text,
    Timestamp,
    WebAddress,
)
from blogapi.web.media_addresses import PictureAddress, PictureReference


class SeoBodySchema(InputSchema):
    """The fields of an SEO record that a client writes; omitted fields are derived from the article."""

    read_only = frozenset({"uuid", "created", "last_updated", "article"})

    title = Text(max_length="MAX_TITLE")
    description = Text(max_length=100_000)
    og_image = PictureReference(metadata={"description": "URL of a picture. Default: the cover."})
    canonical_url = WebAddress()


class _TextsBodySchema(InputSchema):
    class Meta(InputSchema.Meta):
        include = INPUT_FIELDS


class ArticleBodySchema(_TextsBodySchema):
    """The fields of an article that a client writes."""

    slug = Slug(metadata={"example": "the-bread-that-waits-for-me"})
    status = ma.fields.String(validate=validate.OneOf(API_STATUSES), metadata={"example": "draft"})
    published_at = Timestamp(allow_none=True, metadata={"example": "2030-01-01T09:00:00Z"})
    category = Reference(
        metadata={
            "description": f"Default for a new article: the category {DEFAULT_CATEGORY}, which is created if "
            "it is missing.",
            "example": {"slug": "kitchen"},
        }
    )
    tags = BoundedList(Reference(), max_items="MAX_TAGS", metadata={"example": [{"slug": "slow-food"}]})
    authors = BoundedList(
        Reference(),
        max_items="MAX_AUTHORS",
        validate=validate.Length(min=1, error="Name an author, or leave the field out."),
        metadata={
            "description": "The byline. Default: the profile of the caller.",
            "example": [{"slug": "ada"}],
        },
    )
    seo = ma.fields.Nested(SeoBodySchema)
    custom = CustomValuesField(ItemType.ARTICLE.value)

    @ma.post_load
    def make_input(self, data: Fields, **_: Any) -> ArticleInput:
        """Return the fields of the body as an ArticleInput."""
        texts = {name: data.pop(name) for name in TEXT_NAMES if name in data}
        data |= {name: tuple(data[name]) for name in TERM_LIST_NAMES if name in data}
        return ArticleInput(texts=texts, **data)


class SeoSchema(OutputSchema):
    """The metadata of an article for search engines and social networks."""

    uuid = Identifier(attribute="seo_uuid")
    created = Timestamp(aware=False, dump_only=True, attribute="seo_created")
    last_updated = Timestamp(aware=False, dump_only=True, attribute="seo_last_updated")
    og_image = PictureAddress(attribute="seo_og_image")
    title = ma.fields.String(attribute="seo_title")
    description = ma.fields.String(attribute="seo_description")
    canonical_url = ma.fields.String(attribute="seo_canonical_url", metadata={"description": "May be empty."})
    article = Identifier(attribute="uuid")


class HeadingSchema(OutputSchema):
    """A heading of an article."""

    level = ma.fields.Integer(metadata={"minimum": 1, "maximum": 6, "example": 2})
    text = ma.fields.String(metadata={"example": "The dough"})
    id = ma.fields.String(
        metadata={"description": "The id of the heading in `html`; may be empty.", "example": "the-dough"}
    )


class ArticleSchema(OutputSchema):
    """An article."""

    # The fields have the order of section 2.4 of the interface.
    uuid = Identifier()
    author = Identifier(attribute="author_id")
    title = OUTPUT_FIELDS["title"]
    subtitle = OUTPUT_FIELDS["subtitle"]
    tags = ma.fields.List(ma.fields.Nested(TagSchema))
    category = ma.fields.Nested(EmbeddedCategorySchema)
    slug = ma.fields.String(metadata={"example": "the-bread-that-waits-for-me"})
    cover_image = OUTPUT_FIELDS["cover_image"]
    content = OUTPUT_FIELDS["content"]
    status = ma.fields.Function(
        lambda article: get_api_status(article, current_time()),
        metadata={"type": "string", "enum": list(API_STATUSES)},
    )
    content_type = OUTPUT_FIELDS["content_type"]
    seo = NestedAttributes(SeoSchema)

    def hidden_state(self, shown: Any) -> str:
        """Return the version of the article, which writes to fields outside this schema also change."""
        return str(shown.version)


# The text fields that a PUT resets if it omits them. An undocumented field is kept, because a response
# contains it only if the request selects it with `fields`. A client can therefore send back a response
# without losing such a field.
PUT_DEFAULTS = {name: text for name, text in TEXT_DEFAULTS.items() if name in ArticleSchema._declared_fields}


class TranslationSchema(OmitNullMixin, OutputSchema):
    """Another article that is a translation; `url` is absent if the site has no URL."""

    language = ma.fields.String(metadata={"example": "de"})
    uuid = Identifier()
    slug = ma.fields.String(metadata={"example": "das-brot-das-auf-mich-wartet"})
    url = PAGE_URL_FIELD

    omitted_if_null = frozenset({"url"})


class LinksSchema(OutputSchema):
    """The addresses of an article's terms. The object is absent if the site has no `url`."""

    category = ma.fields.String()
    tags = ma.fields.List(ma.fields.String())
    authors = ma.fields.List(ma.fields.String())


class PageLinksSchema(LinksSchema):
    """The addresses of a page's terms. The object is absent if the site has no `url`."""

    class Meta(LinksSchema.Meta):
        exclude = ("category",)


class CoverSchema(OutputSchema):
    """A cover in the media library, with its sizes and texts."""

    url = PictureAddress(metadata={"example": "https://api.blog.example/media/…/bread.jpg"})
    width = ma.fields.Integer(metadata={"example": 1600})
    height = ma.fields.Integer(metadata={"example": 1200})
    alt = ma.fields.String(metadata={"example": "A loaf of rye bread"})
    caption = ma.fields.String()
    renditions = ma.fields.List(ma.fields.Nested(RenditionSchema))


class KeyName(ma.fields.String):
    """The name of the API key with which a version or a working copy was written."""

    def __init__(self, description: str = "", **options: Any) -> None:
        text = "The name of the API key that the user wrote with; empty for a login."
        metadata = {"description": f"{text}{description}", "example": "Writing assistant"}
        super().__init__(metadata=metadata, **options)


class WorkingCopySummarySchema(OutputSchema):
    """A summary of a working copy: when and by whom it was saved last, and its title."""

    last_updated = Timestamp(dump_only=True)
    user = ma.fields.Nested(UserReferenceSchema)
    key_name = KeyName()
    title = ma.fields.String(metadata={"example": "The bread that waits for me"})


class ArticleFieldsSchema(ArticleSchema):
    """An article with the requested fields."""

    class Meta:
        include = OUTPUT_FIELDS

    created = Timestamp(dump_only=True)
    last_updated = Timestamp(dump_only=True)
    published_at = Timestamp(dump_only=True, allow_none=True)
    excerpt = OUTPUT_FIELDS["excerpt"]
    reading_minutes = ma.fields.Integer(metadata={"minimum": 1})
    word_count = ma.fields.Integer(
        metadata={"minimum": 0, "description": "Each Chinese, Japanese or Korean character is one word."}
    )
    html = ma.fields.String(metadata={"description": "The content as sanitised HTML."})
    cover = ma.fields.Nested(
        CoverSchema,
        allow_none=True,
        metadata={
            "description": "The cover with its sizes; null unless it is a picture of the media library."
        },
    )
    url = ma.fields.String(
        metadata={
            "description": "The address of the article's page. It is absent if the site has no `url`, or if "
            "the article has no publication time.",
            "example": "https://blog.example/the-bread-that-waits-for-me/",
        }
    )
    links = ma.fields.Nested(LinksSchema)
    head = ma.fields.Nested(HeadSchema)
    translations = ma.fields.List(
        ma.fields.Nested(TranslationSchema),
        metadata={"description": "The public translations, in the order of their languages."},
    )
    authors = ma.fields.List(
        ma.fields.Nested(EmbeddedAuthorSchema),
        metadata={"description": "The authors in the order of the byline."},
    )
    toc = ma.fields.List(
        ma.fields.Nested(HeadingSchema), metadata={"description": "The headings of `html`, in their order."}
    )
    editor = ma.fields.Nested(
        UserReferenceSchema,
        allow_none=True,
        metadata={
            "description": "The user who changed the article last; null for callers who cannot see drafts."
        },
    )
    key_name = KeyName(" Null for callers who cannot see drafts.", allow_none=True)
    working_copy = ma.fields.Nested(
        WorkingCopySummarySchema,
        allow_none=True,
        metadata={
            "description": "The edits that are not part of the article yet; null if there are none, "
            "and for callers who cannot see drafts."
        },
    )
    custom = ma.fields.Raw(
        metadata={
            "type": "object",
            "additionalProperties": {},
            "x-custom-fields": "values",
            "description": "The values of the custom fields that the caller may read, by name. A value that "
            "does not fit the definition of its field is absent.",
        }
    )
    custom_unfit = ma.fields.Raw(
        allow_none=True,
        metadata={
            "type": "object",
            "additionalProperties": {},
            "description": "The stored values, by name, that fit no definition of a custom field; "
            "null for callers who cannot see drafts.",
        },
    )
    open_by = ma.fields.List(
        ma.fields.Nested(UserReferenceSchema),
        allow_none=True,
        metadata={
            "description": "The other users whose editor reported within the last minute that the article "
            "is open; null for callers who cannot see drafts."
        },
    )


class ArticleLinkSchema(OmitNullMixin, OutputSchema):
    """Another public article; `url` is absent if the site has no URL."""

    uuid = Identifier()
    title = ma.fields.String(metadata={"example": "The bread that waits for me"})
    slug = ma.fields.String(metadata={"example": "the-bread-that-waits-for-me"})
    published_at = Timestamp(dump_only=True)
    cover_image = PictureAddress()
    cover = ma.fields.Nested(CoverSchema, allow_none=True)
    url = PAGE_URL_FIELD

    omitted_if_null = frozenset({"url"})


class SingleArticleFieldsSchema(ArticleFieldsSchema):
    """A single article, with the requested fields."""

    previous = ma.fields.Nested(
        ArticleLinkSchema,
        allow_none=True,
        metadata={"description": "The public article before this one in the order of publication."},
    )
    next = ma.fields.Nested(
        ArticleLinkSchema,
        allow_none=True,
        metadata={"description": "The public article after this one in the order of publication."},
    )
    related = ma.fields.List(
        ma.fields.Nested(ArticleLinkSchema),
        metadata={
            "description": "At most 5 public articles: those with the most tags in common, then the newest "
            "of the category."
        },
    )


class PageFieldsSchema(ArticleFieldsSchema):
    """A page with the requested fields."""

    class Meta(ArticleFieldsSchema.Meta):
        exclude = ("category",)

    links = ma.fields.Nested(PageLinksSchema)
    parent = Identifier(
        attribute="parent_id",
        allow_none=True,
        metadata={"description": "uuid of the parent page, or null."},
    )
    position = ma.fields.Integer(
        metadata={"description": "The order among pages with the same parent.", "example": 1}
    )


class ListedArticleFieldsSchema(ArticleFieldsSchema):
    """An article in a list, with the requested fields."""

    snippet = ma.fields.String(
        metadata={"description": "The text around a match of `q`, as HTML with the matches in `<mark>`."}
    )


ArticleBodySchema.read_only = frozenset(
    {**SingleArticleFieldsSchema._declared_fields, **ListedArticleFieldsSchema._declared_fields}
) - frozenset(ArticleBodySchema._declared_fields)


_COUNT_FIELDS: dict[str, ma.fields.Field[Any]] = {
    status: ma.fields.Integer(metadata={"example": 3}) for status in API_STATUSES
}


class ArticleCountsSchema(OutputSchema):
    """The numbers of articles in each status."""

    class Meta(OutputSchema.Meta):
        include = _COUNT_FIELDS

    any = ma.fields.Integer(metadata={"description": "The number of all articles.", "example": 12})
    edited = ma.fields.Integer(
        metadata={"description": "The number of articles with a working copy.", "example": 1}
    )
