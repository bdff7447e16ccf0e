"""The two indexes behind one face: which rows fit a query, how well, and a piece of each."""

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

# How well a hit fits, best first: (where, as a phrase). Those of more than one word alone know phrases.
_TIERS = (("title", True), ("title", False), ("title subtitle", False), ("", True), ("", False))


class Engine(Protocol):
    """An index: its table, the number of a row, and the conditions of a query."""

    table: TableClause
    number: ColumnElement[int]

    def anywhere(self, words: Sequence[str]) -> str:
        """Return the query of a hit: every word stands somewhere, the last may go on."""

    def tiers(self, words: Sequence[str]) -> list[str]:
        """Return the queries of hits by how well they fit, best first; a hit fits exactly one."""

    def fits(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition of a row that fits the query."""

    def among(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition of a row that has one of the numbers, beside one of `fits`."""

    def pieces(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterable[tuple[int, str]]:
        """Return the piece around the best hit of each row of these numbers that is one.

        From whichever column holds the best, with the marks of `rules`.
        """

    def row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article, of texts that are `apart`."""


class Fts5:
    """SQLite's FTS5. Each word is quoted, so that no sign in it is an operator."""

    table = table(
        "search_index",
        column("rowid", Integer),
        *(column(name, String) for name in ("search_index", "title", "subtitle", "text")),
    )
    number: ColumnElement[int] = table.c.rowid

    def anywhere(self, words: Sequence[str]) -> str:
        """Return the query of a hit."""
        return _all(words)

    def tiers(self, words: Sequence[str]) -> list[str]:
        """Return the queries of hits, best first."""
        found: list[str] = []
        for where, phrase in _tiers(words):
            match = _phrase(words) if phrase else _all(words)
            found.append(f"{{{where}}} : ({match})" if where else f"({match})")
        return [_but(one, found[:index]) for index, one in enumerate(found)]

    def fits(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition of a row that fits the query."""
        return self.table.c.search_index.op("MATCH", is_comparison=True)(query)

    def among(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition of a row that has one of the numbers."""
        # The sum keeps SQLite from asking the index once for each of them: 70 ms for a page of hits, not 4.
        return (self.number + 0).in_(numbers)

    def pieces(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterable[tuple[int, str]]:
        """Return the piece around the best hit of each row of these numbers that is one."""
        snippet = func.snippet(
            self.table.c.search_index, -1, HIT_START, HIT_END, "…", SNIPPET_WORDS, type_=String
        )
        fits = self.fits(literal(self.anywhere(words), String))
        rows = session.execute(select(self.number, snippet).where(fits, self.among(numbers)))
        return ((number, shown) for number, shown in rows)

    def row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article."""
        return {"rowid": number, "title": title, "subtitle": subtitle, "text": text}


class Tsvector:
    """PostgreSQL's text search, told of the words that we cut: both engines find the same.

    Its own parser takes addresses, paths and numbers with a point for one word. What a vector has no room
    for is not found: words beyond its first million bytes; beyond its 16,383rd word, the order of words.
    """

    LAST_PLACE, MOST_PLACES, ROOM = 16_383, 255, 1_000_000

    table = table(
        "search_index",
        column("number", BigInteger),
        column("vector", TSVECTOR),
        *(column(name, String) for name in ("title", "subtitle", "text")),
    )
    number: ColumnElement[int] = table.c.number

    def row(self, number: int, title: str, subtitle: str, text: str) -> dict[str, int | str]:
        """Return the row of an article."""
        vector = self._vector(title, subtitle, text)
        return {"number": number, "title": title, "subtitle": subtitle, "text": text, "vector": vector}

    def anywhere(self, words: Sequence[str]) -> str:
        """Return the query of a hit."""
        return self._written(words, "", phrase=False)

    def tiers(self, words: Sequence[str]) -> list[str]:
        """Return the queries of hits, best first."""
        found = [self._written(words, where, phrase=phrase) for where, phrase in _tiers(words)]
        return [
            f"({one}) & !({' | '.join(f'({better})' for better in found[:index])})" if index else one
            for index, one in enumerate(found)
        ]

    def fits(self, query: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition of a row that fits the query."""
        return self.table.c.vector.op("@@", is_comparison=True)(cast(query, TSQUERY))

    def among(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition of a row that has one of the numbers."""
        return self.number.in_(numbers)

    def pieces(
        self, session: Session, words: Sequence[str], numbers: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """Yield the piece around the best hit of each row of these numbers that is one."""
        columns = self.table.c
        fits = self.fits(literal(self.anywhere(words), String))
        rows = session.execute(
            select(self.number, columns.title, columns.subtitle, columns.text).where(
                fits, self.among(numbers)
            )
        )
        phrases, (_, prefix) = _cut(words), _ended(words)[-1]
        for number, *texts in rows:
            yield number, make_snippet(texts, phrases, prefix=prefix)

    def _written(self, words: Sequence[str], where: str, *, phrase: bool) -> str:
        weights = {"title": "A", "title subtitle": "AB", "": ""}[where]
        _, prefix = _ended(words)[-1]
        told = [[f"'{word}':{weights}" for word in one] for one in _cut(words)]
        told[-1][-1] += "*" if prefix else ""
        phrases = [" <-> ".join(word.rstrip(":") for word in one) for one in told]
        return (" <-> " if phrase else " & ").join(phrases if phrase else (f"({one})" for one in phrases))

    def _vector(self, *texts: str) -> str:
        """Return the words with their places, those of title and subtitle by weight."""
        places: dict[str, list[str]] = {}
        place, room = 0, self.ROOM
        for weight, text in zip("ABD", texts, strict=True):
            for word, _, _ in tokenize(text):
                place = min(place + 1, self.LAST_PLACE)
                known = places.setdefault(word, [])
                room -= 2 if known else 8 + len(word.encode())
                if room < 0:
                    break
                if len(known) < self.MOST_PLACES:
                    known.append(f"{place}{weight}")
            # No phrase reaches from one text into the next.
            place += 1
        return " ".join(f"'{word}':{','.join(where)}" for word, where in places.items() if where)


def get_engine(database: Session | Connection) -> Engine:
    """Return the index of the database."""
    bound = database if isinstance(database, Connection) else database.get_bind()
    return Fts5() if bound.dialect.name == "sqlite" else Tsvector()


def hits(session: Session, query: ColumnElement[str]) -> Select[UUID]:
    """Return the statement of all articles that fit the query, in no order."""
    engine = get_engine(session)
    numbers = select(engine.number).select_from(engine.table).where(engine.fits(query))
    return select(SearchEntry.article_id).where(SearchEntry.number.in_(numbers))


def _tiers(words: Sequence[str]) -> list[tuple[str, bool]]:
    return [(where, phrase) for where, phrase in _TIERS if len(words) > 1 or not phrase]


def _ended(words: Sequence[str]) -> list[tuple[str, bool]]:
    """Return each word and whether it may go on: the last, if it is no single letter."""
    last = len(words) - 1
    return [(word, index == last and len(word) >= MIN_PREFIX_LENGTH) for index, word in enumerate(words)]


def _all(words: Sequence[str]) -> str:
    return " AND ".join(_quoted(word, prefix=prefix) for word, prefix in _ended(words))


def _phrase(words: Sequence[str]) -> str:
    return " + ".join(_quoted(word, prefix=prefix) for word, prefix in _ended(words))


def _quoted(word: str, *, prefix: bool) -> str:
    return f'"{separate_ideographs(word).strip().replace(chr(34), chr(34) * 2)}"{"*" if prefix else ""}'


def _but(one: str, better: Sequence[str]) -> str:
    return f"{one} NOT ({' OR '.join(better)})" if better else one


def _cut(words: Sequence[str]) -> list[list[str]]:
    """Return the words of the index that each word stands for, in their order."""
    found = [[part for part, _, _ in tokenize(separate_ideographs(word))] for word in words]
    return [one for one in found if one]
