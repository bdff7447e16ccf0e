"""The types and limits that the full-text indexes of both databases share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select

# The number of newest matches among which texts that contain the whole phrase rank higher. PostgreSQL would
# need seconds to read the positions of common words in the texts of 100,000 articles. The number is greater
# than the number of articles on MAX_SEARCH_PAGE pages.
MAX_CANDIDATES = 10_000
Conditions = Sequence[ColumnElement[bool]]
# The words of an article as an engine stores them, by column.
Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable text of an article, and its publication time (None if it is not published).

    `subtitle` contains the other short texts, each on a line.
    """

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str


# The number of an article in the index, and its text.
IndexRow = tuple[int, SearchText]


class Field(Enum):
    """The fields in which a search looks for words; the value is the number of these fields."""

    TITLE = 1
    TITLE_AND_SUBTITLE = 2
    ALL = 3


def select_newest(number: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[int]:
    """Return a statement that selects the numbers that meet the conditions, newest first."""
    return select(number).where(*conditions).order_by(number.desc())
