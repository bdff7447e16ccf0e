"""Rebuilds the index of the values of custom fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from blogapi.articles.models import Article
from blogapi.custom_fields import index
from blogapi.custom_fields.models import NO_VALUES, CustomValue
from blogapi.storage.database import chunk, table_of

_BATCH_SIZE = 500

_article, _value = table_of(Article).c, table_of(CustomValue)


def rebuild(session: Session, name: str | None = None) -> Iterator[Sequence[UUID]]:
    """Store the rows of all articles again that have a value with this name (None: any value).

    Yields the uuids after each batch.
    """
    for some in chunk(_find_articles(session, name), _BATCH_SIZE):
        articles = session.scalars(select(Article).where(Article.uuid.in_(some))).all()
        index.store(session, articles)
        yield some


def _find_articles(session: Session, name: str | None) -> list[UUID]:
    if name is None:
        return list(session.scalars(select(_article.uuid).where(_article.custom != NO_VALUES)))
    return list(session.scalars(select(_value.c.article_id).where(_value.c.name == name).distinct()))
