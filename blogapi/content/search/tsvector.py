"""The full-text index of PostgreSQL (tsvector)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    String,
    and_,
    cast,
    column,
    false,
    func,
    literal,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY, TSVECTOR

from blogapi.content.search import results
from blogapi.content.search.results import Conditions, Field, IndexRow, Words, select_newest
from blogapi.content.search.tokenizer import find_words, list_terms

# PostgreSQL limits the value of a position, the number of positions per word and the size of a tsvector.
MAX_POSITION, MAX_POSITIONS_PER_WORD, MAX_BYTES = 16_383, 255, 1_000_000

# The last position before a gap. Because of such gaps, also between two texts, a phrase never matches words
# of two texts, or a word at MAX_POSITION.
_LAST_POSITION_IN_PHRASES = MAX_POSITION - 2

Placed = list[tuple[str, int]]


def place_words(texts: Sequence[str]) -> list[Placed]:
    """Return the words and the terms of each text, with their positions in the article.

    Consecutive words have consecutive positions. Terms, and all words after the last position, have the
    position MAX_POSITION. Words beyond MAX_BYTES are omitted, as are further occurrences of a word that
    occurs too often.
    """
    return list(_place(map(find_words, texts), map(list_terms, texts)))


def _place(words: Iterable[list[str]], terms: Iterable[list[str]]) -> Iterator[Placed]:
    counts: dict[str, int] = {}
    position, bytes_left = 0, MAX_BYTES
    for words_of_text, terms_of_text in zip(words, terms, strict=True):
        placed: Placed = []
        for word in words_of_text:
            position += 1
            count = counts.get(word, 0)
            if count == MAX_POSITIONS_PER_WORD or (count and position > _LAST_POSITION_IN_PHRASES):
                continue
            bytes_left -= 2 if count else 8 + len(word.encode())
            if bytes_left < 0:
                break
            counts[word] = count + 1
            placed.append((word, position if position <= _LAST_POSITION_IN_PHRASES else MAX_POSITION))
        for term in terms_of_text:
            bytes_left -= 10 + len(term.encode())
            if bytes_left < 0:
                break
            placed.append((term, MAX_POSITION))
        yield placed
        position += 1


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
        lexemes = [[f"'{word}':{weight}" for word in phrase] for phrase in phrases]
        lexemes[-1][-1] += "*" if prefix else ""
        matches = (" <-> ".join(lexeme.rstrip(":") for lexeme in phrase) for phrase in lexemes)
        return " & ".join(f"({match})" for match in matches)

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""
        column = self.table.c.vector if field == Field.ALL else self.table.c.titles
        return _match(column, match)

    def is_kept(self, number: ColumnElement[int], kept: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is among the numbers that `collect` returned."""
        # For a plain `IN`, the planner might join the numbers in a nested loop: 400 ms instead of 10 ms.
        numbers = func.unnest(cast(kept, ARRAY(BigInteger))).column_valued("number")
        return number.in_(select(numbers)).is_(true())

    def collect(self, connection: Connection, numbers: Select[int]) -> str:
        """Return the selected numbers as a text for `is_kept`."""
        (number,) = numbers.subquery().c
        return connection.scalar(select(cast(func.array_agg(number), String))) or "{}"

    def is_between(self, low: int, high: int) -> ColumnElement[bool]:
        """Return the condition that the number of a row is between these."""
        return (self.number + 0).between(low, high)

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None
    ) -> tuple[Sequence[int], int]:
        """Return the newest `limit` of the numbers that meet the conditions, and their total."""
        _restrict_planner(connection)
        # One statement reads the rows once for both results.
        hits = _materialize(select(self.number).where(*conditions))
        newest = select_newest(hits.c.number).limit(limit).subquery()
        numbers = select(func.array_agg(newest.c.number)).scalar_subquery()
        total = select(func.count()).select_from(hits).scalar_subquery()
        row = connection.execute(select(numbers, total)).one()
        return row[0] or [], row[1]

    def find_all(self, connection: Connection, condition: ColumnElement[bool]) -> str:
        """Return the numbers of all rows that meet the condition, as `collect` does."""
        _restrict_planner(connection)
        hits = _materialize(select(self.number).where(condition))
        kept = self.collect(connection, select(hits.c.number))
        # The statement that reads the articles may scan their table.
        connection.execute(select(func.set_config("enable_seqscan", "on", true())))
        return kept

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the hits that match the phrase."""
        hits = _materialize(select(self.number).where(matching, *scope))
        newest = select_newest(hits.c.number).limit(results.MAX_CANDIDATES).subquery().c
        # The index would find the phrase in all articles, so the vectors are read until the page is complete.
        vector = select(self.table.c.vector).where(self.number == newest.number).scalar_subquery()
        return select_newest(newest.number, _match(vector, literal(phrase)))

    def make_words(self, title: str, subtitle: str, text: str) -> Words:
        """Return the stored words of an article."""
        placed = place_words((title, subtitle, text))
        return {"vector": _make_vector(placed), "titles": _make_vector(placed[:2])}

    def find_equal(self, connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
        """Return the numbers of the rows that are stored with exactly these words."""
        columns = self.table.c
        conditions = (
            and_(*(columns[name] == cast(value, columns[name].type) for name, value in stored.items()))
            for stored in (
                {"number": number, **self.make_words(text.title, text.subtitle, text.text)}
                for number, text in rows
            )
        )
        return set(connection.scalars(select(self.number).where(or_(false(), *conditions))))


def _restrict_planner(connection: Connection) -> None:
    # A scan of the table takes 2 s instead of 30 ms. The planner might choose it, because it ignores that the
    # scan reads the large vectors. `is_kept` needs memory for a hash table of up to two million numbers.
    connection.execute(
        select(
            func.set_config("enable_seqscan", "off", true()),
            func.set_config("jit", "off", true()),
            func.set_config("work_mem", "64MB", true()),
        )
    )


def _materialize(statement: Select[*tuple[Any, ...]]) -> CTE:
    # Without MATERIALIZED, the planner might read the rows in the order of their numbers, and the large
    # vector of each row. For the same reason, conditions use `number + 0`, for which there is no index.
    return statement.cte().prefix_with("MATERIALIZED")


def _match(vector: ColumnElement[Any], match: ColumnElement[str]) -> ColumnElement[bool]:
    return vector.op("@@", is_comparison=True)(cast(match, TSQUERY))


def _make_vector(placed: Sequence[Placed]) -> str:
    positions: dict[str, list[str]] = defaultdict(list)
    for weight, words in zip("ABD", placed, strict=False):
        for word, position in words:
            positions[word].append(f"{position}{weight}")
    return " ".join(f"'{word}':{','.join(word_positions)}" for word, word_positions in positions.items())
