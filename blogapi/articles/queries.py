"""Reads of articles: each loads all that its schema shows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi.articles import documents, selections
from blogapi.articles.documents import Snippets
from blogapi.articles.models import Article, ArticleTag
from blogapi.articles.rules import Status
from blogapi.core import clock
from blogapi.core.access import Caller
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window
from blogapi.core.pieces import Rendered
from blogapi.redirects.models import FormerSlug
from blogapi.search import queries as search

# Names of fields; None: the documented ones.
Names = Sequence[str] | None

# The uuid of no article.
NOBODY = UUID(int=0)


def published(names: Names = None, window: Window | None = None, **filters: Any) -> Page[Rendered]:
    """Return the articles that everybody may see, in the fields of these names (None: the documented).

    Newest first, hits of a search best first, unless `ordering` says otherwise. Filters: q, category and
    tag (sequences of uuids or slugs, any of them), author, slug, published_after (inclusive),
    published_before (exclusive), ordering.
    """
    if _is_search(filters):
        return _found(names, window, by=clock.now(), **filters)
    snippets = _snippets(filters)
    return documents.listed(selections.public(**filters), window, names, public=True, snippets=snippets)


def written_by(
    author_id: UUID, names: Names = None, window: Window | None = None, **filters: Any
) -> Page[Rendered]:
    """Return all articles of the author in any status, drafts that have no date yet first."""
    if _is_search(filters):
        return _found(names, window, author_id=author_id, **filters)
    chosen, snippets = selections.of_author(author_id, **filters), _snippets(filters)
    return documents.listed(chosen, window, names, public=False, snippets=snippets)


def visible(uuid: UUID, who: Caller, names: Names = None) -> Rendered:
    """Return the article if it exists for the caller, in the fields of these names; raises NotFound."""
    found = documents.one(uuid, names, public=not who.sees_drafts)
    if found is None:
        raise NotFound("There is no such article; GET /api/v1/blog/articles/ lists them.")
    return found


def shown(uuid: UUID, names: Names = None) -> Rendered:
    """Return the article in whatever state, in the fields of these names; raises NotFound."""
    found = documents.one(uuid, names)
    if found is None:
        raise NotFound("There is no such article.")
    return found


def by_uuid(uuid: UUID) -> Article:
    """Return the article in whatever state, with all that it shows; raises NotFound."""
    article = find(uuid)
    if article is None:
        raise NotFound("There is no such article.")
    return article


def find(uuid: UUID) -> Article | None:
    """Return the article in whatever state, with all that it shows, or None."""
    return db.session.scalar(_whole().where(Article.uuid == uuid))


def is_empty() -> bool:
    """Tell whether the blog holds no article."""
    return db.session.scalar(select(Article.uuid).limit(1)) is None


def next_visible(now: datetime) -> datetime | None:
    """Return when the next article becomes visible by the clock alone; None: nothing is scheduled.

    By its own date, not by what was due when it was written: another machine's clock may be ahead.
    """
    ahead = (Article.status == Status.PUBLISHED) & (Article.published_at > now)
    return db.session.scalar(select(func.min(Article.published_at)).where(ahead))


def slugs_like(slug: str, *, but: UUID | None = None) -> set[str]:
    """Return the slugs, present and former, that are this one or begin with it and a hyphen.

    Those of the article `but` do not count.
    """
    taken = select(Article.slug).where(_like(Article.slug, slug), Article.uuid != (but or NOBODY))
    once = select(FormerSlug.slug).where(
        _like(FormerSlug.slug, slug), FormerSlug.article_id != (but or NOBODY)
    )
    return {*db.session.scalars(taken), *db.session.scalars(once)}


def _like(column: InstrumentedAttribute[str], slug: str) -> ColumnElement[bool]:
    return (column == slug) | column.startswith(f"{slug}-", autoescape=True)


def _whole() -> Select[Article]:
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
    return partial(search.snippets, filters["q"]) if "q" in filters else None


def _found(
    names: Names,
    window: Window | None,
    *,
    q: str,
    by: datetime | None = None,
    author_id: UUID | None = None,
    **filters: Any,
) -> Page[Rendered]:
    uuids, total = search.found(q, window, by=by, among=selections.among(author_id, **filters))
    around = partial(search.snippets, q)
    return Page(documents.many(uuids, names, public=by is not None, snippets=around), total, window)
