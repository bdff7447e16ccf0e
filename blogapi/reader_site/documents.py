"""Reads the documents that the pages of the site show, as the API returns them to a reader without a key.

Only functions that answer requests to the API are called, so that the site shows what the API shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from blogapi.content.articles.author_visibility import author_is_public
from blogapi.content.articles.fields import TEXT_FIELDS
from blogapi.content.articles.lists import counts
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.responses import article_bodies
from blogapi.content.taxonomies import term_json
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.content.taxonomies.term_json import CountArticles, IsPublic, ListArticles, TermFilters
from blogapi.delivery.previews import service as previews
from blogapi.publication.visibility import ItemType, Status
from blogapi.site.heads import PageNumber
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import PageRequest

PAGE_SIZE = 10

_TAXONOMIES: Mapping[str, tuple[Taxonomy[Any], CountArticles, ListArticles, IsPublic | None]] = {
    "category": (CATEGORIES, counts.count_in_categories, article_bodies.list_published_in_category, None),
    "tag": (TAGS, counts.count_with_tags, article_bodies.list_published_with_tag, None),
    "author": (AUTHORS, counts.count_by_authors, article_bodies.list_published_by_author, author_is_public),
}

_ENTRY_FIELDS = (
    *("uuid", "title", "url", "excerpt", "cover_image", "cover", "published_at", "language", "authors"),
    "links",
)
# The names of the text fields that a page shows below the title.
TEXTS = tuple(text.name for text in TEXT_FIELDS if text.is_previewed)
_ARTICLE_FIELDS = (
    *("uuid", "title", *TEXTS, "category", "tags", "authors", "cover_image", "cover", "language", "url"),
    *("excerpt", "html", "toc", "head", "previous", "next", "related", "reading_minutes", "links"),
    *("published_at", "translations", "custom"),
)
_PAGE_FIELDS = (
    *("uuid", "title", *TEXTS, "cover_image", "cover", "language", "url", "html", "toc", "head"),
    *("parent", "translations", "custom"),
)

_PREVIEW_FIELDS = (
    *("uuid", "title", *TEXTS, "category", "tags", "authors", "cover_image", "cover", "language", "html"),
    *("toc", "reading_minutes", "links", "published_at", "custom", "parent", "status", "last_updated"),
)
_SCROLLED_ELEMENT = re.compile(r"<(pre|table)(?=[ >])")


def list_articles(
    filters: ArticleFilters, number: int = 1, size: int = PAGE_SIZE
) -> tuple[list[Fields], int]:
    """Return a page of the public articles that match the filters, and the number of all that match."""
    names = (*_ENTRY_FIELDS, "snippet") if filters.q else _ENTRY_FIELDS
    page = article_bodies.list_published(names, PageRequest(number, size), filters)
    return _parse_list(page.rows), page.total


def list_titles() -> list[Fields]:
    """Return the title, the address, the language and the time of all public articles, newest first."""
    return _parse_list(article_bodies.list_published(("title", "url", "language", "published_at")).rows)


def list_items(kind: str, *, unlisted: bool = False) -> list[Fields]:
    """Return the uuids and addresses of all listed (or with `unlisted`, all unlisted) articles or pages."""
    if unlisted:
        filters = ArticleFilters(type=kind, status=Status.UNLISTED.value)
        return _parse_list(article_bodies.list_in_any_status(None, ("uuid", "url"), None, filters).rows)
    filters = ArticleFilters(type=kind)
    return _parse_list(article_bodies.list_published(("uuid", "url"), None, filters).rows)


def list_pages() -> list[Fields]:
    """Return the titles and addresses of the public pages, by their position."""
    filters = ArticleFilters(ordering="position", type=ItemType.PAGE.value)
    return _parse_list(
        article_bodies.list_published(("uuid", "title", "url", "parent", "language"), None, filters).rows
    )


def list_terms(kind: str, *names: str, language: str = "") -> list[Fields]:
    """Return the fields `names` of all terms of a kind that readers see, sorted by name.

    With a language, the articles in this language are counted.
    """
    taxonomy, count, _, is_public = _TAXONOMIES[kind]
    condition = is_public() if is_public else None
    return _parse_list(
        term_json.list_json(
            taxonomy, names, None, condition, count_articles=count, filters=TermFilters(language=language)
        ).rows
    )


def get_term(kind: str, uuid: UUID, page: PageNumber) -> Fields:
    """Return the fields of a term that a page of its articles shows.

    Raises NotFound if readers do not see the term.
    """
    taxonomy, count, list_articles, is_public = _TAXONOMIES[kind]
    names = [name for name in taxonomy.fields_schema._declared_fields if name != "articles_by_status"]
    condition = is_public() if is_public else None
    return _parse_object(
        term_json.get_json(taxonomy, uuid, list_articles, names, condition, count_articles=count, page=page)
    )


def get_item(kind: str, uuid: UUID) -> Fields:
    """Return the fields of an article or page that its page shows; raises NotFound if it is not public."""
    names = _ARTICLE_FIELDS if kind == ItemType.ARTICLE else _PAGE_FIELDS
    return _prepare_html(_parse_object(article_bodies.get_json(uuid, names, public=True, type_=kind)))


def get_previewed_item(token: str) -> tuple[Fields, bool]:
    """Return the fields of the article or page of a preview link, and whether it has edits.

    Raises NotFound if the token is unknown.
    """
    body, has_edits = previews.get_item_json(token, _PREVIEW_FIELDS)
    return _prepare_html(_parse_object(body)), has_edits


def _prepare_html(item: Fields) -> Fields:
    """Return the item with HTML in which wide blocks can be scrolled with the keyboard, and players work.

    Pages send a Referer to their own host only, but players of other hosts need the origin. In sanitized
    HTML, `<` always begins an element.
    """
    html = _SCROLLED_ELEMENT.sub(r'<\1 tabindex="0"', item["html"])
    return {**item, "html": html.replace("<iframe ", '<iframe referrerpolicy="strict-origin" ')}


def list_ancestors(items: Sequence[Fields], item: Mapping[str, Any]) -> list[Fields]:
    """Return the items above an item, the outermost first."""
    by_uuid, found = {one["uuid"]: one for one in items}, list[Fields]()
    above = by_uuid.get(item.get("parent"))
    while above is not None and above not in found:
        found.insert(0, above)
        above = by_uuid.get(above.get("parent"))
    return found


def make_tree(items: Sequence[Fields], parent: str | None = None) -> list[Fields]:
    """Return the items below `parent` (None: the top level), each with the items below it in `below`.

    An item whose parent is not among the items is at the top level.
    """
    known = {one["uuid"] for one in items}

    def list_below(uuid: str | None) -> list[Fields]:
        return [
            {**one, "below": list_below(one["uuid"])}
            for one in items
            if (one.get("parent") if one.get("parent") in known else None) == uuid
        ]

    return list_below(parent)


def _parse_object(body: JsonBody) -> Fields:
    assert isinstance(body.body, bytes), "only lists are streamed"
    fields: Fields = json.loads(body.body)
    return fields


def _parse_list(body: JsonBody) -> list[Fields]:
    items: list[Fields] = json.loads(body.body if isinstance(body.body, bytes) else b"".join(body.body))
    return items
