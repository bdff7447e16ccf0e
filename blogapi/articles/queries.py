"""Reads of articles: each loads all that its schema shows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi.articles.models import Article, ArticleTag
from blogapi.articles.rules import SCHEDULED, Status
from blogapi.categories.models import Category
from blogapi.core import clock
from blogapi.core.access import Caller
from blogapi.core.database import bytewise, db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.core.schema import uuid_of
from blogapi.redirects.models import FormerSlug
from blogapi.tags.models import Tag

# The uuid of no article.
NOBODY = UUID(int=0)


def published(window: Window | None = None, **filters: Any) -> Page[Article]:
    """Return the articles that everybody may see, newest first unless `ordering` says otherwise.

    Filters: category and tag (sequences of uuids or slugs, any of them), author, slug,
    published_after (inclusive), published_before (exclusive), ordering.
    """
    return paged(_narrowed(_whole().where(Article.visible_at(clock.now())), **filters), window)


def written_by(author_id: UUID, window: Window | None = None, **filters: Any) -> Page[Article]:
    """Return all articles of the author in any status, drafts that have no date yet first."""
    return paged(_narrowed(_whole().where(Article.author_id == author_id), **filters), window)


def visible(uuid: UUID, who: Caller) -> Article:
    """Return the article if it exists for the caller, with all that it shows; raises NotFound."""
    statement = _whole().where(Article.uuid == uuid)
    if not who.is_admin:
        statement = statement.where(Article.visible_at(clock.now()))
    article = db.session.scalar(statement)
    if article is None:
        raise NotFound("There is no such article; GET /api/v1/blog/articles/ lists them.")
    return article


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


def _narrowed(
    statement: Select[Article],
    *,
    category: Sequence[str] = (),
    tag: Sequence[str] = (),
    author: UUID | None = None,
    slug: str | None = None,
    published_after: datetime | None = None,
    published_before: datetime | None = None,
    status: str | None = None,
    ordering: str = "-published_at",
) -> Select[Article]:
    conditions: list[ColumnElement[bool] | None] = [
        _any_of(Category, category) if category else None,
        Article.uuid.in_(_tagged(tag)) if tag else None,
        Article.author_id == author if author else None,
        or_(Article.slug == slug, Article.uuid.in_(_once_called(slug))) if slug else None,
        Article.published_at >= published_after if published_after else None,
        Article.published_at < published_before if published_before else None,
        _in_status(status, clock.now()) if status else None,
    ]
    return statement.where(*(one for one in conditions if one is not None)).order_by(*_ORDERINGS[ordering])


def _any_of(model: type[Category | Tag], references: Sequence[str]) -> ColumnElement[bool]:
    uuids = [uuid for reference in references if (uuid := uuid_of(reference))]
    return or_(model.uuid.in_(uuids), model.slug.in_(references))


def _once_called(slug: str) -> Select[UUID]:
    return select(FormerSlug.article_id).where(FormerSlug.slug == slug)


def _tagged(references: Sequence[str]) -> Select[UUID]:
    return select(ArticleTag.article_id).join(ArticleTag.tag).where(_any_of(Tag, references))


def _in_status(status: str, now: datetime) -> ColumnElement[bool]:
    if status == SCHEDULED:
        return and_(Article.status == Status.PUBLISHED, Article.published_at > now)
    if status == Status.PUBLISHED:
        return Article.visible_at(now)
    return Article.status == status


_UUID: ColumnElement[UUID] = Article.__table__.c.uuid

# An article without a date is a draft at work: where the newest come first, it comes before them.
_ORDERINGS: dict[str, tuple[ColumnElement[Any], ...]] = {
    "-published_at": (Article.published_at.desc().nulls_first(), _UUID),
    "published_at": (Article.published_at.asc().nulls_last(), _UUID),
    "title": (func.lower(bytewise(Article.title)).asc(), _UUID),
    "-title": (func.lower(bytewise(Article.title)).desc(), _UUID),
}
