"""The full-text indexes of SQLite (FTS5) and PostgreSQL (tsvector), behind one interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    TableClause,
    cast,
    column,
    func,
    literal,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.orm import Session

from blogapi.search.models import SearchEntry
from blogapi.search.snippets import SNIPPET_WORDS, make_snippet
from blogapi.search.tokenizer import HIT_END, HIT_START, MIN_PREFIX_LENGTH, separate_ideographs, tokenize

# The ranking tiers, best first. A tier consists of the columns that contain all words ("" for all columns)
# and whether the words must form a phrase.
# Phrase tiers apply only to queries of two or more words.
_TIERS = (("title", True), ("title", False), ("title subtitle", False), ("", True), ("", False))


class Engine(Protocol):
    """A full-text index: its table, the column of article numbers, and how to query it.

    Words come from `tokenizer.split_query`. The last word also matches as a prefix if it has
    MIN_PREFIX_LENGTH characters or more.
    """

    table: TableClause
    number: ColumnElement[int]

    def build_query(self, words: Sequence[str]) -> str:
        """Return the query for rows that contain all words, in any column."""

    def build_tier_queries(self, words: Sequence[str]) -> list[str]:
        """Return one query per ranking tier, best first; each row matches at most one of the queries."""

    def matches(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that a row matches the query."""

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers. Use it only together with `matches`."""

    def find_snippets(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterable[tuple[int, str]]:
        """Return the number and the snippet of each row that has one of the numbers and contains all words.

        The snippet comes from the column with the most hits. HIT_START and HIT_END enclose each hit.
        """

    def make_row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article. The ideographs in the texts must be separated."""


class Fts5:
    """The index in SQLite's FTS5. Each word is quoted, so that no character in it is an operator."""

    table = table(
        "search_index",
        column("rowid", Integer),
        *(column(name, String) for name in ("search_index", "title", "subtitle", "text")),
    )
    number: ColumnElement[int] = table.c.rowid

    def build_query(self, words: Sequence[str]) -> str:
        """Return the query for rows that contain all words, in any column."""
        return _match_all(words)

    def build_tier_queries(self, words: Sequence[str]) -> list[str]:
        """Return one query per ranking tier, best first."""
        queries: list[str] = []
        for columns, as_phrase in _tiers(words):
            match = _match_phrase(words) if as_phrase else _match_all(words)
            queries.append(f"{{{columns}}} : ({match})" if columns else f"({match})")
        return [_exclude(query, queries[:index]) for index, query in enumerate(queries)]

    def matches(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that a row matches the query."""
        return self.table.c.search_index.op("MATCH", is_comparison=True)(query)

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers."""
        # Without `+ 0`, SQLite queries the index once per number: 70 ms instead of 4 ms for a page of hits.
        return (self.number + 0).in_(numbers)

    def find_snippets(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterable[tuple[int, str]]:
        """Return the number and the snippet of each matching row."""
        snippet = func.snippet(
            self.table.c.search_index, -1, HIT_START, HIT_END, "…", SNIPPET_WORDS, type_=String
        )
        matching = self.matches(literal(self.build_query(words), String))
        rows = session.execute(select(self.number, snippet).where(matching, self.has_number(numbers)))
        return ((number, found) for number, found in rows)

    def make_row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article."""
        return {"rowid": number, "title": title, "subtitle": subtitle, "text": text}


class Tsvector:
    """The index in PostgreSQL's text search. Its words come from `tokenizer.tokenize`.

    Therefore both engines find the same articles. PostgreSQL's own parser reads URLs, paths and decimal
    numbers as single words. The size of a tsvector is limited: words beyond MAX_BYTES are not found, and
    beyond MAX_POSITION the order of words is not stored.
    """

    MAX_POSITION, MAX_POSITIONS_PER_WORD, MAX_BYTES = 16_383, 255, 1_000_000

    table = table(
        "search_index",
        column("number", BigInteger),
        column("vector", TSVECTOR),
        *(column(name, String) for name in ("title", "subtitle", "text")),
    )
    number: ColumnElement[int] = table.c.number

    def make_row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article."""
        vector = self._make_vector(title, subtitle, text)
        return {"number": number, "title": title, "subtitle": subtitle, "text": text, "vector": vector}

    def build_query(self, words: Sequence[str]) -> str:
        """Return the query for rows that contain all words, in any column."""
        return self._make_query(words, "", as_phrase=False)

    def build_tier_queries(self, words: Sequence[str]) -> list[str]:
        """Return one query per ranking tier, best first."""
        queries = [self._make_query(words, columns, as_phrase=phrase) for columns, phrase in _tiers(words)]
        return [
            f"({query}) & !({' | '.join(f'({better})' for better in queries[:index])})" if index else query
            for index, query in enumerate(queries)
        ]

    def matches(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that a row matches the query."""
        return self.table.c.vector.op("@@", is_comparison=True)(cast(query, TSQUERY))

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers."""
        return self.number.in_(numbers)

    def find_snippets(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """Yield the number and the snippet of each matching row."""
        columns = self.table.c
        matching = self.matches(literal(self.build_query(words), String))
        rows = session.execute(
            select(self.number, columns.title, columns.subtitle, columns.text).where(
                matching, self.has_number(numbers)
            )
        )
        phrases, (_, prefix) = _to_phrases(words), _mark_prefix(words)[-1]
        for number, *texts in rows:
            yield number, make_snippet(texts, phrases, prefix=prefix)

    def _make_query(self, words: Sequence[str], columns: str, *, as_phrase: bool) -> str:
        weights = {"title": "A", "title subtitle": "AB", "": ""}[columns]
        _, prefix = _mark_prefix(words)[-1]
        lexemes = [[f"'{word}':{weights}" for word in phrase] for phrase in _to_phrases(words)]
        lexemes[-1][-1] += "*" if prefix else ""
        phrases = [" <-> ".join(lexeme.rstrip(":") for lexeme in phrase) for phrase in lexemes]
        return " <-> ".join(phrases) if as_phrase else " & ".join(f"({phrase})" for phrase in phrases)

    def _make_vector(self, *texts: str) -> str:
        """Return the tsvector of title, subtitle and text: their words with positions and weights A, B, D."""
        positions: dict[str, list[str]] = {}
        position, bytes_left = 0, self.MAX_BYTES
        for weight, text in zip("ABD", texts, strict=True):
            for word, _, _ in tokenize(text):
                position = min(position + 1, self.MAX_POSITION)
                known = positions.setdefault(word, [])
                bytes_left -= 2 if known else 8 + len(word.encode())
                if bytes_left < 0:
                    break
                if len(known) < self.MAX_POSITIONS_PER_WORD:
                    known.append(f"{position}{weight}")
            # Leave a gap, so that no phrase matches across two texts.
            position += 1
        return " ".join(f"'{word}':{','.join(known)}" for word, known in positions.items() if known)


def get_engine(database: Session | Connection) -> Engine:
    """Return the engine of the database."""
    bind = database if isinstance(database, Connection) else database.get_bind()
    return Fts5() if bind.dialect.name == "sqlite" else Tsvector()


def select_matching_articles(session: Session, query: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of all articles that match the query, unordered."""
    engine = get_engine(session)
    numbers = select(engine.number).select_from(engine.table).where(engine.matches(query))
    return select(SearchEntry.article_id).where(SearchEntry.number.in_(numbers))


def _tiers(words: Sequence[str]) -> list[tuple[str, bool]]:
    return [(columns, as_phrase) for columns, as_phrase in _TIERS if len(words) > 1 or not as_phrase]


def _mark_prefix(words: Sequence[str]) -> list[tuple[str, bool]]:
    """Return each word and whether it also matches as a prefix."""
    last = len(words) - 1
    return [(word, index == last and len(word) >= MIN_PREFIX_LENGTH) for index, word in enumerate(words)]


def _match_all(words: Sequence[str]) -> str:
    return " AND ".join(_quote(word, prefix=prefix) for word, prefix in _mark_prefix(words))


def _match_phrase(words: Sequence[str]) -> str:
    return " + ".join(_quote(word, prefix=prefix) for word, prefix in _mark_prefix(words))


def _quote(word: str, *, prefix: bool) -> str:
    return f'"{separate_ideographs(word).strip().replace(chr(34), chr(34) * 2)}"{"*" if prefix else ""}'


def _exclude(query: str, better: Sequence[str]) -> str:
    return f"{query} NOT ({' OR '.join(better)})" if better else query


def _to_phrases(words: Sequence[str]) -> list[list[str]]:
    """Return the list of indexed words for each word of a query: `Go语言` gives go, 语 and 言."""
    phrases = [[part for part, _, _ in tokenize(separate_ideographs(word))] for word in words]
    return [phrase for phrase in phrases if phrase]
