"""The types, limits and statements that the search engines of both databases share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, select

from blogapi.content.search.models import SearchEntry
from blogapi.storage.database import table_of

_entry = table_of(SearchEntry).c

# Only among this number of newest matches, texts that contain the whole phrase rank higher. PostgreSQL would
# need seconds to read the positions of common words in the texts of 100,000 articles. The MAX_SEARCH_PAGE
# pages of a search show fewer articles.
MAX_CANDIDATES = 10_000
Conditions = Sequence[ColumnElement[bool]]
# The words of an article in the form that an engine stores, by column.
IndexedWords = Mapping[str, Any]
# The number of the article whose uuid is the parameter `key`.
NUMBER_OF_ARTICLE = select(_entry.number).where(_entry.article_id == bindparam("key")).scalar_subquery()


@dataclass(frozen=True, slots=True)
class SearchText:
    """The searchable text of an article, and the time from which it is in the lists (None: in no list).

    `subtitle` contains the other short texts, each on a line.
    """

    article_id: UUID
    listed_from: datetime | None
    title: str
    subtitle: str
    text: str


class SearchField(Enum):
    """The fields that a search reads; the value of a member is the number of the fields."""

    TITLE = 1
    TITLE_AND_SUBTITLE = 2
    ALL = 3


def make_newest_order(columns: Any) -> Sequence[ColumnElement[Any]]:
    """Return the order of equally ranked articles, newest first; `columns` has the columns of SearchEntry."""
    return columns.listed_from.desc().nulls_last(), columns.article_id


def select_newest_entries(hits: FromClause, scope: Conditions) -> Select[*tuple[Any, ...]]:
    """Return a statement that selects the entries of the hits that meet the conditions, newest first.

    `hits` contains the numbers of the articles; see `select_hits` of the engines.
    """
    entries = select(_entry.article_id, _entry.number, _entry.listed_from)
    return (
        entries.join(hits, hits.c.number == _entry.number).where(*scope).order_by(*make_newest_order(_entry))
    )
