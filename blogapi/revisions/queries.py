"""Reads of former versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from blogapi.articles.models import Article
from blogapi.articles.rules import Content
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.core.schema import Seen
from blogapi.revisions.models import ArticleRevision


def listed(article_id: UUID, window: Window | None) -> Page[Sequence[Any]]:
    """Return the former versions of an article, also of a deleted one, newest first.

    Raises NotFound where there never was such an article.
    """
    statement = (
        select(ArticleRevision)
        .where(ArticleRevision.article_id == article_id)
        .order_by(ArticleRevision.number.desc())
    )
    page = paged(statement, window)
    if not page.total and db.session.scalar(select(Article.uuid).where(Article.uuid == article_id)) is None:
        raise NotFound("There is no such article.")
    return Page([seen(row) for row in page.rows], page.total, page.window)


def one(article_id: UUID, number: int) -> ArticleRevision:
    """Return the former version; raises NotFound."""
    revision = db.session.get(ArticleRevision, (article_id, number))
    if revision is None:
        raise NotFound("There is no such version; GET …/revisions/ lists them.")
    return revision


def last_number(article_id: UUID) -> int:
    """Return the number of the newest former version, 0 where there is none."""
    newest = select(func.max(ArticleRevision.number)).where(ArticleRevision.article_id == article_id)
    return db.session.scalar(newest) or 0


def content_of(revision: ArticleRevision) -> Content:
    """Return all that was written of the version, as `articles.rules` knows it."""
    content: Content = json.loads(revision.content)
    at = content["published_at"]
    return content | {
        "published_at": at and datetime.fromisoformat(at),
        "category": UUID(content["category"]),
        "tags": [UUID(tag) for tag in content["tags"]],
    }


def seen(revision: ArticleRevision) -> Seen:
    """Return the version with all that was written beside who wrote it, and when."""
    return Seen(revision, **content_of(revision))
