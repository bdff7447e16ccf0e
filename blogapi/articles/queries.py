"""Queries for articles; each of them executes a fixed number of statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, func, inspect, select, union_all
from sqlalchemy.orm import joinedload
from sqlalchemy.orm.attributes import set_committed_value

from blogapi.articles import json_reader, renderings, search_texts
from blogapi.articles.fields import SEARCHED_NAMES
from blogapi.articles.filters import (
    NO_FILTERS,
    ArticleFilters,
    Selection,
    make_period,
    select_in_any_status,
    select_matching,
    select_public,
    select_status_counts,
)
from blogapi.articles.json_reader import Snippets
from blogapi.articles.lifecycle import ANY_STATUS, API_STATUSES
from blogapi.articles.list_statements import FEATURED_FIRST
from blogapi.articles.models import (
    Article,
    ArticleAuthor,
    ArticleRevision,
    ArticleTag,
    FormerSlug,
    WorkingCopy,
)
from blogapi.publication.visibility import ItemType, scheduled
from blogapi.search import queries as search
from blogapi.storage.database import chunk, db, table_of
from blogapi.web.errors import InvalidQuery, NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import MAX_SEARCH_PAGE, Page, PageRequest
from blogapi.web.slug_lookup import SlugOwner, choose_owner

# The names of the fields to return, or None for the documented fields.
Names = Sequence[str] | None

_article, _former = table_of(Article).c, table_of(FormerSlug).c
_revision = table_of(ArticleRevision).c

# The text fields that are read before a write, to prepare it.
_PREPARED = tuple(dict.fromkeys((*renderings.RENDERED, "title", *SEARCHED_NAMES)))

# Every write executes these statements. They are built once, because building a statement takes longer than
# executing it.
_SELECT_TYPE = select(_article.type).where(_article.uuid == bindparam("uuid"))
_SELECT_FORMER_SLUGS = select(_former.slug).where(_former.article_id == bindparam("uuid"))
_SLUGS: Any = bindparam("slugs", expanding=True)
_SELECT_TAKEN_SLUGS = union_all(
    select(_article.slug).where(_article.slug.in_(_SLUGS), _article.uuid != bindparam("exclude")),
    select(_former.slug).where(_former.slug.in_(_SLUGS), _former.article_id != bindparam("exclude")),
)
_SELECT_SLUG_OWNERS = union_all(
    select(_article.uuid, _article.slug).where(_article.slug == bindparam("slug")),
    select(_article.uuid, _article.slug)
    .join(table_of(FormerSlug), _former.article_id == _article.uuid)
    .where(_former.slug == bindparam("slug")),
)
_SELECT_COMPLETE = (
    select(Article)
    .where(Article.uuid.in_(bindparam("uuids", expanding=True)))
    .options(joinedload(Article.seo))
)
_LINKS: dict[str, Select[Any]] = {
    name: select(model)
    .where(model.article_id.in_(bindparam("uuids", expanding=True)))
    .order_by(model.article_id, model.position)
    for name, model in (("tag_links", ArticleTag), ("author_links", ArticleAuthor))
}


def list_published(
    names: Names = None, page: PageRequest | None = None, filters: ArticleFilters = NO_FILTERS
) -> Page[JsonBody]:
    """Return a page of the public articles that match the filters, or all of them.

    Without `ordering`, the newest articles come first, or the best matches if there is a search query.
    """
    if _ranks_by_relevance(filters):
        return _search(names, page, filters)
    return _list(select_public(filters), page, names, filters, public=True)


def list_published_in_category(uuid: UUID) -> JsonBody:
    """Return the public articles of the category itself, newest first."""
    return list_published(filters=ArticleFilters(category=(str(uuid),), exact=True)).rows


def list_published_with_tag(uuid: UUID) -> JsonBody:
    """Return the public articles with the tag, newest first."""
    return list_published(filters=ArticleFilters(tag=(str(uuid),))).rows


def list_published_by_author(uuid: UUID) -> JsonBody:
    """Return the public articles whose byline has the author, newest first."""
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

    Without `ordering`, undated drafts come first. For `hashes_body`, see `json_reader.get_articles_json`.
    Raises InvalidQuery if articles in several statuses are ordered by `featured`, as no index has this order.
    """
    if filters.ordering == FEATURED_FIRST and filters.status in ("", ANY_STATUS):
        message = f"`{FEATURED_FIRST}` orders articles in one status; send `status` too."
        raise InvalidQuery(message, errors={"ordering": [message]})
    if filters.status == ANY_STATUS:
        filters = replace(filters, status="")
    if _ranks_by_relevance(filters):
        return _search(names, page, filters, author_id=author_id, public=False, hashes_body=hashes_body)
    selection = select_in_any_status(author_id, filters)
    return _list(selection, page, names, filters, public=False, hashes_body=hashes_body)


def count_by_status(filters: ArticleFilters, author_id: UUID | None = None) -> Mapping[str, int]:
    """Return the numbers of the author's articles (None: of all articles) that match the filters, by status.

    `any` is the number of all of them, and `edited` the number of those with a working copy.
    """
    statement, values = select_status_counts(author_id, filters)
    numbers = dict.fromkeys((*API_STATUSES, ANY_STATUS, "edited"), 0)
    for status, number, edited in db.session.connection().execute(statement, values):
        numbers[status] += number
        numbers[ANY_STATUS] += number
        numbers["edited"] += edited
    return numbers


def get_visible_json(
    uuid: UUID, names: Names = None, *, public: bool, type_: str = ItemType.ARTICLE.value
) -> JsonBody:
    """Return the article or page; raises NotFound if there is none, or with `public` if it is not public."""
    body = json_reader.get_article_json(uuid, names, public=public, type_=type_)
    if body is None:
        raise NotFound(f"There is no such {type_}; GET /api/v1/blog/{type_}s/ lists them.")
    return body


def get_json(uuid: UUID, names: Names = None, *, type_: str | None = None) -> JsonBody:
    """Return the article in any status; raises NotFound if it does not exist or has another type."""
    body = json_reader.get_article_json(uuid, names, type_=type_)
    if body is None:
        raise NotFound(f"There is no such {type_ or 'article'}.")
    return body


def get_several_json(uuids: Sequence[UUID], names: Names = None) -> JsonBody:
    """Return the JSON array of these articles, in any status and in this order."""
    rows = json_reader.get_articles_json(uuids, names, public=False)
    # The response to a write is built inside the transaction, but a stream would be read after the end of the
    # transaction.
    return rows if isinstance(rows.body, bytes) else replace(rows, body=b"".join(rows.body))


def check_exists(uuid: UUID, type_: str | None = None) -> None:
    """Raise NotFound if there is no article (with `type_`: no item of this type) with this uuid."""
    found = db.session.connection().scalar(_SELECT_TYPE, {"uuid": uuid})
    if found is None or type_ not in (None, found):
        raise NotFound(f"There is no such {type_ or 'article'}.")


def get_by_uuid(uuid: UUID) -> Article:
    """Return the article in any status, with tags, authors and SEO record loaded.

    Raises NotFound if the article does not exist.
    """
    article = find_by_uuid(uuid)
    if article is None:
        raise NotFound("There is no such article.")
    return article


def find_by_uuid(uuid: UUID) -> Article | None:
    """Return the article in any status, with tags, authors and SEO record loaded, or None."""
    return find_by_uuids([uuid]).get(uuid)


def find_by_uuids(uuids: Sequence[UUID]) -> dict[UUID, Article]:
    """Return the existing articles with these uuids, with tags, authors and SEO records loaded."""
    articles_by_uuid: dict[UUID, Article] = {}
    for batch in chunk(uuids):
        articles = db.session.scalars(_SELECT_COMPLETE, {"uuids": batch}).all()
        for name, statement in _LINKS.items():
            _load_links(name, statement, articles)
        articles_by_uuid |= {article.uuid: article for article in articles}
    return articles_by_uuid


def _load_links(name: str, statement: Select[Any], articles: Sequence[Article]) -> None:
    """Load the tag links or author links of the articles, unless they are loaded."""
    # `selectinload` would build its statement again for every execution.
    unloaded = [article for article in articles if name in inspect(article).unloaded]
    if not unloaded:
        return
    links: defaultdict[UUID, list[ArticleTag | ArticleAuthor]] = defaultdict(list)
    for link in db.session.scalars(statement, {"uuids": [article.uuid for article in unloaded]}):
        links[link.article_id].append(link)
    for article in unloaded:
        set_committed_value(article, name, links[article.uuid])


def find_former_slugs(uuid: UUID) -> set[str]:
    """Return the former slugs of the article."""
    return set(db.session.connection().scalars(_SELECT_FORMER_SLUGS, {"uuid": uuid}))


def find_slug_owner(slug: str) -> SlugOwner | None:
    """Return the article, in any status, that has or had this slug, or None."""
    return choose_owner(db.session.connection().execute(_SELECT_SLUG_OWNERS, {"slug": slug}), slug)


def find_contents(uuids: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    """Return the texts of the existing articles with these uuids that rendering and searches need."""
    contents: dict[UUID, dict[str, str]] = {}
    for batch in chunk(uuids):
        columns = select(_article.uuid, *(_article[name] for name in _PREPARED))
        for uuid, *texts in db.session.connection().execute(columns.where(_article.uuid.in_(batch))):
            contents[uuid] = dict(zip(_PREPARED, texts, strict=True))
    return contents


def is_empty() -> bool:
    """Return whether the blog has no articles."""
    return db.session.scalar(select(Article.uuid).limit(1)) is None


def get_next_publication(now: datetime) -> datetime | None:
    """Return the time at which the next scheduled article becomes public, or None if there is none.

    The query reads the articles and not the events, because another machine with a faster clock may
    already have written the event.
    """
    return db.session.scalar(select(func.min(Article.published_at)).where(scheduled(Article, now)))


def find_taken_slugs(slugs: Sequence[str], *, exclude: UUID) -> set[str]:
    """Return those of the slugs that an article other than `exclude` has or had."""
    values = {"slugs": slugs, "exclude": exclude}
    return set(db.session.connection().scalars(_SELECT_TAKEN_SLUGS, values))


def _ranks_by_relevance(filters: ArticleFilters) -> bool:
    return bool(filters.q) and not filters.ordering


def _snippet_maker(filters: ArticleFilters) -> Snippets | None:
    return partial(_make_snippets, filters.q) if filters.q else None


def _make_snippets(query: str, uuids: Sequence[UUID]) -> Mapping[UUID, str]:
    return search.make_snippets(query, search_texts.read_texts(db.session.connection(), uuids))


def _list(
    selection: Selection,
    page: PageRequest | None,
    names: Names,
    filters: ArticleFilters,
    *,
    public: bool,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    page_body = json_reader.list_articles_json(
        selection, page, names, public=public, snippets=_snippet_maker(filters), hashes_body=hashes_body
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
    period, rest = None, replace(filters, q="")
    if public:
        period, rest = make_period(filters), replace(rest, published_after=None, published_before=None)
    among = select_matching(author_id, rest, public=public)
    uuids, total = search.search(filters.q, page, period=period, among=among)
    rows = json_reader.get_articles_json(
        uuids, names, public=public, snippets=_snippet_maker(filters), hashes_body=hashes_body
    )
    return Page(rows, total, page, MAX_SEARCH_PAGE)


def get_last_revision_numbers(uuids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the highest revision number of each article that has revisions, by uuid."""
    numbers: dict[UUID, int] = {}
    for batch in chunk(uuids):
        newest = select(_revision.article_id, func.max(_revision.number)).group_by(_revision.article_id)
        rows = db.session.connection().execute(newest.where(_revision.article_id.in_(batch)))
        numbers.update((uuid, number) for uuid, number in rows)
    return numbers


def find_working_copies(uuids: Sequence[UUID]) -> dict[UUID, WorkingCopy]:
    """Return the working copies of these articles, by the uuid of the article."""
    copies: list[WorkingCopy] = []
    for batch in chunk(uuids):
        copies += db.session.scalars(select(WorkingCopy).where(WorkingCopy.article_id.in_(batch)))
    return {copy.article_id: copy for copy in copies}
