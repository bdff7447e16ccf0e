"""The full-text index of the database: FTS5 in SQLite or tsvector in PostgreSQL, with the same interface.

Both engines index the words that `tokenizer` finds, so that they find the same articles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Executable, Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from blogapi.content.search.engine_base import SearchText
from blogapi.content.search.fts5 import Fts5
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.tokenizer import SearchQuery
from blogapi.storage.database import split_values, table_of
from blogapi.storage.expressions import make_upsert_statement

if TYPE_CHECKING:
    from blogapi.content.search.tsvector import Tsvector

    Engine = Fts5 | Tsvector

# Between two statements, finding the words of long texts takes seconds, and PostgreSQL ends transactions that
# are idle for longer than `connections.REQUEST_IDLE_SECONDS`.
_ROWS_PER_STATEMENT = 25


def get_engine(database: Session | Connection) -> Engine:
    """Return the search engine for this database: FTS5 for SQLite, otherwise tsvector."""
    bind = database if isinstance(database, Connection) else database.get_bind()
    return _create_engine(bind.dialect.name)


@cache
def _create_engine(dialect: str) -> Engine:
    if dialect == "sqlite":
        return Fts5()
    # Imported here because PostgreSQL's dialect needs 2 MB of memory.
    from blogapi.content.search.tsvector import Tsvector

    return Tsvector()


def store_words(connection: Connection, texts: Sequence[SearchText]) -> None:
    """Store the words of articles in the index; the rows of these articles in `search_entry` must exist."""
    engine = get_engine(connection)
    for batch in split_values(texts, _ROWS_PER_STATEMENT):
        rows = [
            {"key": text.article_id, **engine.make_words(text.title, text.subtitle, text.text)}
            for text in batch
        ]
        connection.execute(engine.store_words, rows)


def find_up_to_date_articles(connection: Connection, texts: Sequence[SearchText]) -> set[UUID]:
    """Return the uuids of the articles whose words in the index are exactly the words of their texts."""
    engine = get_engine(connection)
    batches = split_values(texts, _ROWS_PER_STATEMENT)
    return set().union(*(engine.find_up_to_date_articles(connection, batch) for batch in batches))


def find_matching_row_numbers(session: Session, query: SearchQuery) -> str:
    """Return, as one text, the row numbers of the articles that contain all words of the query."""
    engine, connection = get_engine(session), session.connection()
    match = engine.make_match_query(query.phrases, prefix=query.prefix)
    return engine.find_matching_row_numbers(connection, match)


def select_articles_by_numbers(engine: Engine, number_list: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of the articles that `find_matching_row_numbers` found."""
    entry = table_of(SearchEntry).c
    return select(entry.article_id).where(engine.is_among(entry.number, number_list))


_TABLE = table_of(SearchEntry)
_entry = _TABLE.c

# This statement is built once, because building it takes longer than executing it.
_UPDATE_LISTED_TIME = update(_TABLE).where(_entry.article_id == bindparam("key"))


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or replace their entries."""
    if not texts:
        return
    connection = session.connection()
    entries = [{"article_id": text.article_id, "listed_from": text.listed_from} for text in texts]
    connection.execute(_make_entry_statement(connection.dialect.name), entries)
    store_words(connection, texts)


@cache
def _make_entry_statement(dialect: str) -> Executable:
    # The write lock prevents another transaction from choosing the same number.
    number = select(func.coalesce(func.max(_entry.number), 0) + 1).scalar_subquery()
    stored = make_upsert_statement(dialect, _TABLE, "listed_from", key=[_entry.article_id])
    return stored.values(number=number)


def update_listed_times(session: Session, times: Mapping[UUID, datetime | None]) -> None:
    """Store the times from which articles are in the lists (None: in no list), by uuid."""
    if times:
        rows = [{"key": uuid, "listed_from": listed_from} for uuid, listed_from in times.items()]
        session.connection().execute(_UPDATE_LISTED_TIME, rows)


def update_short_texts(session: Session, texts: Sequence[SearchText]) -> bool:
    """Change the words of the articles in the index, except for the words of their contents.

    Returns False if the index did not change, because the engine stores all words together, or because
    another program has deleted entries.
    """
    engine, connection = get_engine(session), session.connection()
    if not isinstance(engine, Fts5):
        return False
    rows = [engine.make_short_text_row(text) for text in texts]
    return not rows or connection.execute(engine.update_short_texts, rows).rowcount == len(rows)
