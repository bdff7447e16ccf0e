"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, or_, select
from sqlalchemy.orm import Session

from blogapi.search import engines
from blogapi.search.fts5 import Fts5
from blogapi.search.models import SearchEntry
from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number, last_number
from blogapi.search.results import SearchText
from blogapi.storage.database import chunk, current_time, table_of

# Each range has two parameters, and databases limit the number of parameters of a statement.
_RANGES_PER_STATEMENT = 250

_TABLE = table_of(SearchEntry)
_entry = _TABLE.c

# These statements are built once, because building a statement takes longer than executing it.
_DELETE = delete(_TABLE).where(_entry.article_id.in_(bindparam("uuids", expanding=True)))
_INSERT = insert(_TABLE)
_SELECT_LOWEST = select(func.min(_entry.number))


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
    """Add articles that are not in the index yet."""
    if not texts:
        return
    connection = session.connection()
    numbers = _choose_numbers(connection, texts)
    rows = [{"number": numbers[text.article_id], "article_id": text.article_id} for text in texts]
    connection.execute(_INSERT, rows)
    engines.insert_rows(connection, [(numbers[text.article_id], text) for text in texts])


def _is_number_for(number: int, published_at: datetime | None) -> bool:
    """Return whether the number encodes the publication time."""
    if published_at is None:
        return number < 0
    return first_number(published_at) <= number <= last_number(published_at)


def _choose_numbers(connection: Connection, texts: Sequence[SearchText]) -> dict[UUID, int]:
    """Return a number for each article; none of the numbers is in the index.

    A published article gets the largest free number of its time or of an earlier time. A scheduled article
    gets the smallest free number of its time or of a later time, so that it is not found too early. Other
    articles get a negative number.
    """
    now, width = current_time(), NUMBERS_PER_MICROSECOND
    used: set[int] = set()
    chosen = _choose_negative(connection, [text for text in texts if text.published_at is None])
    pending = {text.article_id: text.published_at for text in texts if text.published_at is not None}
    while pending:
        ranges = {uuid: _list_candidates(at, width, scheduled=at > now) for uuid, at in pending.items()}
        used |= _read_numbers(
            connection,
            {(min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1])) for numbers in ranges.values()},
        )
        for uuid, candidates in ranges.items():
            number = next((number for number in candidates if number not in used), None)
            if number is not None:
                chosen[uuid] = number
                used.add(number)
                del pending[uuid]
        width *= 4
    return chosen


def _choose_negative(connection: Connection, texts: Sequence[SearchText]) -> dict[UUID, int]:
    if not texts:
        return {}
    lowest = min(connection.scalar(_SELECT_LOWEST) or 0, 0)
    return {text.article_id: lowest - place for place, text in enumerate(texts, 1)}


def _list_candidates(published_at: datetime, width: int, *, scheduled: bool) -> range:
    """Return the numbers that fit an article of this time; the number nearest to the time comes first."""
    first, last = first_number(published_at), last_number(published_at)
    return range(first, first + width) if scheduled else range(last, last - width, -1)


def _read_numbers(connection: Connection, ranges: set[tuple[int, int]]) -> set[int]:
    """Return the numbers of the index that are in any of the ranges."""
    numbers: set[int] = set()
    for batch in chunk(sorted(ranges), _RANGES_PER_STATEMENT):
        limits: dict[str, int] = {}
        for place, (low, high) in enumerate(batch):
            limits |= {f"low_{place}": low, f"high_{place}": high}
        numbers.update(connection.scalars(_select_numbers(len(batch)), limits))
    return numbers


@lru_cache(maxsize=16)
def _select_numbers(ranges: int) -> Select[int]:
    """Return a statement that selects the numbers in any of the ranges from `low_0` to `high_0` and so on."""
    conditions = [
        _entry.number.between(bindparam(f"low_{place}"), bindparam(f"high_{place}"))
        for place in range(ranges)
    ]
    return select(_entry.number).where(or_(*conditions))
