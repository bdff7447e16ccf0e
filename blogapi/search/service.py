"""Writes of the index, in the transaction of the article's own."""

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
    """Put the articles into the index, or what they say now in place of what they said."""
    if not texts:
        return
    session.execute(
        delete(SearchEntry).where(SearchEntry.article_id.in_([text.article_id for text in texts]))
    )
    numbers: list[int] = []
    for text in texts:
        numbers.append(_free(session, text.published_at, but=numbers))
    numbered = list(zip(numbers, texts, strict=True))
    session.execute(
        insert(SearchEntry), [{"number": number, "article_id": text.article_id} for number, text in numbered]
    )
    engine = engines.get_engine(session)
    session.execute(
        insert(engine.table),
        [
            engine.row(
                number,
                separate_ideographs(text.title),
                separate_ideographs(text.subtitle),
                separate_ideographs(text.text),
            )
            for number, text in numbered
        ],
    )


def _free(session: Session, published_at: datetime | None, *, but: Sequence[int]) -> int:
    """Return a number that no article has and is not among `but`: the moment's or the next lower one.

    Of a moment ahead the next higher one: nobody may find such an article before its time.
    """
    if published_at is None:
        return min(session.scalar(select(func.min(SearchEntry.number))) or 0, *but, 0) - 1
    rises, first, width = published_at > clock.now(), first_number(published_at), NUMBERS_PER_MICROSECOND
    while True:
        low = first if rises else first + NUMBERS_PER_MICROSECOND - width
        numbers = range(low, low + width)
        near = SearchEntry.number.between(numbers[0], numbers[-1])
        stored = session.scalars(select(SearchEntry.number).where(near))
        taken = {*stored, *(number for number in but if number in numbers)}
        if len(taken) < width:
            return next(number for number in (numbers if rises else reversed(numbers)) if number not in taken)
        width *= 4


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable words of an article, and since when it is published (None: it is not)."""

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str
