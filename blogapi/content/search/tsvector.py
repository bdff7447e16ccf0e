"""The full-text index of PostgreSQL (tsvector)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
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

from blogapi.content.search import engine_base
from blogapi.content.search.engine_base import (
    NUMBER_OF_ARTICLE,
    Conditions,
    IndexedWords,
    SearchField,
    SearchText,
    make_newest_order,
    select_newest_entries,
)
from blogapi.content.search.models import SearchEntry
from blogapi.content.search.tokenizer import find_words, list_symbol_words_and_endings
from blogapi.storage.database import table_of
from blogapi.storage.expressions import make_upsert_statement

_entry = table_of(SearchEntry).c

# PostgreSQL limits the value of a position, the number of positions per word and the size of a tsvector.
MAX_POSITION, MAX_POSITIONS_PER_WORD, MAX_BYTES = 16_383, 255, 1_000_000

# Words after this position match no phrase. The next position stays empty, like the position between two
# texts, so that a phrase never matches words of two texts, or a word at MAX_POSITION.
_LAST_POSITION_IN_PHRASES = MAX_POSITION - 2

WordPositions = list[tuple[str, int]]


def assign_word_positions(texts: Sequence[str]) -> list[WordPositions]:
    """Return the words and the symbol words of each text, with their positions in the article.

    Consecutive words have consecutive positions. Symbol words, and words after the last position, have the
    position MAX_POSITION. Words beyond MAX_BYTES are omitted, as are further occurrences of a word that
    occurs too often.
    """
    return list(_assign_positions(map(find_words, texts), map(list_symbol_words_and_endings, texts)))


def _assign_positions(words: Iterable[list[str]], terms: Iterable[list[str]]) -> Iterator[WordPositions]:
    counts: dict[str, int] = {}
    position, bytes_left = 0, MAX_BYTES
    for words_of_text, terms_of_text in zip(words, terms, strict=True):
        placed: WordPositions = []
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
    word_table = table
    number: ColumnElement[int] = table.c.number
    # The statement that stores the words of the article whose uuid is `key`.
    store_words = make_upsert_statement("postgresql", table, "vector", "titles", key=[number]).values(
        number=NUMBER_OF_ARTICLE
    )

    def make_match_query(
        self, phrases: Sequence[Sequence[str]], *, prefix: bool, field: SearchField = SearchField.ALL
    ) -> str:
        """Return the full-text query for rows that contain all phrases in the field."""
        weight = "A" if field == SearchField.TITLE else ""
        lexemes = [[f"'{word}':{weight}" for word in phrase] for phrase in phrases]
        lexemes[-1][-1] += "*" if prefix else ""
        matches = (" <-> ".join(lexeme.rstrip(":") for lexeme in phrase) for phrase in lexemes)
        return " & ".join(f"({match})" for match in matches)

    def select_hits(self, match: str, field: SearchField = SearchField.ALL) -> FromClause:
        """Return the numbers of the rows that match the full-text query for the field, as a CTE."""
        vector = self.table.c.vector if field == SearchField.ALL else self.table.c.titles
        hits = select(self.number).where(_is_match(vector, literal(match)))
        # Without MATERIALIZED, the planner might read the rows in the order of their numbers, and the large
        # vector of each row.
        return hits.cte().prefix_with("MATERIALIZED")

    def is_among(self, number: ColumnElement[int], number_list: ColumnElement[str]) -> ColumnElement[bool]:
        """Return the condition that the number is among the numbers that `collect_numbers` returned."""
        # For a plain `IN`, the planner might join the numbers in a nested loop: 400 ms instead of 10 ms.
        numbers = func.unnest(cast(number_list, ARRAY(BigInteger))).column_valued("number")
        return number.in_(select(numbers)).is_(true())

    def collect_numbers(self, connection: Connection, numbers: Select[int]) -> str:
        """Return the selected row numbers as one text for `is_among`."""
        (number,) = numbers.subquery().c
        return connection.scalar(select(cast(func.array_agg(number), String))) or "{}"

    def find_matching_row_numbers(self, connection: Connection, match: str) -> str:
        """Return, as one text, the numbers of all rows that match the query; see `collect_numbers`."""
        self.configure_planner(connection)
        number_list = self.collect_numbers(connection, select(self.select_hits(match).c.number))
        # Allow scans again for the statement that reads the articles.
        connection.execute(select(func.set_config("enable_seqscan", "on", true())))
        return number_list

    def select_phrase_hits(
        self, phrase: str, hits: FromClause, scope: Conditions
    ) -> Select[*tuple[Any, ...]]:
        """Return a statement that selects the uuids of the hits that contain the phrase, newest first."""
        newest = select_newest_entries(hits, scope).limit(engine_base.MAX_CANDIDATES).subquery().c
        # A search in the index would look for the phrase in all articles. Instead, this statement reads the
        # vectors of the newest hits until the page of results is complete.
        vector = select(self.table.c.vector).where(self.number == newest.number).scalar_subquery()
        is_phrase = _is_match(vector, literal(phrase))
        return select(newest.article_id).where(is_phrase).order_by(*make_newest_order(newest))

    def configure_planner(self, connection: Connection) -> None:
        """Prevent scans of the index table in this transaction, and allow more memory.

        A scan takes 2 s instead of 30 ms; the planner can choose it, because it ignores that a scan reads the
        large vectors. `is_among` needs memory for a hash table of up to two million numbers.
        """
        connection.execute(
            select(
                func.set_config("enable_seqscan", "off", true()),
                func.set_config("jit", "off", true()),
                func.set_config("work_mem", "64MB", true()),
            )
        )

    def make_words(self, title: str, subtitle: str, text: str) -> IndexedWords:
        """Return the words of an article to store in the index, by column."""
        placed = assign_word_positions((title, subtitle, text))
        return {"vector": _make_vector(placed), "titles": _make_vector(placed[:2])}

    def find_up_to_date_articles(self, connection: Connection, texts: Sequence[SearchText]) -> set[UUID]:
        """Return the uuids of the articles whose words in the index are exactly the words of their texts."""
        conditions = (
            and_(
                _entry.article_id == text.article_id,
                *(
                    self.table.c[name] == cast(words, TSVECTOR)
                    for name, words in self.make_words(text.title, text.subtitle, text.text).items()
                ),
            )
            for text in texts
        )
        equal = (
            select(_entry.article_id)
            .join(self.table, self.number == _entry.number)
            .where(or_(false(), *conditions))
        )
        return set(connection.scalars(equal))


def _is_match(vector: ColumnElement[Any], match: ColumnElement[str]) -> ColumnElement[bool]:
    return vector.op("@@", is_comparison=True)(cast(match, TSQUERY))


def _make_vector(placed: Sequence[WordPositions]) -> str:
    positions: dict[str, list[str]] = defaultdict(list)
    for weight, words in zip("ABD", placed, strict=False):
        for word, position in words:
            positions[word].append(f"{position}{weight}")
    return " ".join(f"'{word}':{','.join(word_positions)}" for word, word_positions in positions.items())
