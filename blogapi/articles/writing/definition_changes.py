"""The functions that custom fields call; see `custom_fields.articles`."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select

from blogapi.articles import queries
from blogapi.articles.models import Article
from blogapi.articles.writing import custom_values, json_writer
from blogapi.publication.visibility import readable
from blogapi.storage.database import current_time, db, table_of

_article = table_of(Article).c


def find_existing(uuids: Collection[UUID]) -> set[UUID]:
    """Return the uuids that belong to an article or a page."""
    return set(db.session.scalars(select(_article.uuid).where(_article.uuid.in_(uuids))))


def find_readable(uuids: Collection[UUID]) -> set[UUID]:
    """Return the uuids that belong to an article or a page that readers can see."""
    condition = readable(_article, current_time())
    return set(db.session.scalars(select(_article.uuid).where(_article.uuid.in_(uuids), condition)))


def update_derived_data(name: str) -> None:
    """Store the index and the search words of all articles with a value of this name again."""
    for uuids in custom_values.rebuild(db.session(), name):
        articles = queries.find_by_uuids(uuids).values()
        json_writer.index_again(db.session(), list(articles))
