"""Defines which articles and pages are public, in Python and as SQL.

From its publication time on, an item can be *readable* (by everyone, under its uuid, slug and address) and
*listed* (in lists, counts, searches, feeds and the sitemap); its status decides both. A page is in no list of
articles. Visibility is computed at each read, so a scheduled article becomes public without a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from sqlalchemy import ColumnElement, and_, bindparam, case, false, literal_column

from blogapi.storage.database import UtcDateTime


class Status(StrEnum):
    """The stored status of an article or page; the API shows one more, SCHEDULED."""

    DRAFT = "draft"
    PUBLISHED = "published"
    UNLISTED = "unlisted"
    ARCHIVED = "archived"


# The status that the API shows for an item with a readable status and a publication time in the future.
SCHEDULED = "scheduled"
API_STATUSES = (*(status.value for status in Status), SCHEDULED)
# The value of the filter `status` that selects articles in any status.
ANY_STATUS = "any"


class ItemType(StrEnum):
    """The type of a row of the table `article`; both types have statuses, versions and working copies."""

    ARTICLE = "article"
    PAGE = "page"


class VisibilityRule(NamedTuple):
    """Whether items with a status are readable, and whether they are listed, from their publication on."""

    readable: bool
    listed: bool


VISIBILITY_RULES = {
    Status.DRAFT: VisibilityRule(readable=False, listed=False),
    Status.PUBLISHED: VisibilityRule(readable=True, listed=True),
    Status.UNLISTED: VisibilityRule(readable=True, listed=False),
    Status.ARCHIVED: VisibilityRule(readable=False, listed=False),
}
READABLE_STATUSES = tuple(status.value for status, rule in VISIBILITY_RULES.items() if rule.readable)
LISTED_STATUSES = tuple(status.value for status, rule in VISIBILITY_RULES.items() if rule.listed)

#: The parameter `now` of statements that are built once.
NOW: ColumnElement[datetime] = bindparam("now", type_=UtcDateTime())


class DatedItem(Protocol):
    """An object with the status and publication time of an article or page; times are aware UTC."""

    @property
    def status(self) -> str:
        """The stored status, one of the values of Status."""

    @property
    def published_at(self) -> datetime | None:
        """The time from which readers can see the item, if its status allows it."""


class Item(DatedItem, Protocol):
    """A dated item that is an article or a page; no list of articles contains a page."""

    @property
    def type(self) -> str:
        """Whether the item is an article or a page."""


def get_readable_from(item: DatedItem) -> datetime | None:
    """Return the time from which everyone can read the item; None if its status does not allow it."""
    return item.published_at if item.status in READABLE_STATUSES else None


def get_listed_from(item: Item) -> datetime | None:
    """Return the time from which the item is in the lists; None if its status or type does not allow it."""
    is_listed = item.type == ItemType.ARTICLE and item.status in LISTED_STATUSES
    return item.published_at if is_listed else None


def is_readable(item: DatedItem, now: datetime) -> bool:
    """Return whether everyone can read the item."""
    since = get_readable_from(item)
    return since is not None and since <= now


def is_scheduled(item: DatedItem, now: datetime) -> bool:
    """Return whether the item becomes readable later."""
    since = get_readable_from(item)
    return since is not None and since > now


def get_api_status(item: DatedItem, now: datetime) -> str:
    """Return the status in the API: SCHEDULED if the item becomes readable later, else the stored status."""
    return SCHEDULED if is_scheduled(item, now) else item.status


# `columns` can be a mapped class, `table.c` or an alias with the columns `status`, `published_at` and `type`.


def match_articles(columns: Any) -> ColumnElement[bool]:
    """Return the condition that the item is an article and not a page."""
    condition: ColumnElement[bool] = columns.type == literal_column(f"'{ItemType.ARTICLE}'")
    return condition


def match_pages(columns: Any) -> ColumnElement[bool]:
    """Return the condition that the item is a page, written as in the partial index of pages."""
    condition: ColumnElement[bool] = columns.type == literal_column(f"'{ItemType.PAGE}'")
    return condition


def match_listed_pages(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item is a page in the list of pages and the sitemap."""
    return and_(
        match_any_of(columns.status, LISTED_STATUSES), match_pages(columns), columns.published_at <= now
    )


def match_readable_items(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that everyone can read the item."""
    return and_(match_any_of(columns.status, READABLE_STATUSES), columns.published_at <= now)


def match_listed_articles(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item is an article that is in the lists of readers now."""
    return and_(match_listable_articles(columns), columns.published_at <= now)


def match_scheduled_items(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item becomes readable later."""
    return and_(match_any_of(columns.status, READABLE_STATUSES), columns.published_at > now)


def make_listed_from_expression(columns: Any) -> ColumnElement[datetime | None]:
    """Return the SQL expression of the time that `get_listed_from` returns."""
    return case((match_listable_articles(columns), columns.published_at))


def match_status(
    columns: Any, status: str, now: ColumnElement[datetime] | datetime = NOW
) -> ColumnElement[bool]:
    """Return the condition that the item has the status now; a scheduled item does not have it yet."""
    condition = match_any_of(columns.status, [status])
    return condition & (columns.published_at <= now) if status in READABLE_STATUSES else condition


def match_listable_articles(columns: Any) -> ColumnElement[bool]:
    """Return the condition that the item is an article that is listed from its publication time on."""
    return and_(match_any_of(columns.status, LISTED_STATUSES), match_articles(columns))


def match_any_of(column: Any, values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that the column has one of the values."""
    if not values:
        return false()
    # SQLite and PostgreSQL read sorted rows from an index for `=`, but not for `IN`.
    condition: ColumnElement[bool] = column == values[0] if len(values) == 1 else column.in_(values)
    return condition
