"""Write the search index in the same transaction as the articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from blogapi import clock
from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.search.numbering import NUMBERS_PER_MICROSECOND, first_number
from blogapi.search.tokenizer import separate_ideographs


def index_articles(session: Session, texts: Sequence[SearchText]) -> None:
    """Add the articles to the index, or replace their entries."""
    if not texts:
        return
    session.execute(
        delete(SearchEntry).where(SearchEntry.article_id.in_([text.article_id for text in texts]))
    )
    numbers: list[int] = []
    for text in texts:
        numbers.append(_choose_number(session, text.published_at, taken=numbers))
    numbered = list(zip(numbers, texts, strict=True))
    session.execute(
        insert(SearchEntry), [{"number": number, "article_id": text.article_id} for number, text in numbered]
    )
    engine = engines.get_engine(session)
    session.execute(
        insert(engine.table),
        [
            engine.make_row(
                number,
                separate_ideographs(text.title),
                separate_ideographs(text.subtitle),
                separate_ideographs(text.text),
            )
            for number, text in numbered
        ],
    )


def _choose_number(session: Session, published_at: datetime | None, *, taken: Sequence[int]) -> int:
    """Return a number that is neither in the index nor in `taken`.

    A published article gets the largest free number of its time or an earlier time. A scheduled article gets
    the smallest free number of its time or a later time, so that it is not found too early. Other articles
    get a negative number.
    """
    if published_at is None:
        return min(session.scalar(select(func.min(SearchEntry.number))) or 0, *taken, 0) - 1
    scheduled, first = published_at > clock.now(), first_number(published_at)
    width = NUMBERS_PER_MICROSECOND
    while True:
        low = first if scheduled else first + NUMBERS_PER_MICROSECOND - width
        candidates = range(low, low + width)
        in_range = SearchEntry.number.between(candidates[0], candidates[-1])
        stored = session.scalars(select(SearchEntry.number).where(in_range))
        used = {*stored, *(number for number in taken if number in candidates)}
        if len(used) < width:
            nearest_first = candidates if scheduled else reversed(candidates)
            return next(number for number in nearest_first if number not in used)
        width *= 4


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable text of an article, and its publication time (None if it is not published)."""

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str
