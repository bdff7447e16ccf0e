"""Queries for articles; each of them executes a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi import clock
from blogapi.articles import json_reader
from blogapi.articles.filters import (
    NO_FILTERS,
    ArticleFilters,
    select_by_author,
    select_matching,
    select_public,
)
from blogapi.articles.json_reader import Snippets
from blogapi.articles.lifecycle import Status
from blogapi.articles.models import Article, ArticleRevision, ArticleTag, FormerSlug
from blogapi.search import queries as search
from blogapi.storage.database import db
from blogapi.web.access import Caller
from blogapi.web.errors import NotFound
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest

# The names of the fields to return, or None for the documented fields.
Names = Sequence[str] | None


def list_published(
    names: Names = None, page: PageRequest | None = None, filters: ArticleFilters = NO_FILTERS
) -> Page[JsonBody]:
    """Return a page of the public articles that match the filters, or all of them.

    Without `ordering`, the newest articles come first, or the best matches if there is a search query.
    """
    if _ranks_by_relevance(filters):
        return _search(names, page, filters, published_by=clock.now())
    snippets = _snippet_maker(filters)
    return json_reader.list_articles_json(select_public(filters), page, names, public=True, snippets=snippets)


def list_published_in_category(uuid: UUID) -> JsonBody:
    """Return the public articles of the category, newest first."""
    return list_published(filters=ArticleFilters(category=(str(uuid),))).rows


def list_published_with_tag(uuid: UUID) -> JsonBody:
    """Return the public articles with the tag, newest first."""
    return list_published(filters=ArticleFilters(tag=(str(uuid),))).rows


def list_by_author(
    author_id: UUID,
    names: Names = None,
    page: PageRequest | None = None,
    filters: ArticleFilters = NO_FILTERS,
) -> Page[JsonBody]:
    """Return the author's articles in any status that match the filters; undated drafts come first."""
    if _ranks_by_relevance(filters):
        return _search(names, page, filters, author_id=author_id)
    selection, snippets = select_by_author(author_id, filters), _snippet_maker(filters)
    return json_reader.list_articles_json(selection, page, names, public=False, snippets=snippets)


def get_visible_json(uuid: UUID, caller: Caller, names: Names = None) -> JsonBody:
    """Return the article; raises NotFound if it does not exist or the caller may not see it."""
    found = json_reader.get_article_json(uuid, names, public=not caller.sees_drafts)
    if found is None:
        raise NotFound("There is no such article; GET /api/v1/blog/articles/ lists them.")
    return found


def get_json(uuid: UUID, names: Names = None) -> JsonBody:
    """Return the article in any status; raises NotFound if it does not exist."""
    found = json_reader.get_article_json(uuid, names)
    if found is None:
        raise NotFound("There is no such article.")
    return found


def get_by_uuid(uuid: UUID) -> Article:
    """Return the article in any status, with category, tags and SEO record loaded.

    Raises NotFound if it does not exist.
    """
    article = find_by_uuid(uuid)
    if article is None:
        raise NotFound("There is no such article.")
    return article


def find_by_uuid(uuid: UUID) -> Article | None:
    """Return the article in any status, with category, tags and SEO record loaded, or None."""
    return db.session.scalar(_select_complete().where(Article.uuid == uuid))


def is_empty() -> bool:
    """Return whether the blog has no articles."""
    return db.session.scalar(select(Article.uuid).limit(1)) is None


def get_next_publication(now: datetime) -> datetime | None:
    """Return when the next scheduled article becomes public, or None if no article is scheduled.

    The query reads the articles and not the change log, because another machine with a faster clock may
    already have updated the change log.
    """
    scheduled = (Article.status == Status.PUBLISHED) & (Article.published_at > now)
    return db.session.scalar(select(func.min(Article.published_at)).where(scheduled))


def find_similar_slugs(slug: str, *, exclude: UUID) -> set[str]:
    """Return the current and former slugs that equal this slug or start with it and a hyphen.

    The slugs of the article `exclude` are left out.
    """
    current = select(Article.slug).where(_is_similar(Article.slug, slug), Article.uuid != exclude)
    former = select(FormerSlug.slug).where(
        _is_similar(FormerSlug.slug, slug), FormerSlug.article_id != exclude
    )
    return {*db.session.scalars(current), *db.session.scalars(former)}


def _is_similar(column: InstrumentedAttribute[str], slug: str) -> ColumnElement[bool]:
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


def _ranks_by_relevance(filters: ArticleFilters) -> bool:
    return bool(filters.q) and not filters.ordering


def _snippet_maker(filters: ArticleFilters) -> Snippets | None:
    return partial(search.make_snippets, filters.q) if filters.q else None


def _search(
    names: Names,
    page: PageRequest | None,
    filters: ArticleFilters,
    *,
    published_by: datetime | None = None,
    author_id: UUID | None = None,
) -> Page[JsonBody]:
    among = select_matching(author_id, replace(filters, q=""))
    uuids, total = search.search(filters.q, page, published_by=published_by, among=among)
    rows = json_reader.get_articles_json(
        uuids, names, public=published_by is not None, snippets=_snippet_maker(filters)
    )
    return Page(rows, total, page)


def get_last_revision_number(article_id: UUID) -> int:
    """Return the number of the newest former version, or 0 if there is none."""
    newest = select(func.max(ArticleRevision.number)).where(ArticleRevision.article_id == article_id)
    return db.session.scalar(newest) or 0
