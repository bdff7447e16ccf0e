"""The full-text indexes of SQLite (FTS5) and PostgreSQL (tsvector), with the same methods.

Both engines index the words that `tokenizer` finds, so that they find the same articles.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    ScalarSelect,
    Select,
    String,
    Update,
    and_,
    bindparam,
    cast,
    column,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    table,
    true,
    update,
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

# The words of long texts take seconds to find; see `connections.REQUEST_IDLE_SECONDS`.
_ROWS_PER_STATEMENT = 25

# The number of an article in the index, its title, its other short texts, each on a line, and its content.
IndexRow = tuple[int, str, str, str]
# The parameter of statements with the number of a row.
_KEY = "key"
Conditions = Sequence[ColumnElement[bool]]


class Field(Enum):
    """The fields in which a search looks for words; the value is the number of these fields."""

    TITLE = 1
    TITLE_AND_SUBTITLE = 2
    ALL = 3


@dataclass(frozen=True, slots=True)
class Hits:
    """The matches of a search: the numbers of the newest ones, and the number of all.

    `kept` contains the numbers of the newest or of all matches as a text that the database reads, so that
    later statements need not find the matches again. Python does not parse it, because it can be long.
    """

    newest: Sequence[int]
    total: int
    kept: str


_WORDS = ("title_words", "subtitle_words", "text_words")
_SEARCH_WORDS = table(
    "search_words", column("number", Integer), *(column(name) for name in (*_WORDS, "text_size"))
)
_SEARCH_CONTENT = table(
    "search_content", column("number", Integer), *(column(name, String) for name in _WORDS)
)


class Fts5:
    """The index in SQLite's FTS5.

    It indexes the table `stored`, which contains the words that `tokenizer` finds, separated by spaces.
    If two words are not adjacent in the text, a dot between them prevents them from matching as a phrase.
    """

    table = table("search_index", column("rowid", Integer), column("search_index", String))
    stored = _SEARCH_WORDS
    number: ColumnElement[int] = table.c.rowid

    def make_match(self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: Field = Field.ALL) -> str:
        """Return the full-text query for rows that contain all phrases in the field.

        With `prefix`, the last word of the last phrase also matches as a prefix.
        """
        match = " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases) + ("*" if prefix else "")
        return match if field == Field.ALL else f"{{{' '.join(_WORDS[: field.value])}}} : ({match})"

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""
        return self.table.c.search_index.op("MATCH", is_comparison=True)(match)

    def is_kept(self, number: ColumnElement[int], kept: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is one of those in `Hits.kept`."""
        return number.in_(select(func.json_each(kept).table_valued("value").c.value))

    def has_number(self, numbers: str) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers of `Hits.kept`; use it with `matches`."""
        # Without `+ 0`, SQLite queries the index once per number: 70 ms instead of 4 ms for a page of hits.
        return self.is_kept(self.number + 0, literal(numbers))

    def has_selected(self, connection: Connection, numbers: Select[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the selected numbers; use it with `matches`."""
        return (self.number + 0).in_(numbers)

    def is_between(self, low: int, high: int) -> ColumnElement[bool]:
        """Return the condition that the number of a row is between these; use it with `matches`."""
        return self.number.between(low, high)

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None, keep: int | None
    ) -> Hits:
        """Return the rows that meet the conditions: the newest `limit` (None: all) and their total.

        `Hits.kept` contains the newest `keep` rows (None: all).
        """
        # FTS5 can read its index in ascending and in descending order, so the statements read no table rows
        # and need no sorting.
        if keep is None:
            numbers = _select_newest(self.number, *conditions).subquery().c
            kept = str(connection.scalar(select(func.json_group_array(numbers.rowid))))
            newest = json.loads(kept)
            return Hits(newest[:limit], len(newest), kept)
        newest = connection.scalars(_select_newest(self.number, *conditions).limit(limit)).all()
        if limit is None or len(newest) < limit:
            return Hits(newest, len(newest), "")
        total = connection.scalar(select(func.count()).select_from(self.table).where(*conditions))
        return Hits(newest, total or 0, "")

    def find_all(self, connection: Connection, condition: ColumnElement[bool]) -> str:
        """Return the numbers of all rows that meet the condition, as in `Hits.kept`."""
        return self.find_newest(connection, [condition], 0, None).kept

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions, hits: Hits
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the hits that match the phrase.

        The statement considers only the newest MAX_CANDIDATES hits. They meet `matching` and `scope`, and
        `hits.kept` contains at least these.
        """
        last = _select_newest(self.number, matching, *scope).offset(MAX_CANDIDATES - 1).limit(1)
        oldest = func.coalesce(last.scalar_subquery(), -(2**63))
        return _select_newest(self.number, self.matches(literal(phrase)), self.number >= oldest, *scope)

    def make_row(self, row: IndexRow) -> Mapping[str, Any]:
        """Return the stored row of an article."""
        number, title, subtitle, text = self._make_words(row)
        plain = text.encode()
        compressed = zlib.compress(plain)
        # The function `sqlar_uncompress` returns a value that has the size of the text as it is.
        data = compressed if len(compressed) < len(plain) else plain
        return dict(
            zip(("number", *_WORDS, "text_size"), (number, title, subtitle, data, len(plain)), strict=True)
        )

    def find_equal(self, connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
        """Return the numbers of those rows whose words are stored."""
        expected = {row[0]: self._make_words(row) for row in rows}
        statement = select(_SEARCH_CONTENT).where(_SEARCH_CONTENT.c.number.in_(expected))
        return {row.number for row in connection.execute(statement) if expected[row.number] == tuple(row)}

    def _make_words(self, row: IndexRow) -> IndexRow:
        number, *texts = row
        title, subtitle, text = map(_join_adjacent, place_words(texts))
        return number, title, subtitle, text


class Tsvector:
    """The index in PostgreSQL's text search.

    `vector` contains all words. `titles`, which has its own index, contains only the words of the title
    (weight A) and of the subtitle.
    """

    table = table(
        "search_index", column("number", BigInteger), column("vector", TSVECTOR), column("titles", TSVECTOR)
    )
    stored = table
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

    def is_kept(self, number: ColumnElement[int], kept: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is one of those in `Hits.kept`."""
        # As a plain `IN`, the planner might join the numbers in a nested loop: 400 ms instead of 10 ms.
        return number.in_(select(_unnest(kept))).is_(true())

    def has_number(self, numbers: str) -> ColumnElement[bool]:
        """Return the condition that a row has one of the numbers."""
        return self.is_kept(self.number + 0, literal(numbers))

    def has_selected(self, connection: Connection, numbers: Select[int]) -> ColumnElement[bool]:
        """Return the condition that a row has one of the selected numbers."""
        # The numbers are selected by a statement of their own, before `find_newest` restricts the planner.
        selected = numbers.subquery().c.number
        return self.has_number(connection.scalar(select(cast(func.array_agg(selected), String))) or "{}")

    def is_between(self, low: int, high: int) -> ColumnElement[bool]:
        """Return the condition that the number of a row is between these."""
        return (self.number + 0).between(low, high)

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None, keep: int | None
    ) -> Hits:
        """Return the rows that meet the conditions: the newest `limit` and their total."""
        # A scan of the table takes 2 s instead of 30 ms. The planner might choose it, because the planner
        # ignores that the scan reads the large vectors.
        # `is_kept` needs the memory for a hash table of up to two million numbers.
        connection.execute(
            select(
                func.set_config("enable_seqscan", "off", true()),
                func.set_config("jit", "off", true()),
                func.set_config("work_mem", "64MB", true()),
            )
        )
        # One statement reads the rows once for all results.
        hits = _materialize(select(self.number).where(*conditions))

        def collect(limit: int | None) -> ScalarSelect[Any]:
            newest = _select_newest(hits.c.number).limit(limit).subquery()
            return select(cast(func.array_agg(newest.c.number), String)).scalar_subquery()

        total = select(func.count()).select_from(hits).scalar_subquery()
        row = connection.execute(select(total, collect(limit), collect(keep))).one()
        newest = [int(number) for number in (row[1] or "{}")[1:-1].split(",") if number]
        return Hits(newest, row[0], row[2] or "{}")

    def find_all(self, connection: Connection, condition: ColumnElement[bool]) -> str:
        """Return the numbers of all rows that meet the condition."""
        kept = self.find_newest(connection, [condition], 0, None).kept
        # The statement that reads the articles may scan their table.
        connection.execute(select(func.set_config("enable_seqscan", "on", true())))
        return kept

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions, hits: Hits
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the hits that match the phrase."""
        newest = _select_newest(_unnest(literal(hits.kept))).limit(MAX_CANDIDATES).subquery().c
        # The vectors are read one by one, newest first, until the page is complete. The index would find the
        # phrase in all articles.
        vector = select(self.table.c.vector).where(self.number == newest.number).scalar_subquery()
        return _select_newest(newest.number, _match(vector, literal(phrase)))

    def make_row(self, row: IndexRow) -> Mapping[str, Any]:
        """Return the stored row of an article."""
        number, *texts = row
        placed = place_words(texts)
        return {"number": number, "vector": _make_vector(placed), "titles": _make_vector(placed[:2])}

    def find_equal(self, connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
        """Return the numbers of those rows whose words are stored."""
        columns = self.table.c
        conditions = (
            and_(*(columns[name] == cast(value, columns[name].type) for name, value in stored.items()))
            for stored in map(self.make_row, rows)
        )
        return set(connection.scalars(select(self.number).where(or_(false(), *conditions))))


Engine = Fts5 | Tsvector
_FTS5, _TSVECTOR = Fts5(), Tsvector()


def get_engine(database: Session | Connection) -> Engine:
    """Return the engine of the database."""
    bind = database if isinstance(database, Connection) else database.get_bind()
    return _FTS5 if bind.dialect.name == "sqlite" else _TSVECTOR


def insert_rows(connection: Connection, rows: Sequence[IndexRow]) -> None:
    """Add articles to the index; their rows in `search_entry` must exist."""
    engine = get_engine(connection)
    for start in range(0, len(rows), _ROWS_PER_STATEMENT):
        chunk = rows[start : start + _ROWS_PER_STATEMENT]
        connection.execute(insert(engine.stored), [engine.make_row(row) for row in chunk])


def update_rows(connection: Connection, rows: Sequence[IndexRow]) -> None:
    """Change the texts of articles that are in the index under the same number."""
    engine = get_engine(connection)
    made = (dict(engine.make_row(row)) for row in rows)
    connection.execute(_update_by_number(engine), [{_KEY: row.pop("number"), **row} for row in made])


@cache
def _update_by_number(engine: Engine) -> Update:
    return update(engine.stored).where(engine.stored.c.number == bindparam(_KEY))


def find_equal_rows(connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
    """Return the numbers of those rows that are in the index with exactly these words."""
    engine = get_engine(connection)
    starts = range(0, len(rows), _ROWS_PER_STATEMENT)
    return set().union(
        *(engine.find_equal(connection, rows[start : start + _ROWS_PER_STATEMENT]) for start in starts)
    )


def select_entries(connection: Connection) -> Select[*tuple[Any, ...]]:
    """Return a statement that selects article_id, number and whether it has a row of `uuids`."""
    return _select_entries(get_engine(connection))


@cache
def _select_entries(engine: Engine) -> Select[*tuple[Any, ...]]:
    entry, stored = table_of(SearchEntry), engine.stored
    return (
        select(entry.c.article_id, entry.c.number, stored.c.number.is_not(None).label("has_row"))
        .select_from(entry.outerjoin(stored, stored.c.number == entry.c.number))
        .where(entry.c.article_id.in_(bindparam("uuids", expanding=True)))
    )


def find_numbers(session: Session, query: Query) -> str:
    """Return the numbers of all articles that contain all words, as in `Hits.kept`."""
    engine, connection = get_engine(session), session.connection()
    match = literal(engine.make_match(query.phrases, prefix=query.prefix))
    return engine.find_all(connection, engine.matches(match))


def select_articles(engine: Engine, kept: ColumnElement[str]) -> Select[UUID]:
    """Return a statement that selects the uuids of the articles with the numbers of `find_numbers`."""
    entry = table_of(SearchEntry).c
    return select(entry.article_id).where(engine.is_kept(entry.number, kept))


def _select_newest(number: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[int]:
    return select(number).where(*conditions).order_by(number.desc())


def _materialize(statement: Select[*tuple[Any, ...]]) -> CTE:
    # Without MATERIALIZED, the planner might read the rows in the order of their numbers, and the large
    # vector of each row. For the same reason, conditions use `number + 0`, for which there is no index.
    return statement.cte().prefix_with("MATERIALIZED")


def _unnest(numbers: ColumnElement[str]) -> ColumnElement[int]:
    return func.unnest(cast(numbers, ARRAY(BigInteger))).column_valued("number")


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
    return " ".join(f"'{word}':{','.join(word_positions)}" for word, word_positions in positions.items())
