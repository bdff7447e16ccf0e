"""Reads of articles: each loads all that its schema shows, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import InstrumentedAttribute, contains_eager, joinedload, selectinload

from blogapi.articles import documents, selections
from blogapi.articles.models import Article, ArticleTag
from blogapi.core.access import Caller
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window
from blogapi.core.pieces import Rendered
from blogapi.redirects.models import FormerSlug

# Names of fields; None: the documented ones.
Names = Sequence[str] | None

# The uuid of no article.
NOBODY = UUID(int=0)


def published(names: Names = None, window: Window | None = None, **filters: Any) -> Page[Rendered]:
    """Return the articles that everybody may see, in the fields of these names (None: the documented).

    Newest first unless `ordering` says otherwise. Filters: category and tag (sequences of uuids or slugs, any
    of them), author, slug, published_after (inclusive), published_before (exclusive), ordering.
    """
    return documents.listed(selections.public(**filters), window, names, public=True)


def written_by(
    author_id: UUID, names: Names = None, window: Window | None = None, **filters: Any
) -> Page[Rendered]:
    """Return all articles of the author in any status, drafts that have no date yet first."""
    return documents.listed(selections.of_author(author_id, **filters), window, names, public=False)


def visible(uuid: UUID, who: Caller, names: Names = None) -> Rendered:
    """Return the article if it exists for the caller, in the fields of these names; raises NotFound."""
    found = documents.one(uuid, names, public=not who.is_admin)
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
