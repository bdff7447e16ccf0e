"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from uuid import UUID

from sqlalchemy import Executable, bindparam, func, select, update
from sqlalchemy.orm import Session

from blogapi.content.search import engines
from blogapi.content.search.fts5 import Fts5
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.results import SearchText
from blogapi.storage.database import table_of
from blogapi.storage.expressions import insert_or_update

_TABLE = table_of(SearchEntry)
_entry = _TABLE.c

# These statements are built once, because building a statement takes longer than executing it.
_UPDATE_TIME = update(_TABLE).where(_entry.article_id == bindparam("key"))


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or replace their entries."""
    if not texts:
        return
    connection = session.connection()
    entries = [{"article_id": text.article_id, "listed_from": text.listed_from} for text in texts]
    connection.execute(_store_entries(connection.dialect.name), entries)
    engines.store_words(connection, texts)


@cache
def _store_entries(dialect: str) -> Executable:
    # The write lock prevents that another transaction chooses the same number.
    number = select(func.coalesce(func.max(_entry.number), 0) + 1).scalar_subquery()
    stored = insert_or_update(dialect, _TABLE, "listed_from", key=[_entry.article_id])
    return stored.values(number=number)


def update_times(session: Session, times: Mapping[UUID, datetime | None]) -> None:
    """Store the times from which articles are in the lists (None: in no list), by uuid."""
    if times:
        rows = [{"key": uuid, "listed_from": listed_from} for uuid, listed_from in times.items()]
        session.connection().execute(_UPDATE_TIME, rows)


def update_short_texts(session: Session, texts: Sequence[SearchText]) -> bool:
    """Change the words of the articles except for those of their contents.

    Returns False if this changed nothing, because the engine stores all words together, or because another
    program has deleted entries.
    """
    engine, connection = engines.get_engine(session), session.connection()
    if not isinstance(engine, Fts5):
        return False
    rows = [engine.make_short_row(text) for text in texts]
    return not rows or connection.execute(engine.update_short_texts, rows).rowcount == len(rows)
