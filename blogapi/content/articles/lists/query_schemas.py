"""The query parameters of requests for articles."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles.fields import SEARCHED_FIELDS
from blogapi.content.custom_fields.filters import CustomFiltersField
from blogapi.publication.visibility import ANY_STATUS, API_STATUSES
from blogapi.web.fields import BoundedList, Fields, Identifier, Language, Text, TextBoolean, Timestamp
from blogapi.web.pagination import MAX_PAGE_SIZE, MAX_SEARCH_PAGE, DetailQuery, ListQuery

ORDERINGS = (
    *("published_at", "-published_at", "title", "-title", "last_updated", "-last_updated"),
    "-featured",
)


#: The maximum number of values of a parameter for terms; each value of `tags_all` adds an SQL condition.
MAX_REFERENCES = 100


def _make_reference_parameter(description: str, *, example: str) -> BoundedList:
    """Return a repeatable parameter with uuids or slugs."""
    return BoundedList(
        Text(max_length=255, min_length=1),
        max_items=MAX_REFERENCES,
        metadata={
            "description": f"{description} At most {MAX_REFERENCES} values are allowed.",
            "example": [example],
        },
    )


class ArticleCountsQuery(DetailQuery):
    """The query parameters of a request for the numbers of articles."""

    q = Text(
        max_length=200,
        metadata={
            "description": f"Full-text query over {', '.join(('title', *SEARCHED_FIELDS))} and body. All "
            "words must match, the last one as a prefix. The articles are ordered by relevance unless "
            f"`ordering` is sent. A search has at most {MAX_SEARCH_PAGE} pages.",
            "example": "bread",
        },
    )
    category = _make_reference_parameter(
        "uuid or slug of a category. Articles in the category and in all categories below it match. If "
        "the parameter is repeated, articles in any of these categories match.",
        example="kitchen",
    )
    exact = TextBoolean(
        metadata={
            "description": "With `true`, `category` and `not_category` do not include subcategories.",
            "example": True,
        }
    )
    tag = _make_reference_parameter(
        "uuid or slug of a tag. If the parameter is repeated, articles with any of these tags match.",
        example="bread",
    )
    tags_all = _make_reference_parameter(
        "uuid or slug of a tag. If the parameter is repeated, articles with all of these tags match.",
        example="bread",
    )
    not_category = _make_reference_parameter(
        "uuid or slug of a category. Articles in the category and in the categories below it do not match. "
        "It can be repeated.",
        example="walks",
    )
    not_tag = _make_reference_parameter(
        "uuid or slug of a tag whose articles do not match. It can be repeated.", example="rye"
    )
    author = Text(
        max_length=255,
        min_length=1,
        metadata={
            "description": "uuid or slug of an author, or uuid of a user. An article matches if its "
            "`authors` contain this author; with the uuid of a user, also if its `author` is this user.",
            "example": "ada",
        },
    )
    language = Language(
        metadata={"description": "List only articles in this language (BCP 47).", "example": "de"}
    )
    custom = CustomFiltersField()


class ArticleListQuery(ListQuery, ArticleCountsQuery):
    """The query parameters of a request for a list of articles."""

    uuid = BoundedList(
        Identifier(),
        max_items=MAX_PAGE_SIZE,
        metadata={
            "description": f"uuid of an article. Repeat the parameter to list several articles, at most "
            f"{MAX_PAGE_SIZE}; those that do not exist are left out."
        },
    )
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
    updated_after = Timestamp(
        metadata={
            "description": "List only articles whose `last_updated` is this time or later.",
            "example": "2026-01-01T00:00:00Z",
        }
    )
    featured = TextBoolean(
        metadata={"description": "`true` lists only featured articles, `false` only the others."}
    )
    translation_key = Text(
        max_length=255,
        min_length=1,
        metadata={"description": "List only the translations with this key.", "example": "rye-bread"},
    )
    ordering = ma.fields.String(
        validate=validate.OneOf(ORDERINGS),
        metadata={
            "description": "`-featured` lists the featured articles first; both parts begin with the newest.",
            "example": "-published_at",
        },
    )
    status = ma.fields.String(
        validate=validate.OneOf((*API_STATUSES, ANY_STATUS)),
        metadata={
            "description": "For editors and admins: list all authors' articles in this status (`any`: all).",
            "example": "draft",
        },
    )
    working_copy = TextBoolean(
        metadata={
            "description": "For editors and admins: `true` lists all articles with a working copy, `false` "
            "the others."
        }
    )

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
