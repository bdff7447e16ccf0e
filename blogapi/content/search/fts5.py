"""The full-text index of SQLite (FTS5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    column,
    func,
    insert,
    literal,
    select,
    table,
    update,
)

from blogapi.content.search import engine_base
from blogapi.content.search.engine_base import (
    NUMBER_OF_ARTICLE,
    Conditions,
    IndexedWords,
    SearchField,
    SearchText,
    select_newest_entries,
)
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.tokenizer import find_words, list_symbol_words_and_endings
from blogapi.storage.database import table_of
from blogapi.storage.expressions import unindexed

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
    """The index in SQLite's FTS5, which contains the words that `tokenizer` finds, separated by spaces."""

    table = table("search_index", column("rowid", Integer), column("search_index", String))
    word_table = _INDEX_TABLE
    number: ColumnElement[int] = table.c.rowid
    # These statements store all words of the article whose uuid is `key`, or the words of its short texts.
    store_words = insert(_INDEX_TABLE).prefix_with("OR REPLACE").values(number=NUMBER_OF_ARTICLE)
    update_short_texts = update(_INDEX_TABLE).where(_INDEX_TABLE.c.number == NUMBER_OF_ARTICLE)

    def make_match_query(
        self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: SearchField = SearchField.ALL
    ) -> str:
        """Return the full-text query for rows that contain all phrases in the field.

        With `prefix`, the last word of the last phrase also matches as a prefix.
        """
        match = " AND ".join(f'"{" ".join(phrase)}"' for phrase in phrases) + ("*" if prefix else "")
        return (
            match if field == SearchField.ALL else f"{{{' '.join(_WORD_COLUMNS[: field.value])}}} : ({match})"
        )

    def select_hits(self, match: str, field: SearchField = SearchField.ALL) -> FromClause:
        """Return the numbers of the rows that match the full-text query for the field, as a subquery."""
        matches = self.table.c.search_index.op("MATCH", is_comparison=True)(literal(match))
        # Without `+ 0`, the planner of SQLite can choose to query the index once per entry.
        return select((self.number + 0).label("number")).where(matches).subquery()

    def is_among(self, number: ColumnElement[int], number_list: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is among the numbers that `collect_numbers` returned."""
        return number.in_(select(func.json_each(number_list).table_valued("value").c.value))

    def collect_numbers(self, connection: Connection, numbers: Select[int]) -> str:
        """Return the selected row numbers as one text, which can be long, for `is_among`."""
        (number,) = numbers.subquery().c
        return str(connection.scalar(select(func.json_group_array(number))))

    def find_matching_row_numbers(self, connection: Connection, match: str) -> str:
        """Return, as one text, the numbers of all rows that match the query; see `collect_numbers`."""
        return self.collect_numbers(connection, select(self.select_hits(match).c.number))

    def select_phrase_hits(
        self, phrase: str, hits: FromClause, scope: Conditions
    ) -> Select[*tuple[Any, ...]]:
        """Return a statement that selects, newest first, the entries of the hits that match the phrase.

        The statement considers only the newest MAX_CANDIDATES hits that meet the conditions of `scope`.
        """
        newest = select_newest_entries(hits, scope).limit(engine_base.MAX_CANDIDATES)
        is_new = unindexed(_entry.number).in_(newest.with_only_columns(_entry.number).correlate(None))
        return select_newest_entries(self.select_hits(phrase), [is_new])

    def configure_planner(self, connection: Connection) -> None:
        """Do nothing, because the planner of SQLite needs no settings: it reads the index first."""

    def make_words(self, title: str, subtitle: str, text: str) -> IndexedWords:
        """Return the words of an article to store in the index, by column."""
        return dict(zip(_WORD_COLUMNS, map(_join_words, (title, subtitle, text)), strict=True))

    def make_short_text_row(self, text: SearchText) -> dict[str, Any]:
        """Return the words of the title and of the other short texts to store in the index, by column."""
        words = map(_join_words, (text.title, text.subtitle))
        return {"key": text.article_id, **dict(zip(_WORD_COLUMNS, words, strict=False))}

    def find_up_to_date_articles(self, connection: Connection, texts: Sequence[SearchText]) -> set[UUID]:
        """Return the uuids of the articles whose words in the index are exactly the words of their texts."""
        expected = {
            (text.article_id, *map(_join_words, (text.title, text.subtitle, text.text))) for text in texts
        }
        words = (_INDEX_TABLE.c[name] for name in _WORD_COLUMNS)
        statement = (
            select(_entry.article_id, *words)
            .join(_INDEX_TABLE, _INDEX_TABLE.c.number == _entry.number)
            .where(_entry.article_id.in_([text.article_id for text in texts]))
        )
        return {row.article_id for row in connection.execute(statement) if tuple(row) in expected}


def _join_words(text: str) -> str:
    # The dot before each symbol word prevents a match of this word as part of a phrase.
    return " . ".join(filter(None, [" ".join(find_words(text)), *list_symbol_words_and_endings(text)]))
