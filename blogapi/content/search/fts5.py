"""The full-text index of SQLite (FTS5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    column,
    func,
    literal,
    select,
    table,
    update,
)

from blogapi.content.search import results
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.results import Conditions, Field, IndexRow, SearchText, Words, select_newest
from blogapi.content.search.tokenizer import find_words, list_terms
from blogapi.storage.database import table_of

_entry = table_of(SearchEntry).c
_WORD_COLUMNS = ("title_words", "subtitle_words", "text_words")
# An insert names its parameters after the keys of columns, so the column `rowid` needs the key `number`.
_INDEX_TABLE = Table(
    "search_index",
    MetaData(),
    Column("rowid", Integer, key="number"),
    *(Column(name, String) for name in _WORD_COLUMNS),
)


class Fts5:
    """The index in SQLite's FTS5.

    It contains the words that `tokenizer` finds, separated by spaces.
    """

    table = table("search_index", column("rowid", Integer), column("search_index", String))
    stored = _INDEX_TABLE
    number: ColumnElement[int] = table.c.rowid
    # The statement that changes the row of the article `key`; see `make_short_row`.
    update_short_texts = update(_INDEX_TABLE).where(
        _INDEX_TABLE.c.number
        == select(_entry.number).where(_entry.article_id == bindparam("key")).scalar_subquery()
    )

    def make_match(self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: Field = Field.ALL) -> str:
        """Return the full-text query for rows that contain all phrases in the field.

        With `prefix`, the last word of the last phrase also matches as a prefix.
        """
        match = " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases) + ("*" if prefix else "")
        return match if field == Field.ALL else f"{{{' '.join(_WORD_COLUMNS[: field.value])}}} : ({match})"

    def matches(self, match: ColumnElement[str], field: Field = Field.ALL) -> ColumnElement[bool]:
        """Return the condition that a row matches the full-text query for the field."""
        return self.table.c.search_index.op("MATCH", is_comparison=True)(match)

    def is_kept(self, number: ColumnElement[int], kept: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is among the numbers that `collect` returned."""
        return number.in_(select(func.json_each(kept).table_valued("value").c.value))

    def collect(self, connection: Connection, numbers: Select[int]) -> str:
        """Return the selected numbers as a text for `is_kept`, which can be long."""
        (number,) = numbers.subquery().c
        return str(connection.scalar(select(func.json_group_array(number))))

    def is_between(self, low: int, high: int) -> ColumnElement[bool]:
        """Return the condition that the number of a row is between these; use it with `matches`."""
        return self.number.between(low, high)

    def find_newest(
        self, connection: Connection, conditions: Conditions, limit: int | None
    ) -> tuple[Sequence[int], int]:
        """Return the newest `limit` (None: all) of the numbers that meet the conditions, and their total."""
        # FTS5 can read its index in both orders, so the statements read no rows and sort nothing.
        newest = connection.scalars(select_newest(self.number, *conditions).limit(limit)).all()
        if limit is None or len(newest) < limit:
            return newest, len(newest)
        total = connection.scalar(select(func.count()).select_from(self.table).where(*conditions))
        return newest, total or 0

    def find_all(self, connection: Connection, condition: ColumnElement[bool]) -> str:
        """Return the numbers of all rows that meet the condition, as `collect` does."""
        return self.collect(connection, select(self.number).where(condition))

    def select_with_phrase(
        self, phrase: str, matching: ColumnElement[bool], scope: Conditions
    ) -> Select[int]:
        """Return a statement that selects, newest first, the numbers of the hits that match the phrase.

        The statement considers only the newest MAX_CANDIDATES hits, which meet `matching` and `scope`.
        """
        last = select_newest(self.number, matching, *scope).offset(results.MAX_CANDIDATES - 1).limit(1)
        oldest = func.coalesce(last.scalar_subquery(), -(2**63))
        return select_newest(self.number, self.matches(literal(phrase)), self.number >= oldest, *scope)

    def make_words(self, title: str, subtitle: str, text: str) -> Words:
        """Return the words of an article to store in the index."""
        return dict(zip(_WORD_COLUMNS, map(_join_words, (title, subtitle, text)), strict=True))

    def make_short_row(self, text: SearchText) -> dict[str, Any]:
        """Return the words of the article, except for those of its content, to store in the index."""
        words = map(_join_words, (text.title, text.subtitle))
        return {"key": text.article_id, **dict(zip(_WORD_COLUMNS, words, strict=False))}

    def find_equal(self, connection: Connection, rows: Sequence[IndexRow]) -> set[int]:
        """Return the numbers of the rows that are stored with exactly these words."""
        expected = {
            number: (number, *map(_join_words, (text.title, text.subtitle, text.text)))
            for number, text in rows
        }
        statement = select(_INDEX_TABLE).where(_INDEX_TABLE.c.number.in_(expected))
        return {row.number for row in connection.execute(statement) if expected[row.number] == tuple(row)}


def _join_words(text: str) -> str:
    # A dot before each term prevents it from matching as a part of a phrase.
    return " . ".join(filter(None, [" ".join(find_words(text)), *list_terms(text)]))
