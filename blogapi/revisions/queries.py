"""Reads of former versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select

from blogapi.articles.content import ArticleContent
from blogapi.articles.models import Article, ArticleRevision
from blogapi.articles.service import TEXT_DEFAULTS
from blogapi.storage.database import db
from blogapi.web.errors import NotFound
from blogapi.web.fields import WithAttributes
from blogapi.web.pagination import Page, PageRequest, paginate


def list_revisions(article_id: UUID, window: PageRequest | None) -> Page[Sequence[Any]]:
    """Return the former versions of an article, also of a deleted one, newest first.

    Raises NotFound where there never was such an article.
    """
    statement = (
        select(ArticleRevision)
        .where(ArticleRevision.article_id == article_id)
        .order_by(ArticleRevision.number.desc())
    )
    page = paginate(statement, window)
    if not page.total and db.session.scalar(select(Article.uuid).where(Article.uuid == article_id)) is None:
        raise NotFound("There is no such article.")
    return Page([with_content(row) for row in page.rows], page.total, page.window)


def get_revision(article_id: UUID, number: int) -> ArticleRevision:
    """Return the former version; raises NotFound."""
    revision = db.session.get(ArticleRevision, (article_id, number))
    if revision is None:
        raise NotFound("There is no such version; GET …/revisions/ lists them.")
    return revision


def load_content(revision: ArticleRevision) -> ArticleContent:
    """Return all that was written of the version; a text field that is younger has its default."""
    stored = json.loads(revision.content)
    at = stored["published_at"]
    return ArticleContent(
        texts={name: stored.get(name, text) for name, text in TEXT_DEFAULTS.items()},
        slug=stored["slug"],
        status=stored["status"],
        published_at=at and datetime.fromisoformat(at),
        category=UUID(stored["category"]),
        tags=tuple(UUID(tag) for tag in stored["tags"]),
        seo=stored["seo"],
    )


def with_content(revision: ArticleRevision) -> WithAttributes:
    """Return the version with all that was written beside who wrote it, and when."""
    return WithAttributes(revision, **load_content(revision).flatten())
