"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.orm import Session

from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number
from blogapi.search.tokenizer import separate_ideographs
from blogapi.storage.database import current_time, table_of

_entry = table_of(SearchEntry)


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or replace their entries."""
    if not texts:
        return
    engine, connection = engines.get_engine(session), session.connection()
    uuids = [text.article_id for text in texts]
    indexed = _get_indexed_texts(connection, engine, [t.article_id for t in texts if t.text is None])
    connection.execute(delete(_entry).where(_entry.c.article_id.in_(uuids)))
    numbers: list[int] = []
    for text in texts:
        numbers.append(_choose_number(connection, text.published_at, taken=numbers))
    connection.execute(
        insert(_entry),
        [{"number": number, "article_id": uuid} for number, uuid in zip(numbers, uuids, strict=True)],
    )
    connection.execute(
        insert(engine.table),
        [
            engine.make_row(
                number,
                separate_ideographs(text.title),
                separate_ideographs(text.subtitle),
                indexed[text.article_id] if text.text is None else separate_ideographs(text.text),
            )
            for number, text in zip(numbers, texts, strict=True)
        ],
    )


def _get_indexed_texts(
    connection: Connection, engine: engines.Engine, uuids: Sequence[UUID]
) -> dict[UUID, str]:
    if not uuids:
        return {}
    statement = (
        select(_entry.c.article_id, engine.table.c.text)
        .join(engine.table, engine.number == _entry.c.number)
        .where(_entry.c.article_id.in_(uuids))
    )
    return {row.article_id: row.text for row in connection.execute(statement)}


def _choose_number(connection: Connection, published_at: datetime | None, *, taken: Sequence[int]) -> int:
    """Return a number that is neither in the index nor in `taken`.

    A published article gets the largest free number of its time or an earlier time. A scheduled article gets
    the smallest free number of its time or a later time, so that it is not found too early. Other articles
    get a negative number.
    """
    if published_at is None:
        return min(connection.scalar(select(func.min(_entry.c.number))) or 0, *taken, 0) - 1
    scheduled, first = published_at > current_time(), first_number(published_at)
    width = NUMBERS_PER_MICROSECOND
    while True:
        low = first if scheduled else first + NUMBERS_PER_MICROSECOND - width
        candidates = range(low, low + width)
        in_range = _entry.c.number.between(candidates[0], candidates[-1])
        stored = connection.scalars(select(_entry.c.number).where(in_range))
        used = {*stored, *(number for number in taken if number in candidates)}
        if len(used) < width:
            nearest_first = candidates if scheduled else reversed(candidates)
            return next(number for number in nearest_first if number not in used)
        width *= 4


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable text of an article, and its publication time (None: not published).

    `text` is None if the text that is already in the index is unchanged.
    """

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str | None
