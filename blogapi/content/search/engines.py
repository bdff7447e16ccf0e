"""The full-text index of the database: FTS5 in SQLite or tsvector in PostgreSQL, with the same interface.

Both engines index the words that `tokenizer` finds, so that they find the same articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, Update, bindparam, insert, literal, select, update
from sqlalchemy.orm import Session

from blogapi.content.search.fts5 import Fts5
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.results import IndexRow, SearchText
from blogapi.content.search.tokenizer import Query
from blogapi.storage.database import chunk, table_of

if TYPE_CHECKING:
    from blogapi.content.search.tsvector import Tsvector

    Engine = Fts5 | Tsvector

# Finding the words of long texts takes seconds, and PostgreSQL ends transactions that are idle for longer
# than `connections.REQUEST_IDLE_SECONDS`.
_ROWS_PER_STATEMENT = 25
# The name of the parameter for the number of a row.
_KEY = "key"


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


def insert_rows(connection: Connection, rows: Sequence[IndexRow]) -> None:
    """Add articles to the index; their rows in `search_entry` must exist."""
    engine = get_engine(connection)
    for batch in chunk(rows, _ROWS_PER_STATEMENT):
        connection.execute(insert(engine.stored), [_make_row(engine, *row) for row in batch])


def update_rows(connection: Connection, rows: Sequence[IndexRow]) -> None:
    """Change the texts of articles that are in the index under the same number."""
    engine = get_engine(connection)
    made = (_make_row(engine, *row) for row in rows)
    connection.execute(_update_by_number(engine), [{_KEY: row.pop("number"), **row} for row in made])


@cache
def _update_by_number(engine: Engine) -> Update:
    return update(engine.stored).where(engine.stored.c.number == bindparam(_KEY))


def find_equal_rows(connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
    """Return the numbers of the rows that the index contains with exactly these words."""
    engine = get_engine(connection)
    batches = chunk(rows, _ROWS_PER_STATEMENT)
    return set().union(*(engine.find_equal(connection, batch) for batch in batches))


@cache
def select_entries(engine: Engine) -> Select[*tuple[Any, ...]]:
    """Return a statement that selects article_id, number and has_row for the articles in `uuids`."""
    entry, stored = table_of(SearchEntry), engine.stored
    return (
        select(entry.c.article_id, entry.c.number, stored.c.number.is_not(None).label("has_row"))
        .select_from(entry.outerjoin(stored, stored.c.number == entry.c.number))
        .where(entry.c.article_id.in_(bindparam("uuids", expanding=True)))
    )


def find_numbers(session: Session, query: Query) -> str:
    """Return the numbers of all articles that contain all words, as a text for `select_articles`."""
    engine, connection = get_engine(session), session.connection()
    match = literal(engine.make_match(query.phrases, prefix=query.prefix))
    return engine.find_all(connection, engine.matches(match))


def select_articles(engine: Engine, kept: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of the articles with the numbers of `find_numbers`."""
    entry = table_of(SearchEntry).c
    return select(entry.article_id).where(engine.is_kept(entry.number, kept))


def _make_row(engine: Engine, number: int, text: SearchText) -> dict[str, Any]:
    return {"number": number, **engine.make_words(text.title, text.subtitle, text.text)}
