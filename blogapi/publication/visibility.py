"""The one definition of which articles are public, in Python and as SQL.

If the rule of its status says so, an article is *readable* (by everyone, under its uuid, slug and address)
and *listed* (in lists, counts, searches, feeds and the sitemap) from its publication time on. Visibility is
computed at each read, so a scheduled article becomes public without a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from sqlalchemy import ColumnElement, and_, bindparam, case

from blogapi.storage.database import UtcDateTime


class Status(StrEnum):
    """The stored status; the API shows a published article with a future `published_at` as scheduled."""

    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class Rule(NamedTuple):
    """Whether articles of a status are readable and listed from their time of publication on."""

    readable: bool
    listed: bool


RULES = {
    Status.DRAFT: Rule(readable=False, listed=False),
    Status.PUBLISHED: Rule(readable=True, listed=True),
    Status.ARCHIVED: Rule(readable=False, listed=False),
}
READABLE_STATUSES = tuple(status.value for status, rule in RULES.items() if rule.readable)
LISTED_STATUSES = tuple(status.value for status, rule in RULES.items() if rule.listed)
UNLISTED_STATUSES = tuple(status.value for status, rule in RULES.items() if not rule.listed)

#: the parameter `now` of a statement that is built once
NOW: ColumnElement[datetime] = bindparam("now", type_=UtcDateTime())


class Item(Protocol):
    """An article, a row or a record with a stored status; times are aware UTC."""

    @property
    def status(self) -> str:
        """The stored status."""

    @property
    def published_at(self) -> datetime | None:
        """The time of publication."""


def get_readable_from(item: Item) -> datetime | None:
    """Return the time from which everyone can read the item; None if nothing is planned."""
    return item.published_at if item.status in READABLE_STATUSES else None


def get_listed_from(item: Item) -> datetime | None:
    """Return the time from which the item is in the lists; None if nothing is planned."""
    return item.published_at if item.status in LISTED_STATUSES else None


def is_readable(item: Item, now: datetime) -> bool:
    """Return whether everyone can read the item."""
    since = get_readable_from(item)
    return since is not None and since <= now


def is_scheduled(item: Item, now: datetime) -> bool:
    """Return whether the item becomes readable later."""
    since = get_readable_from(item)
    return since is not None and since > now


# `columns` are those of any table with `status` and `published_at`: a mapped class, `table.c` or an alias.


def readable(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that everyone can read the item."""
    return and_(_has_status(columns, READABLE_STATUSES), columns.published_at <= now)


def listed(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item is in the lists."""
    return and_(has_listed_status(columns), columns.published_at <= now)


def scheduled(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item becomes readable later."""
    return and_(_has_status(columns, READABLE_STATUSES), columns.published_at > now)


def listed_later(columns: Any, now: ColumnElement[datetime] | datetime = NOW) -> ColumnElement[bool]:
    """Return the condition that the item will be in the lists."""
    return and_(has_listed_status(columns), columns.published_at > now)


def listed_from(columns: Any) -> ColumnElement[datetime | None]:
    """Return the SQL expression of the time that `get_listed_from` returns."""
    return case((has_listed_status(columns), columns.published_at))


def has_status(
    columns: Any, status: str, now: ColumnElement[datetime] | datetime = NOW
) -> ColumnElement[bool]:
    """Return the condition that the item has the status now; a scheduled item does not have it yet."""
    condition = _has_status(columns, [status])
    return condition & (columns.published_at <= now) if status in READABLE_STATUSES else condition


def has_listed_status(columns: Any) -> ColumnElement[bool]:
    """Return the part of `listed` that depends on the status alone, for counts and neighbours."""
    return _has_status(columns, LISTED_STATUSES)


def _has_status(columns: Any, statuses: Sequence[str]) -> ColumnElement[bool]:
    # SQLite and PostgreSQL read sorted rows from an index for `=`, but not for `IN`.
    status: ColumnElement[str] = columns.status
    return status == statuses[0] if len(statuses) == 1 else status.in_(statuses)
