"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, or_, select
from sqlalchemy.orm import Session

from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number, last_number
from blogapi.storage.database import current_time, table_of

# Each range has two parameters. The number of parameters that SQLite accepts depends on its build.
_RANGES_PER_STATEMENT = 250

_TABLE = table_of(SearchEntry)
_entry = _TABLE.c


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable text of an article, and its publication time (None if it is not published).

    If `text` is None, the text in the index is kept.
    """

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str | None


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or replace their entries.

    Changes nothing for an article whose text is None and whose title, subtitle and time are unchanged. If the
    text of an article is None and the article is not in the index, it is added without text.
    """
    connection = session.connection()
    uuids = [text.article_id for text in texts]
    entries = connection.execute(select(_entry.article_id, _entry.number).where(_entry.article_id.in_(uuids)))
    numbers = {entry.article_id: entry.number for entry in entries}
    kept = {text.article_id: numbers[text.article_id] for text in texts if _fits(text, numbers)}
    indexed = _read_texts(connection, [text.article_id for text in texts if text.text is None])
    changed = [text for text in texts if text.article_id not in kept or not _is_indexed(text, indexed)]
    if not changed:
        return
    uuids = [text.article_id for text in changed]
    connection.execute(delete(_TABLE).where(_entry.article_id.in_(uuids)))
    chosen = kept | _choose_numbers(
        connection, [text for text in changed if text.article_id not in kept], kept
    )
    connection.execute(insert(_TABLE), [{"number": chosen[uuid], "article_id": uuid} for uuid in uuids])
    rows = [
        (
            chosen[text.article_id],
            text.title,
            text.subtitle,
            indexed.get(text.article_id, ("", "", ""))[2] if text.text is None else text.text,
        )
        for text in changed
    ]
    engines.insert_rows(connection, rows)


def _fits(text: SearchText, numbers: Mapping[UUID, int]) -> bool:
    """Return whether the number of the article fits its publication time."""
    number = numbers.get(text.article_id)
    if number is None or text.published_at is None:
        return number is not None and number < 0
    return first_number(text.published_at) <= number <= last_number(text.published_at)


def _read_texts(connection: Connection, uuids: Sequence[UUID]) -> dict[UUID, tuple[str, str, str]]:
    """Return title, subtitle and text of the articles in the index."""
    if not uuids:
        return {}
    rows = connection.execute(engines.select_texts(connection, uuids))
    return {uuid: (title, subtitle, text) for uuid, title, subtitle, text in rows}


def _is_indexed(text: SearchText, indexed: Mapping[UUID, tuple[str, str, str]]) -> bool:
    found = indexed.get(text.article_id)
    return text.text is None and found is not None and found[:2] == (text.title, text.subtitle)


def _choose_numbers(
    connection: Connection, texts: Sequence[SearchText], kept: Mapping[UUID, int]
) -> dict[UUID, int]:
    """Return a number for each article; none of the numbers is in the index or in `kept`.

    A published article gets the largest free number of its time or an earlier time. A scheduled article gets
    the smallest free number of its time or a later time, so that it is not found too early. Other articles
    get a negative number.
    """
    now, used, width = current_time(), set(kept.values()), NUMBERS_PER_MICROSECOND
    chosen = _choose_negative(connection, [text for text in texts if text.published_at is None], used)
    pending = {text.article_id: text.published_at for text in texts if text.published_at is not None}
    while pending:
        ranges = {uuid: _candidates(at, width, scheduled=at > now) for uuid, at in pending.items()}
        used |= _read_numbers(connection, {(min(one), max(one)) for one in ranges.values()})
        for uuid, candidates in ranges.items():
            number = next((number for number in candidates if number not in used), None)
            if number is not None:
                chosen[uuid] = number
                used.add(number)
                del pending[uuid]
        width *= 4
    return chosen


def _choose_negative(connection: Connection, texts: Sequence[SearchText], used: set[int]) -> dict[UUID, int]:
    if not texts:
        return {}
    lowest = min(connection.scalar(select(func.min(_entry.number))) or 0, 0, *used)
    return {text.article_id: lowest - place for place, text in enumerate(texts, 1)}


def _candidates(published_at: datetime, width: int, *, scheduled: bool) -> range:
    """Return the numbers that fit an article of this time; the number nearest to the time comes first."""
    first, last = first_number(published_at), last_number(published_at)
    return range(first, first + width) if scheduled else range(last, last - width, -1)


def _read_numbers(connection: Connection, ranges: set[tuple[int, int]]) -> set[int]:
    """Return the numbers of the index that are in any of the ranges."""
    conditions = [_entry.number.between(low, high) for low, high in sorted(ranges)]
    found: set[int] = set()
    for start in range(0, len(conditions), _RANGES_PER_STATEMENT):
        chunk = or_(*conditions[start : start + _RANGES_PER_STATEMENT])
        found.update(connection.scalars(select(_entry.number).where(chunk)))
    return found
