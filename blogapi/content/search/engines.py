"""The full-text index of the database: FTS5 in SQLite or tsvector in PostgreSQL, with the same interface.

Both engines index the words that `tokenizer` finds, so that they find the same articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, select
from sqlalchemy.orm import Session

from blogapi.content.search.fts5 import Fts5
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.results import SearchText
from blogapi.content.search.tokenizer import Query
from blogapi.storage.database import chunk, table_of

if TYPE_CHECKING:
    from blogapi.content.search.tsvector import Tsvector

    Engine = Fts5 | Tsvector

# Finding the words of long texts takes seconds, and PostgreSQL ends transactions that are idle for longer
# than `connections.REQUEST_IDLE_SECONDS`.
_ROWS_PER_STATEMENT = 25


def get_engine(database: Session | Connection) -> Engine:
    """Return the engine of the database."""
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
    """Store the words of articles in the index; their rows in `search_entry` must exist."""
    engine = get_engine(connection)
    for batch in chunk(texts, _ROWS_PER_STATEMENT):
        rows = [
            {"key": text.article_id, **engine.make_words(text.title, text.subtitle, text.text)}
            for text in batch
        ]
        connection.execute(engine.store_words, rows)


def find_equal(connection: Connection, texts: Sequence[SearchText]) -> set[UUID]:
    """Return the uuids of the articles whose words in the index are exactly those of their texts."""
    engine = get_engine(connection)
    batches = chunk(texts, _ROWS_PER_STATEMENT)
    return set().union(*(engine.find_equal(connection, batch) for batch in batches))


def find_numbers(session: Session, query: Query) -> str:
    """Return the numbers of all articles that contain all words, as a text for `select_articles`."""
    engine, connection = get_engine(session), session.connection()
    return engine.find_all(connection, engine.make_match(query.phrases, prefix=query.prefix))


def select_articles(engine: Engine, kept: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of the articles with the numbers of `find_numbers`."""
    entry = table_of(SearchEntry).c
    return select(entry.article_id).where(engine.is_kept(entry.number, kept))
