"""What a search in the full-text index of either database finds, and what the indexes store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, select

# The number of newest matches among which texts that contain the whole phrase rank above the others.
# PostgreSQL would need seconds to read the positions of common words in the texts of 100,000 articles. The
# number is greater than the number of articles on MAX_SEARCH_PAGE pages.
MAX_CANDIDATES = 10_000
Conditions = Sequence[ColumnElement[bool]]
# The words of an article as an engine stores them, by column.
Words = Mapping[str, Any]


class IndexRow(NamedTuple):
    """The number of an article in the index, and its texts; `words` are their words, if they are known.

    `subtitle` contains the short texts besides the title, each on a line.
    """

    number: int
    title: str
    subtitle: str
    text: str
    words: Words | None = None


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


def select_newest(number: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[int]:
    """Return a statement that selects the numbers that meet the conditions, newest first."""
    return select(number).where(*conditions).order_by(number.desc())
