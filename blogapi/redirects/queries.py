"""Queries for redirects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select

from blogapi.articles.models import Article, FormerSlug
from blogapi.storage.database import bytewise, current_time
from blogapi.web.pagination import Page, PageRequest, paginate_rows


def list_redirects(page: PageRequest | None) -> Page[Sequence[Row[Any]]]:
    """Return the former slugs of public articles in alphabetical order, each with the current slug."""
    statement = (
        select(
            FormerSlug.slug.label("old"),
            Article.slug.label("new"),
            Article.uuid.label("article"),
            FormerSlug.created.label("created"),
        )
        .join(Article, Article.uuid == FormerSlug.article_id)
        .where(Article.visible_at(current_time()))
        .order_by(bytewise(FormerSlug.slug))
    )
    return paginate_rows(statement, page)
