"""Search for articles, and create their snippets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, func, literal, select

from blogapi.search import engines, numbering, snippets, tokenizer
from blogapi.search.models import SearchEntry
from blogapi.storage.database import db
from blogapi.web.pagination import PageRequest

# Maximum number of parameters per statement. The number that SQLite accepts depends on its build.
_MAX_PARAMETERS = 500


def search(
    query: str,
    page: PageRequest | None,
    *,
    published_by: datetime | None = None,
    among: Select[UUID] | None = None,
) -> tuple[list[UUID], int]:
    """Return the uuids of a page of matching articles, ordered by relevance, and the number of all matches.

    Articles with all words in the title come first, then those with all words in title and subtitle, then all
    others. `engines` defines these tiers and ranks phrases above scattered words. Within a tier, newer
    articles come first. With `published_by`, only articles published by that time match; with `among`, only
    these articles match. The ranking uses only visible articles, so it cannot leak draft content.
    """
    words = tokenizer.split_query(query)
    if not words:
        return [], 0
    engine = engines.get_engine(db.session())
    scope = _make_conditions(engine, published_by, among)
    total = _count(engine, [_matches(engine, engine.build_query(words)), *scope])
    offset, limit = ((page.number - 1) * page.size, page.size) if page else (0, total)
    numbers: list[int] = []
    for tier_query in engine.build_tier_queries(words):
        if offset >= total or len(numbers) == limit:
            break
        tier = [_matches(engine, tier_query), *scope]
        found = _find_numbers(engine, tier, limit - len(numbers), offset)
        # The page begins in the first tier that has rows beyond the offset.
        offset = 0 if found or not offset else offset - _count(engine, tier)
        numbers += found
    return _find_articles(numbers), total


def make_snippets(query: str, articles: Sequence[UUID]) -> dict[UUID, str]:
    """Return the snippet of each article that matches the query, as HTML with the hits in `<mark>`."""
    words = tokenizer.split_query(query)
    if not words:
        return {}
    engine = engines.get_engine(db.session())
    entries = db.session.execute(
        select(SearchEntry.number, SearchEntry.article_id).where(SearchEntry.article_id.in_(articles))
    )
    by_number = {entry.number: entry.article_id for entry in entries}
    found = engine.find_snippets(db.session(), words, list(by_number))
    return {by_number[number]: snippets.snippet_to_html(snippet) for number, snippet in found}


def _matches(engine: engines.Engine, query: str) -> ColumnElement[bool]:
    return engine.matches(literal(query, String))


def _make_conditions(
    engine: engines.Engine, published_by: datetime | None, among: Select[UUID] | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if published_by is not None:
        conditions.append(engine.number.between(0, numbering.last_number(published_by)))
    if among is not None:
        numbers = select(SearchEntry.number).where(SearchEntry.article_id.in_(among))
        conditions.append(engine.has_number(numbers))
    return conditions


def _count(engine: engines.Engine, conditions: list[ColumnElement[bool]]) -> int:
    return db.session.scalar(select(func.count()).select_from(engine.table).where(*conditions)) or 0


def _find_numbers(
    engine: engines.Engine, conditions: list[ColumnElement[bool]], limit: int, offset: int
) -> list[int]:
    statement = select(engine.number).where(*conditions).order_by(engine.number.desc())
    return list(db.session.scalars(statement.limit(limit).offset(offset)))


def _find_articles(numbers: Sequence[int]) -> list[UUID]:
    by_number: dict[int, UUID] = {}
    for start in range(0, len(numbers), _MAX_PARAMETERS):
        chunk = SearchEntry.number.in_(numbers[start : start + _MAX_PARAMETERS])
        rows = db.session.execute(select(SearchEntry.number, SearchEntry.article_id).where(chunk))
        by_number.update((row.number, row.article_id) for row in rows)
    return [by_number[number] for number in numbers]
