"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from uuid import UUID

from sqlalchemy import Executable, bindparam, delete, select
from sqlalchemy.orm import Session

from blogapi.content.search import engines
from blogapi.content.search.fts5 import Fts5
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.numbering import NUMBERS_PER_MICROSECOND, first_number, last_number
from blogapi.content.search.results import SearchText
from blogapi.storage.database import current_time, execute_in_batches, table_of
from blogapi.storage.expressions import insert_or_ignore

_TABLE = table_of(SearchEntry)
_entry = _TABLE.c

# These statements are built once, because building a statement takes longer than executing it.
_DELETE = delete(_TABLE).where(_entry.article_id.in_(bindparam("uuids", expanding=True)))
_SELECT_NUMBERS = select(_entry.article_id, _entry.number).where(
    _entry.article_id.in_(bindparam("uuids", expanding=True))
)


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or change their entries."""
    if not texts:
        return
    connection = session.connection()
    uuids = {"uuids": [text.article_id for text in texts]}
    statement = engines.select_entries(engines.get_engine(connection))
    entries = {row.article_id: row for row in connection.execute(statement, uuids)}
    current = {uuid: row.number for uuid, row in entries.items() if row.has_row}
    changed, moved = [], []
    for text in texts:
        number = current.get(text.article_id)
        if number is not None and _is_number_for(number, text.published_at):
            changed.append((number, text))
        else:
            moved.append(text)
    if changed:
        engines.update_rows(connection, changed)
    if outdated := [text.article_id for text in moved if text.article_id in entries]:
        connection.execute(_DELETE, {"uuids": outdated})
    add_articles(session, moved)


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


def add_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add articles that are not in the index yet.

    A published article gets the largest number of its time, or a smaller one if it is taken. A scheduled
    article gets the smallest number of its time, or a larger one, so that it is not found too early. Other
    articles get negative numbers.
    """
    connection, now = session.connection(), current_time()
    numbers: dict[UUID, int] = {}
    pending, distance = {text.article_id: text for text in texts}, 0
    while pending:
        chosen: dict[int, UUID] = {}
        for uuid, text in pending.items():
            number = _choose_number(text.published_at, now, distance)
            while number in chosen:
                number += 1 if number > last_number(now) else -1
            chosen[number] = uuid
        # Another article can have the number.
        rows = [{"number": number, "article_id": uuid} for number, uuid in chosen.items()]
        if connection.execute(_insert(connection.dialect.name), rows).rowcount < len(rows):
            stored = execute_in_batches(_SELECT_NUMBERS, "uuids", list(chosen.values()))
            chosen = {number: uuid for uuid, number in stored}
        numbers |= {uuid: number for number, uuid in chosen.items()}
        pending = {uuid: text for uuid, text in pending.items() if uuid not in numbers}
        distance = 4 * distance or NUMBERS_PER_MICROSECOND
    engines.insert_rows(connection, [(numbers[text.article_id], text) for text in texts])


@cache
def _insert(dialect: str) -> Executable:
    return insert_or_ignore(dialect, _TABLE)


def _choose_number(published_at: datetime | None, now: datetime, distance: int) -> int:
    """Return the best number for the time, or another number that is at most `distance` from it."""
    shift = secrets.randbelow(distance + 1)
    if published_at is None:
        return -last_number(now) - shift
    return first_number(published_at) + shift if published_at > now else last_number(published_at) - shift


def _is_number_for(number: int, published_at: datetime | None) -> bool:
    """Return whether the number encodes the publication time."""
    if published_at is None:
        return number < 0
    return first_number(published_at) <= number <= last_number(published_at)
