"""Request and response bodies that the terms of every taxonomy share."""

from __future__ import annotations

import marshmallow as ma

from blogapi.site.head_schemas import HEAD_PAGE_FIELD, HeadSchema
from blogapi.web.fields import (
    Identifier,
    InputSchema,
    Language,
    OutputSchema,
    Slug,
    Text,
    TextBoolean,
    Timestamp,
    WebAddress,
)
from blogapi.web.media_addresses import PictureAddress, PictureReference
from blogapi.web.pagination import DetailQuery, ListQuery

ORDERINGS = ("name", "-articles")


# The address of the page of an item, computed when the item is read.
PAGE_URL_FIELD = ma.fields.String(
    dump_only=True,
    metadata={"description": "The address of the page. It is absent if the site has no `url`."},
)


class TermDetails(ma.Schema):
    """The fields of a term that a response has only if `fields` names them."""

    cover_image = PictureAddress(metadata={"description": "URL of a picture; may be empty."})
    seo_title = ma.fields.String(
        metadata={"description": "The title of the page. If it is empty, the page has the name as its title."}
    )
    seo_description = ma.fields.String(
        metadata={
            "description": "The description for search engines. If it is empty, search engines get the "
            "beginning of `description`."
        }
    )
    og_image = PictureAddress(
        metadata={"description": "The picture of shared links. If it is empty, shared links show the cover."}
    )
    canonical_url = ma.fields.String(metadata={"description": "May be empty."})
    language = ma.fields.String(
        metadata={"description": "A language tag (BCP 47), or empty for the language of the site."}
    )
    head = ma.fields.Nested(HeadSchema)
    articles_count = ma.fields.Integer(metadata={"minimum": 0, "description": "Number of public articles."})
    articles_by_status = ma.fields.Dict(
        ma.fields.String(),
        ma.fields.Integer(metadata={"minimum": 1}),
        metadata={
            "description": "For editors and admins: the numbers of articles by status, without zeros.",
            "example": {"published": 54, "draft": 5},
        },
    )


class TermDetailsBody(ma.Schema):
    """The fields of `TermDetails` that a client writes."""

    cover_image = PictureReference()
    seo_title = Text(max_length="MAX_TITLE")
    seo_description = Text(max_length=10_000)
    og_image = PictureReference(metadata={"description": "URL of a picture. Default: the cover."})
    canonical_url = WebAddress()
    language = Language(may_be_empty=True, metadata={"example": "de"})


class TermSchema(OutputSchema):
    """A term with all its fields."""

    uuid = Identifier()
    created = Timestamp(aware=False, dump_only=True)
    last_updated = Timestamp(aware=False, dump_only=True)
    name = ma.fields.String(metadata={"example": "slow food"})
    slug = ma.fields.String(metadata={"example": "slow-food"})
    user = Identifier(attribute="owner_id")


class TermListQuery(ListQuery):
    """The query parameters of a request for a list of terms; a subclass adds `fields_`."""

    q = Text(
        max_length=200,
        metadata={
            "description": "List only items whose name or slug contains this text, ignoring case. Items "
            "whose name begins with it come first.",
            "example": "slow",
        },
    )
    used = ma.fields.String(
        validate=ma.validate.OneOf(("never", "hidden")),
        metadata={
            "description": "For editors and admins: list only items without articles (`never`), or items "
            "whose articles are all drafts or archived (`hidden`)."
        },
    )
    similar = TextBoolean(
        metadata={
            "description": "For editors and admins: `true` lists only items whose name equals the name of "
            "another item except for case, accents, spaces, punctuation or an English plural. Similar items "
            "follow each other; `ordering` is ignored."
        },
    )
    ordering = ma.fields.String(
        validate=ma.validate.OneOf(ORDERINGS),
        metadata={
            "description": "The order: by name or, for editors and admins, by the number of articles "
            "(`-articles`).",
            "example": "name",
        },
    )
    slug = Text(
        max_length=255,
        min_length=1,
        metadata={"description": "Current or former slug.", "example": "slow-food"},
    )
    language = Language(
        metadata={
            "description": "`articles_count` counts only articles in this language (BCP 47).",
            "example": "de",
        }
    )


class TermQuery(DetailQuery):
    """The query parameters of a request for a term; a subclass adds `fields_`."""

    page = HEAD_PAGE_FIELD


class TermBodySchema(InputSchema):
    """The fields of a term that a client writes."""

    read_only = frozenset(
        {
            "uuid",
            "user",
            "created",
            "last_updated",
            "articles",
            "articles_count",
            "articles_by_status",
            "head",
        }
    )

    name = Text(max_length="MAX_NAME", required=True, metadata={"example": "slow food"})
    slug = Slug(metadata={"example": "slow-food"})
