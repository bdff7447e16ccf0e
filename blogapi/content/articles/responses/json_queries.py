"""Queries for articles as JSON: one article, several articles, and the pages of lists and searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from blogapi.content.articles import search_texts
from blogapi.content.articles.lifecycle import ANY_STATUS, API_STATUSES
from blogapi.content.articles.lists.conditions import NO_FILTERS, ArticleFilters
from blogapi.content.articles.lists.statements import (
    FEATURED_FIRST,
    ArticleList,
    build_list,
    limit_entries,
    select_matching,
    select_status_counts,
)
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.responses.article_bodies import Snippets
from blogapi.content.search.queries import make_snippets, search
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db
from blogapi.web.errors import InvalidQuery, NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import MAX_SEARCH_PAGE, Page, PageRequest

# The names of the fields to return, or None for the documented fields.
Names = Sequence[str] | None


def list_published(
    names: Names = None, page: PageRequest | None = None, filters: ArticleFilters = NO_FILTERS
) -> Page[JsonBody]:
    """Return a page of the public articles that match the filters, or all of them.

    Without `ordering`, the newest articles come first, or the best matches if there is a search query.
    """
    if _ranks_by_relevance(filters):
        return _search(names, page, filters)
    return _list_articles(build_list(filters, public=True), page, names, filters, public=True)


def list_published_in_category(uuid: UUID) -> JsonBody:
    """Return the public articles of the category, without its descendants, newest first."""
    return list_published(filters=ArticleFilters(category=(str(uuid),), exact=True)).rows


def list_published_with_tag(uuid: UUID) -> JsonBody:
    """Return the public articles with the tag, newest first."""
    return list_published(filters=ArticleFilters(tag=(str(uuid),))).rows


def list_published_by_author(uuid: UUID) -> JsonBody:
    """Return the public articles whose byline names the author, newest first."""
    return list_published(filters=ArticleFilters(author=str(uuid))).rows


def list_in_any_status(
    author_id: UUID | None,
    names: Names = None,
    page: PageRequest | None = None,
    filters: ArticleFilters = NO_FILTERS,
    *,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    """Return the author's articles (None: all articles) that match the filters.

    Without `ordering`, undated drafts come first. For `hashes_body`, see `article_bodies.get_article_bodies`.
    Raises InvalidQuery if articles in several statuses are ordered by `featured`, as no index has this order.
    """
    if filters.ordering == FEATURED_FIRST and filters.status in ("", ANY_STATUS):
        message = f"`{FEATURED_FIRST}` orders articles in one status; send `status` too."
        raise InvalidQuery(message, errors={"ordering": [message]})
    if filters.status == ANY_STATUS:
        filters = replace(filters, status="")
    if _ranks_by_relevance(filters):
        return _search(names, page, filters, author_id=author_id, public=False, hashes_body=hashes_body)
    articles = build_list(filters, public=False, author_id=author_id)
    return _list_articles(articles, page, names, filters, public=False, hashes_body=hashes_body)


def count_by_status(filters: ArticleFilters, author_id: UUID | None = None) -> Mapping[str, int]:
    """Return the numbers of the author's articles (None: of all articles) that match the filters, by status.

    `any` is the number of all of them, and `edited` the number of articles with a working copy.
    """
    statement = select_status_counts(author_id, filters)
    numbers = dict.fromkeys((*API_STATUSES, ANY_STATUS, "edited"), 0)
    for status, number, edited in db.session.connection().execute(statement):
        numbers[status] += number
        numbers[ANY_STATUS] += number
        numbers["edited"] += edited
    return numbers


def get_visible_json(
    uuid: UUID, names: Names = None, *, public: bool, type_: str = ItemType.ARTICLE.value
) -> JsonBody:
    """Return the article or page; raises NotFound if there is none, or with `public` if it is not public."""
    body = article_bodies.get_article_body(uuid, names, public=public, type_=type_)
    if body is None:
        raise NotFound(f"There is no such {type_}; GET /api/v1/blog/{type_}s/ lists them.")
    return body


def get_json(uuid: UUID, names: Names = None, *, type_: str | None = None) -> JsonBody:
    """Return the article in any status; raises NotFound if it does not exist or has another type."""
    body = article_bodies.get_article_body(uuid, names, type_=type_)
    if body is None:
        raise NotFound(f"There is no such {type_ or 'article'}.")
    return body


def get_several_json(uuids: Sequence[UUID], names: Names = None) -> JsonBody:
    """Return the JSON array of these articles, in any status and in this order."""
    rows = article_bodies.get_article_bodies(uuids, names, public=False)
    # The response to a write is built inside the transaction, but a stream would be read after its end.
    return rows if isinstance(rows.body, bytes) else replace(rows, body=b"".join(rows.body))


def _ranks_by_relevance(filters: ArticleFilters) -> bool:
    return bool(filters.q) and not filters.ordering


def _get_snippet_maker(filters: ArticleFilters) -> Snippets | None:
    def find(uuids: Sequence[UUID]) -> Mapping[UUID, str]:
        return make_snippets(filters.q, search_texts.read_texts(db.session.connection(), uuids))

    return find if filters.q else None


def _list_articles(
    articles: ArticleList,
    page: PageRequest | None,
    names: Names,
    filters: ArticleFilters,
    *,
    public: bool,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    page_body = article_bodies.list_article_bodies(
        articles, page, names, public=public, snippets=_get_snippet_maker(filters), hashes_body=hashes_body
    )
    return replace(page_body, max_number=MAX_SEARCH_PAGE) if filters.q else page_body


def _search(
    names: Names,
    page: PageRequest | None,
    filters: ArticleFilters,
    *,
    author_id: UUID | None = None,
    public: bool = True,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    scope, rest = limit_entries(filters) if public else (), replace(filters, q="")
    if public:
        rest = replace(rest, published_after=None, published_before=None)
    among = select_matching(author_id, rest, public=public)
    uuids, total = search(filters.q, page, scope=scope, among=among)
    rows = article_bodies.get_article_bodies(
        uuids, names, public=public, snippets=_get_snippet_maker(filters), hashes_body=hashes_body
    )
    return Page(rows, total, page, MAX_SEARCH_PAGE)
