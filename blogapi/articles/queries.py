"""Reads of articles: each loads all that its schema shows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi import clock
from blogapi.articles import filters as selections
from blogapi.articles import json_reader
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


def list_published(names: Names = None, window: PageRequest | None = None, **filters: Any) -> Page[JsonBody]:
    """Return the articles that everybody may see, in the fields of these names (None: the documented).

    Newest first, hits of a search best first, unless `ordering` says otherwise. Filters: q, category and
    tag (sequences of uuids or slugs, any of them), author, slug, published_after (inclusive),
    published_before (exclusive), ordering.
    """
    if _is_search(filters):
        return _search(names, window, by=clock.now(), **filters)
    snippets = _snippets(filters)
    return json_reader.list_articles_json(
        selections.select_public(**filters), window, names, public=True, snippets=snippets
    )


def list_by_author(
    author_id: UUID, names: Names = None, window: PageRequest | None = None, **filters: Any
) -> Page[JsonBody]:
    """Return all articles of the author in any status, drafts that have no date yet first."""
    if _is_search(filters):
        return _search(names, window, author_id=author_id, **filters)
    chosen, snippets = selections.select_by_author(author_id, **filters), _snippets(filters)
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


def _is_search(filters: Mapping[str, Any]) -> bool:
    return "q" in filters and "ordering" not in filters


def _snippets(filters: Mapping[str, Any]) -> Snippets | None:
    return partial(search.make_snippets, filters["q"]) if "q" in filters else None


def _search(
    names: Names,
    window: PageRequest | None,
    *,
    q: str,
    by: datetime | None = None,
    author_id: UUID | None = None,
    **filters: Any,
) -> Page[JsonBody]:
    uuids, total = search.search(q, window, by=by, among=selections.select_matching(author_id, **filters))
    around = partial(search.make_snippets, q)
    return Page(
        json_reader.get_articles_json(uuids, names, public=by is not None, snippets=around), total, window
    )


def last_number(article_id: UUID) -> int:
    """Return the number of the newest former version, 0 where there is none."""
    newest = select(func.max(ArticleRevision.number)).where(ArticleRevision.article_id == article_id)
    return db.session.scalar(newest) or 0
