"""Reads the JSON documents that pages of the site show, as the API returns them to a reader without a key.

Only functions that answer requests to the API are called, so that the site shows what the API shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.fields import TEXT_FIELDS
from blogapi.content.articles.lists import counts
from blogapi.content.articles.lists.conditions import NO_FILTERS, ArticleFilters
from blogapi.content.articles.responses import article_bodies
from blogapi.content.taxonomies import term_json
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.content.taxonomies.term_json import IsPublic, ListArticles, TermArticleCounter, TermFilters
from blogapi.delivery.previews import service as previews
from blogapi.publication.visibility import ItemType, Status
from blogapi.site.heads import PageNumber
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import PageRequest

PAGE_SIZE = 10

_TAXONOMIES: Mapping[str, tuple[Taxonomy[Any], TermArticleCounter, ListArticles, IsPublic | None]] = {
    "category": (CATEGORIES, counts.CATEGORY_COUNTER, article_bodies.list_category_articles, None),
    "tag": (TAGS, counts.TAG_COUNTER, article_bodies.list_tag_articles, None),
    "author": (AUTHORS, counts.AUTHOR_COUNTER, article_bodies.list_author_articles, match_public_authors),
}

ENTRY_FIELDS = (
    *("uuid", "title", "url", "excerpt", "cover_image", "cover", "published_at", "language", "authors"),
    "links",
)
# The names of the text fields, such as the subtitle, that a page shows below the title.
LEAD_FIELDS = tuple(text.name for text in TEXT_FIELDS if text.is_previewed)
_ITEM_FIELDS = ("uuid", "title", *LEAD_FIELDS, "cover_image", "cover", "language", "html", "toc", "custom")
_PAGE_FIELDS = (*_ITEM_FIELDS, "url", "head", "translations", "parent")
_BYLINE_FIELDS = ("category", "tags", "authors", "links", "published_at", "reading_minutes")
_ARTICLE_FIELDS = (
    *(*_ITEM_FIELDS, *_BYLINE_FIELDS),
    *("url", "head", "translations", "excerpt", "previous", "next", "related"),
)
_PREVIEW_FIELDS = (*_ITEM_FIELDS, *_BYLINE_FIELDS, "parent", "status", "last_updated")

_SCROLLED_ELEMENT = re.compile(r"<(pre|table)(?=[ >])")


def list_published_items(
    names: Sequence[str], filters: ArticleFilters = NO_FILTERS, page: PageRequest | None = None
) -> tuple[list[Fields], int]:
    """Return the fields `names` of the public articles or pages that match the filters, and their number."""
    found = article_bodies.list_published_items(names, page, filters)
    return _parse_body(found.rows), found.total


def list_entries(filters: ArticleFilters, number: int = 1, size: int = PAGE_SIZE) -> tuple[list[Fields], int]:
    """Return one page of the public articles that match the filters, and the number of all these articles."""
    names = (*ENTRY_FIELDS, "snippet") if filters.q else ENTRY_FIELDS
    return list_published_items(names, filters, PageRequest(number, size))


def list_unlisted_items(kind: str) -> list[Fields]:
    """Return the fields `uuid` and `url` of all unlisted articles or pages."""
    filters = ArticleFilters(type=kind, status=Status.UNLISTED.value)
    items: list[Fields] = _parse_body(
        article_bodies.list_items_in_any_status(None, ("uuid", "url"), None, filters).rows
    )
    return items


def list_terms(kind: str, *names: str, language: str = "") -> list[Fields]:
    """Return the fields `names` of all terms of a kind that readers see, sorted by name.

    If `language` is set, `articles_count` counts only the articles in this language.
    """
    taxonomy, count, _, is_public = _TAXONOMIES[kind]
    condition, filters = is_public() if is_public else None, TermFilters(language=language)
    page = term_json.list_terms_json(taxonomy, names, None, condition, count_articles=count, filters=filters)
    terms: list[Fields] = _parse_body(page.rows)
    return terms


def get_term(kind: str, uuid: UUID, page: PageNumber) -> Fields:
    """Return the fields of a term; the field `head` describes this page of the list of its articles.

    Raises NotFound if readers do not see the term.
    """
    taxonomy, count, list_articles, is_public = _TAXONOMIES[kind]
    names = [name for name in taxonomy.fields_schema._declared_fields if name != "articles_by_status"]
    condition = is_public() if is_public else None
    body = term_json.get_term_json(
        taxonomy, uuid, list_articles, names, condition, count_articles=count, page=page
    )
    term: Fields = _parse_body(body)
    return term


def get_item(kind: str, uuid: UUID) -> Fields:
    """Return the fields that readers see of an article or page; raises NotFound if it is not public."""
    names = _ARTICLE_FIELDS if kind == ItemType.ARTICLE else _PAGE_FIELDS
    body = article_bodies.get_item_body(uuid, names, public=True, type_=kind)
    return _add_html_attributes(_parse_body(body))


def get_previewed_item(token: str) -> tuple[Fields, bool]:
    """Return the fields of the article or page of a preview link, and whether unpublished edits exist.

    Raises NotFound if the token is unknown.
    """
    body, has_edits = previews.get_item_json(token, _PREVIEW_FIELDS)
    return _add_html_attributes(_parse_body(body)), has_edits


def _add_html_attributes(item: Fields) -> Fields:
    """Return the item with the HTML attributes for scrolling wide blocks by keyboard and for video players.

    Pages send a Referer to their own host only, but players of other hosts need the origin. In sanitized
    HTML, `<` always begins a tag.
    """
    html = _SCROLLED_ELEMENT.sub(r'<\1 tabindex="0"', item["html"])
    return {**item, "html": html.replace("<iframe ", '<iframe referrerpolicy="strict-origin" ')}


def list_ancestors(items: Sequence[Fields], item: Mapping[str, Any]) -> list[Fields]:
    """Return the parent of an item, its parent and so on, the outermost first."""
    by_uuid, found = {one["uuid"]: one for one in items}, list[Fields]()
    above = by_uuid.get(item.get("parent"))
    while above is not None and above not in found:
        found.insert(0, above)
        above = by_uuid.get(above.get("parent"))
    return found


def make_item_tree(items: Sequence[Fields]) -> list[Fields]:
    """Return the items without a parent among the items, each with its children in `below`."""
    nodes = {one["uuid"]: {**one, "below": []} for one in items}
    for node in nodes.values():
        if node.get("parent") in nodes:
            nodes[node["parent"]]["below"].append(node)
    return [node for node in nodes.values() if node.get("parent") not in nodes]


def _parse_body(body: JsonBody) -> Any:
    return json.loads(body.body if isinstance(body.body, bytes) else b"".join(body.body))
