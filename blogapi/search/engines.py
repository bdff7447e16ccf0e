"""The full-text indexes of SQLite (FTS5) and PostgreSQL (tsvector), behind one interface.

Both engines index the words that `tokenizer` finds, so that they find the same articles.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    TableClause,
    any_,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY, TSVECTOR
from sqlalchemy.orm import Session

from blogapi.search.models import SearchEntry
from blogapi.search.placement import Placed, place_words
from blogapi.search.tokenizer import Query
from blogapi.storage.database import table_of

# The number of newest matches among which texts that contain the whole phrase rank above the others.
# PostgreSQL would need seconds to read the positions of common words in the texts of 100,000 articles. The
# number is greater than the number of articles on MAX_SEARCH_PAGE pages.
MAX_CANDIDATES = 10_000

# Number, title, subtitle and text of an article.
IndexRow = tuple[int, str, str, str]
Conditions = Sequence[ColumnElement[bool]]


class Field(Enum):
    """The fields in which a search looks for words; the value is the number of these fields."""

    TITLE = 1
    TITLE_AND_SUBTITLE = 2
    ALL = 3


class Engine(Protocol):
    """A full-text index: its table, the column of article numbers, and how to query it."""

    table: TableClause
    number: ColumnElement[int]

    def make_match(self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: Field = Field.ALL) -> str:
        """Return the full-text query for rows that contain all phrases in the field.

        With `prefix`, the last word of the last phrase also matches as a prefix.
        """

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers. Use it only together with `matches`."""

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None
    ) -> tuple[Sequence[int], int]:
        """Return the numbers of the newest rows that meet the conditions, and the number of all such rows."""

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the rows that match the phrase.

        The statement considers only the newest MAX_CANDIDATES rows that meet `matching` and `scope`.
        """

    def make_row(self, row: IndexRow) -> Mapping[str, Any]:
        """Return the row of an article."""


_TEXTS, _WORDS = ("title", "subtitle", "text"), ("title_words", "subtitle_words", "text_words")


class Fts5:
    """The index in SQLite's FTS5.

    The columns `…_words` contain the words that `tokenizer` finds, separated by spaces. The other columns
    contain the texts, which are shown but not indexed. If two words are not adjacent in the text, a dot
    between them prevents them from matching as a phrase.
    """

    table = table(
        "search_index",
        column("rowid", Integer),
        *(column(name, String) for name in ("search_index", *_TEXTS, *_WORDS)),
    )
    number: ColumnElement[int] = table.c.rowid

    def make_match(self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: Field = Field.ALL) -> str:
        """Return the full-text query for rows that contain all phrases in the field."""
        match = " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases) + ("*" if prefix else "")
        return match if field == Field.ALL else f"{{{' '.join(_WORDS[: field.value])}}} : ({match})"

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""
        return self.table.c.search_index.op("MATCH", is_comparison=True)(match)

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers."""
        if not isinstance(numbers, Select):
            # The numbers are one parameter, because SQLite limits the number of parameters.
            numbers = select(func.json_each(json.dumps(numbers)).table_valued("value").c.value)
        # Without `+ 0`, SQLite queries the index once per number: 70 ms instead of 4 ms for a page of hits.
        return (self.number + 0).in_(numbers)

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None
    ) -> tuple[Sequence[int], int]:
        """Return the numbers of the newest rows that meet the conditions, and the number of all such rows."""
        # FTS5 can read its index in ascending and in descending order, so the two statements read no table
        # rows and need no sorting.
        newest = connection.scalars(_select_newest(self.number, *conditions).limit(limit)).all()
        if limit is None or len(newest) < limit:
            return newest, len(newest)
        total = connection.scalar(select(func.count()).select_from(self.table).where(*conditions))
        return newest, total or 0

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the rows that match the phrase."""
        last = _select_newest(self.number, matching, *scope).offset(MAX_CANDIDATES - 1).limit(1)
        oldest = func.coalesce(last.scalar_subquery(), -(2**63))
        return _select_newest(self.number, self.matches(literal(phrase)), self.number >= oldest, *scope)

    def make_row(self, row: IndexRow) -> Mapping[str, Any]:
        """Return the row of an article."""
        number, *texts = row
        words = map(_join_adjacent, place_words(texts))
        return {"rowid": number} | dict(zip((*_TEXTS, *_WORDS), (*texts, *words), strict=True))


class Tsvector:
    """The index in PostgreSQL's text search.

    `vector` contains all words. `titles`, which has its own index, contains only the words of the title
    (weight A) and of the subtitle.
    """

    table = table(
        "search_index",
        column("number", BigInteger),
        *(column(name, TSVECTOR) for name in ("vector", "titles")),
        *(column(name, String) for name in ("title", "subtitle", "text")),
    )
    number: ColumnElement[int] = table.c.number

    def make_match(self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: Field = Field.ALL) -> str:
        """Return the full-text query for rows that contain all phrases in the field."""
        weight = "A" if field == Field.TITLE else ""
        marks = [[weight for _ in phrase] for phrase in phrases]
        marks[-1][-1] += "*" if prefix else ""
        lexemes = [
            " <-> ".join(f"'{word}':{mark}".rstrip(":") for word, mark in zip(words, signs, strict=True))
            for words, signs in zip(phrases, marks, strict=True)
        ]
        return " & ".join(f"({lexeme})" for lexeme in lexemes)

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""
        column = self.table.c.vector if field == Field.ALL else self.table.c.titles
        return _match(column, match)

    def has_number(self, numbers: Select[int] | Sequence[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers."""
        if isinstance(numbers, Select):
            return (self.number + 0).in_(select(_materialize(numbers, "among")))
        return (self.number + 0) == any_(literal(numbers, ARRAY(BigInteger)))

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None
    ) -> tuple[Sequence[int], int]:
        """Return the numbers of the newest rows that meet the conditions, and the number of all such rows."""
        # A scan of the table takes 2 s instead of 30 ms. The planner might choose it, because the planner
        # ignores that the scan reads the large vectors.
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off; SET LOCAL jit = off")
        # One statement reads the rows once for both results.
        hits = _materialize(select(self.number).where(*conditions))
        total = select(func.count()).select_from(hits).scalar_subquery()
        rows = connection.execute(_select_newest(hits.c.number).add_columns(total).limit(limit)).all()
        return [number for number, _ in rows], rows[0][1] if rows else 0

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the rows that match the phrase."""
        hits = _materialize(select(self.number, self.table.c.vector).where(matching, *scope))
        newest = select(hits).order_by(hits.c.number.desc()).limit(MAX_CANDIDATES).subquery()
        return _select_newest(newest.c.number, _match(newest.c.vector, literal(phrase)))

    def make_row(self, row: IndexRow) -> Mapping[str, Any]:
        """Return the row of an article."""
        number, title, subtitle, text = row
        placed = place_words([title, subtitle, text])
        vectors = {"vector": _make_vector(placed), "titles": _make_vector(placed[:2])}
        return {"number": number, "title": title, "subtitle": subtitle, "text": text} | vectors


def get_engine(database: Session | Connection) -> Engine:
    """Return the engine of the database."""
    bind = database if isinstance(database, Connection) else database.get_bind()
    return Fts5() if bind.dialect.name == "sqlite" else Tsvector()


def insert_rows(connection: Connection, rows: Sequence[IndexRow]) -> None:
    """Add articles to the index; their rows in `search_entry` must exist."""
    engine = get_engine(connection)
    connection.execute(insert(engine.table), [engine.make_row(row) for row in rows])


def select_texts(connection: Connection, articles: Sequence[UUID]) -> Select[UUID, str, str, str]:
    """Return a statement that selects the uuid, title, subtitle and text of each article in the index."""
    engine, entry = get_engine(connection), table_of(SearchEntry).c
    columns = engine.table.c
    return (
        select(entry.article_id, columns.title, columns.subtitle, columns.text)
        .join(engine.table, engine.number == entry.number)
        .where(entry.article_id.in_(articles))
    )


def make_match(session: Session, query: Query) -> str:
    """Return the full-text query for articles that contain all words."""
    return get_engine(session).make_match(query.phrases, prefix=query.prefix)


def select_matching_articles(session: Session, match: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of all articles that match the query, unordered."""
    engine = get_engine(session)
    numbers = select(engine.number).select_from(engine.table).where(engine.matches(match))
    return select(SearchEntry.article_id).where(SearchEntry.number.in_(numbers))


def _select_newest(number: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[int]:
    return select(number).where(*conditions).order_by(number.desc())


def _materialize(statement: Select[*tuple[Any, ...]], name: str = "hits") -> CTE:
    # Without MATERIALIZED, the planner might read the rows in the order of their numbers, and the large
    # vector of each row. For the same reason, conditions use `number + 0`, for which there is no index.
    return statement.cte(name).prefix_with("MATERIALIZED")


def _match(vector: ColumnElement[Any], match: ColumnElement[str]) -> ColumnElement[bool]:
    return vector.op("@@", is_comparison=True)(cast(match, TSQUERY))


def _join_adjacent(placed: Placed) -> str:
    words: list[str] = []
    next_position: int | None = None
    for word, position in placed:
        if next_position not in (None, position):
            words.append(".")
        words.append(word)
        next_position = position + 1
    return " ".join(words)


def _make_vector(placed: Sequence[Placed]) -> str:
    positions: dict[str, list[str]] = defaultdict(list)
    for weight, words in zip("ABD", placed, strict=False):
        for word, position in words:
            positions[word].append(f"{position}{weight}")
    return " ".join(f"'{word}':{','.join(found)}" for word, found in positions.items())
