"""Queries for former versions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from blogapi.content.articles.models import ArticleRevision
from blogapi.content.articles.snapshots import parse_content
from blogapi.content.custom_fields.visibility import keep_visible_values
from blogapi.storage.database import db
from blogapi.web.errors import or_not_found
from blogapi.web.fields import WithAttributes
from blogapi.web.pagination import Page, PageRequest, paginate


def list_revisions(article_id: UUID, page: PageRequest | None) -> Page[Sequence[WithAttributes]]:
    """Return the former versions of an article, newest first; the article may have been deleted."""
    statement = (
        select(ArticleRevision)
        .where(ArticleRevision.article_id == article_id)
        .order_by(ArticleRevision.number.desc())
    )
    revisions = paginate(statement, page)
    return Page([with_content(row) for row in revisions.rows], revisions.total, page)


def get_revision(article_id: UUID, number: int) -> ArticleRevision:
    """Return the former version; raises NotFound if it does not exist."""
    revision = db.session.get(ArticleRevision, (article_id, number))
    return or_not_found(revision, "There is no such version; GET …/revisions/ lists the versions.")


def with_content(revision: ArticleRevision) -> WithAttributes:
    """Return the version with the fields of its content as attributes."""
    flat = parse_content(revision.content).flatten()
    return WithAttributes(revision, **flat | {"custom": keep_visible_values(flat["custom"])})
