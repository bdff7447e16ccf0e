"""Reads of the index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, func, literal, select

from blogapi.search import engines, numbering, snippets, tokenizer
from blogapi.search.models import SearchEntry
from blogapi.storage.database import db
from blogapi.web.pagination import PageRequest

# How many values one statement is asked for: SQLite's builds differ in how many they take.
_AT_ONCE = 500


def search(
    query: str, window: PageRequest | None, *, by: datetime | None = None, among: Select[UUID] | None = None
) -> tuple[list[UUID], int]:
    """Return the articles of a page of hits, and how many hits there are.

    Best first: all words in the title, as a phrase before scattered; then in title and subtitle; then
    anywhere; the newest first among equals. `by`: only what was published by then; `among`: only these.
    What articles it does not return hold has no part in the order, so that it tells nothing of drafts.
    """
    words = tokenizer.split_query(query)
    if not words:
        return [], 0
    engine = engines.get_engine(db.session())
    scope = _scope(engine, by, among)
    total = _count(engine, [_fits(engine, engine.anywhere(words)), *scope])
    skip, left = ((window.number - 1) * window.size, window.size) if window else (0, total)
    numbers: list[int] = []
    for tier in (_fits(engine, query) for query in engine.tiers(words)):
        if skip >= total or len(numbers) == left:
            break
        some = _numbers(engine, [tier, *scope], left - len(numbers), skip)
        skip = 0 if some or not skip else skip - _count(engine, [tier, *scope])
        numbers += some
    return _articles(numbers), total


def make_snippets(query: str, articles: Sequence[UUID]) -> dict[UUID, str]:
    """Return for each article the piece around its best hit: HTML, the hits in `<mark>`."""
    words = tokenizer.split_query(query)
    if not words:
        return {}
    engine = engines.get_engine(db.session())
    entries = db.session.execute(
        select(SearchEntry.number, SearchEntry.article_id).where(SearchEntry.article_id.in_(articles))
    )
    numbered = {entry.number: entry.article_id for entry in entries}
    found = engine.pieces(db.session(), words, list(numbered))
    return {numbered[number]: snippets.snippet_to_html(piece) for number, piece in found}


def _fits(engine: engines.Engine, query: str) -> ColumnElement[bool]:
    return engine.fits(literal(query, String))


def _scope(
    engine: engines.Engine, by: datetime | None, among: Select[UUID] | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if by is not None:
        conditions.append(engine.number.between(0, numbering.last_number(by)))
    if among is not None:
        chosen = select(SearchEntry.number).where(SearchEntry.article_id.in_(among))
        conditions.append(engine.among(chosen))
    return conditions


def _count(engine: engines.Engine, conditions: list[ColumnElement[bool]]) -> int:
    return db.session.scalar(select(func.count()).select_from(engine.table).where(*conditions)) or 0


def _numbers(
    engine: engines.Engine, conditions: list[ColumnElement[bool]], limit: int, offset: int
) -> list[int]:
    statement = select(engine.number).where(*conditions).order_by(engine.number.desc())
    return list(db.session.scalars(statement.limit(limit).offset(offset)))


def _articles(numbers: Sequence[int]) -> list[UUID]:
    named: dict[int, UUID] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        some = SearchEntry.number.in_(numbers[start : start + _AT_ONCE])
        rows = db.session.execute(select(SearchEntry.number, SearchEntry.article_id).where(some))
        named.update((row.number, row.article_id) for row in rows)
    return [named[number] for number in numbers]
