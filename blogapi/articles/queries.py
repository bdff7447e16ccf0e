"""Reads of articles: each loads all that its schema shows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi import clock
from blogapi.articles import filters as selections
from blogapi.articles import json_reader
from blogapi.articles.filters import NO_FILTERS, ArticleFilters
from blogapi.articles.json_reader import Snippets
from blogapi.articles.lifecycle import Status
from blogapi.articles.models import Article, ArticleRevision, ArticleTag, FormerSlug
from blogapi.search import queries as search
from blogapi.storage.database import db
from blogapi.web.access import Caller
from blogapi.web.errors import NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest

# Names of fields; None: the documented ones.
Names = Sequence[str] | None

# The uuid of no article.
NO_UUID = UUID(int=0)


def list_published(
    names: Names = None, window: PageRequest | None = None, filters: ArticleFilters = NO_FILTERS
) -> Page[JsonBody]:
    """Return the articles that everybody may see, in the fields of these names (None: the documented).

    Newest first, hits of a search best first, unless `ordering` says otherwise.
    """
    if _is_search(filters):
        return _search(names, window, filters, by=clock.now())
    snippets = _snippets(filters)
    return json_reader.list_articles_json(
        selections.select_public(filters), window, names, public=True, snippets=snippets
    )


def list_published_in_category(uuid: UUID) -> JsonBody:
    """Return the published articles of the category, newest first."""
    return list_published(filters=ArticleFilters(category=(str(uuid),))).rows


def list_published_with_tag(uuid: UUID) -> JsonBody:
    """Return the published articles that have the tag, newest first."""
    return list_published(filters=ArticleFilters(tag=(str(uuid),))).rows


def list_by_author(
    author_id: UUID,
    names: Names = None,
    window: PageRequest | None = None,
    filters: ArticleFilters = NO_FILTERS,
) -> Page[JsonBody]:
    """Return all articles of the author in any status, drafts that have no date yet first."""
    if _is_search(filters):
        return _search(names, window, filters, author_id=author_id)
    chosen, snippets = selections.select_by_author(author_id, filters), _snippets(filters)
    return json_reader.list_articles_json(chosen, window, names, public=False, snippets=snippets)


def get_visible_json(uuid: UUID, who: Caller, names: Names = None) -> JsonBody:
    """Return the article if it exists for the caller, in the fields of these names; raises NotFound."""
    found = json_reader.get_article_json(uuid, names, public=not who.sees_drafts)
    if found is None:
        raise NotFound("There is no such article; GET /api/v1/blog/articles/ lists them.")
    return found


def get_json(uuid: UUID, names: Names = None) -> JsonBody:
    """Return the article in whatever state, in the fields of these names; raises NotFound."""
    found = json_reader.get_article_json(uuid, names)
    if found is None:
        raise NotFound("There is no such article.")
    return found


def get_by_uuid(uuid: UUID) -> Article:
    """Return the article in whatever state, with all that it shows; raises NotFound."""
    article = find_by_uuid(uuid)
    if article is None:
        raise NotFound("There is no such article.")
    return article


def find_by_uuid(uuid: UUID) -> Article | None:
    """Return the article in whatever state, with all that it shows, or None."""
    return db.session.scalar(_select_complete().where(Article.uuid == uuid))


def is_empty() -> bool:
    """Tell whether the blog holds no article."""
    return db.session.scalar(select(Article.uuid).limit(1)) is None


def next_publication(now: datetime) -> datetime | None:
    """Return when the next article becomes visible by the clock alone; None: nothing is scheduled.

    By its own date, not by what was due when it was written: another machine's clock may be ahead.
    """
    ahead = (Article.status == Status.PUBLISHED) & (Article.published_at > now)
    return db.session.scalar(select(func.min(Article.published_at)).where(ahead))


def find_similar_slugs(slug: str, *, but: UUID | None = None) -> set[str]:
    """Return the slugs, present and former, that are this one or begin with it and a hyphen.

    Those of the article `but` do not count.
    """
    taken = select(Article.slug).where(_like(Article.slug, slug), Article.uuid != (but or NO_UUID))
    once = select(FormerSlug.slug).where(
        _like(FormerSlug.slug, slug), FormerSlug.article_id != (but or NO_UUID)
    )
    return {*db.session.scalars(taken), *db.session.scalars(once)}


def _like(column: InstrumentedAttribute[str], slug: str) -> ColumnElement[bool]:
    return (column == slug) | column.startswith(f"{slug}-", autoescape=True)


def _select_complete() -> Select[Article]:
    return (
        select(Article)
        .join(Article.category)
        .options(
            contains_eager(Article.category),
            joinedload(Article.seo, innerjoin=True),
            selectinload(Article.tag_links).joinedload(ArticleTag.tag, innerjoin=True),
        )
    )


def _is_search(filters: ArticleFilters) -> bool:
    return bool(filters.q) and not filters.ordering


def _snippets(filters: ArticleFilters) -> Snippets | None:
    return partial(search.make_snippets, filters.q) if filters.q else None


def _search(
    names: Names,
    window: PageRequest | None,
    filters: ArticleFilters,
    *,
    by: datetime | None = None,
    author_id: UUID | None = None,
) -> Page[JsonBody]:
    among = selections.select_matching(author_id, replace(filters, q=""))
    uuids, total = search.search(filters.q, window, by=by, among=among)
    around = partial(search.make_snippets, filters.q)
    return Page(
        json_reader.get_articles_json(uuids, names, public=by is not None, snippets=around), total, window
    )


def last_number(article_id: UUID) -> int:
    """Return the number of the newest former version, 0 where there is none."""
    newest = select(func.max(ArticleRevision.number)).where(ArticleRevision.article_id == article_id)
    return db.session.scalar(newest) or 0
