"""Searches articles, and makes their snippets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, FromClause, Select, func, literal, select

from blogapi.content.search import snippets, tokenizer
from blogapi.content.search.engine_base import Conditions, SearchField, select_newest_entries
from blogapi.content.search.engines import get_engine
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.tokenizer import SearchQuery
from blogapi.storage.database import db, table_of
from blogapi.web.pagination import PageRequest

if TYPE_CHECKING:
    from blogapi.content.search.engines import Engine

_entry = table_of(SearchEntry).c


def search_articles(
    query: str, page: PageRequest | None, *, scope: Conditions = (), among: Select[UUID] | None = None
) -> tuple[list[UUID], int]:
    """Return the uuids of a page of matching articles, ordered by relevance, and the number of all matches.

    Articles are ranked in tiers: first those with all words in the title, then those with all words in title
    and subtitle, then all others. In the first tier, and among the newest MAX_CANDIDATES matches of the last
    tier, articles with the words as a phrase rank higher. If the query contains words such as `c++`, articles
    that contain exactly these words rank above all others. Within a tier, the most recently listed articles
    come first, and articles that are in no list come last.

    Only articles whose search entries meet the conditions of `scope` match. With `among`, only the selected
    articles match. Ranking uses only visible articles, so it cannot leak draft content.
    """
    parsed = tokenizer.parse_query(query)
    if parsed is None:
        return [], 0
    engine, connection = get_engine(db.session()), db.session.connection()
    if among is not None:
        scope = [*scope, _is_selected(engine, connection, among)]
    engine.configure_planner(connection)
    hits = engine.select_hits(engine.make_match_query(parsed.phrases, prefix=parsed.prefix))
    newest = select_newest_entries(hits, scope)
    total = connection.scalar(newest.with_only_columns(func.count()).order_by(None)) or 0
    start, limit = ((page.number - 1) * page.size, page.number * page.size) if page else (0, total)
    # Each statement returns the newest articles of a tier. Articles that an earlier tier returned are already
    # ranked.
    ranked: dict[UUID, None] = {}
    for tier in chain(_select_tiers(engine, parsed, hits, scope), [newest]):
        if len(ranked) >= min(limit, total):
            break
        ranked |= dict.fromkeys(connection.scalars(tier.limit(limit)))
    return list(ranked)[start:limit], total


def make_snippets(query: str, texts: Mapping[UUID, Sequence[str]]) -> dict[UUID, str]:
    """Return a snippet of each article's texts, as HTML with the hits in `<mark>`."""
    parsed = tokenizer.parse_query(query)
    if parsed is None:
        return {}
    return {
        uuid: snippets.snippet_to_html(snippets.make_snippet(article_texts, parsed))
        for uuid, article_texts in texts.items()
    }


def _is_selected(engine: Engine, connection: Connection, uuids: Select[UUID]) -> ColumnElement[bool]:
    """Return the condition that a row belongs to one of the articles, which are selected only once."""
    numbers = select(_entry.number).where(_entry.article_id.in_(uuids))
    # Without `+ 0`, SQLite queries the index once per number, and a page of hits takes 70 ms instead of 4 ms.
    return engine.is_among(_entry.number + 0, literal(engine.collect_numbers(connection, numbers)))


def _select_tiers(
    engine: Engine, query: SearchQuery, hits: FromClause, scope: Conditions
) -> Iterator[Select[*tuple[Any, ...]]]:
    """Yield the statements that select the articles of each ranking tier but the last, newest first."""

    def select_tier(phrases: Sequence[Sequence[str]], field: SearchField) -> Select[*tuple[Any, ...]]:
        match = engine.make_match_query(phrases, prefix=query.prefix, field=field)
        return select_newest_entries(engine.select_hits(match, field), scope)

    if query.symbol_words:
        as_written = [*([term] for term in query.symbol_words), *query.phrases]
        yield from (select_tier(as_written, field) for field in SearchField)
    phrase = [word for words in query.phrases for word in words]
    has_several_words = len(query.phrases) > 1
    if has_several_words:
        yield select_tier([phrase], SearchField.TITLE)
    yield select_tier(query.phrases, SearchField.TITLE)
    yield select_tier(query.phrases, SearchField.TITLE_AND_SUBTITLE)
    if has_several_words:
        yield engine.select_phrase_hits(engine.make_match_query([phrase], prefix=query.prefix), hits, scope)
