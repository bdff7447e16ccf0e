"""The schemas of the head of a page, which responses with articles and terms contain."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from blogapi.web.fields import Schema, StrictInteger
from blogapi.web.pagination import MAX_PAGE_NUMBER


def _make_meta_fields(*names: str, lists: tuple[str, ...] = ()) -> dict[str, ma.fields.Field[Any]]:
    return {
        **{name: ma.fields.String() for name in names},
        **{name: ma.fields.List(ma.fields.String()) for name in lists},
    }


OpenGraphSchema = Schema.from_dict(
    _make_meta_fields(
        *("og:type", "og:title", "og:description", "og:url", "og:image", "og:site_name", "og:locale"),
        *("og:image:width", "og:image:height"),
        *("article:published_time", "article:modified_time", "article:section"),
        lists=("article:author", "article:tag"),
    ),
    name="OpenGraphSchema",
)
TwitterCardSchema = Schema.from_dict(
    _make_meta_fields("twitter:card", "twitter:title", "twitter:description", "twitter:image"),
    name="TwitterCardSchema",
)


class AlternateSchema(ma.Schema):
    """The address of a page in a language."""

    language = ma.fields.String(metadata={"example": "de"})
    url = ma.fields.String()


class HeadSchema(ma.Schema):
    """The head of a page; unknown values are absent."""

    title = ma.fields.String()
    description = ma.fields.String()
    canonical = ma.fields.String()
    robots = ma.fields.String(metadata={"description": "`noindex` for an article that is not public."})
    alternates = ma.fields.List(
        ma.fields.Nested(AlternateSchema),
        metadata={"description": "The page itself and its translations, if there are any."},
    )
    open_graph = ma.fields.Nested(OpenGraphSchema)
    twitter = ma.fields.Nested(TwitterCardSchema)
    json_ld = ma.fields.Dict(
        metadata={
            "description": "A schema.org object for the page (such as a BlogPosting), and a BreadcrumbList."
        }
    )
    html = ma.fields.String(
        required=True, metadata={"description": "All fields of the head as HTML, safe to insert into <head>."}
    )


# The query parameter with the number of the page of a list that `head` describes.
HEAD_PAGE_FIELD = StrictInteger(
    minimum=1,
    maximum=MAX_PAGE_NUMBER,
    from_query=True,
    metadata={"description": "The page of the list of articles that `head` describes.", "example": 2},
)
