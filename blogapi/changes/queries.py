"""Queries for the feed of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import select

from blogapi.storage import change_log
from blogapi.storage.change_log import Change
from blogapi.storage.database import db
from blogapi.web.errors import InvalidQuery


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """An item that changed, and whether a client fetches it again or drops it."""

    kind: str
    uuid: UUID
    action: Literal["fetch", "drop"]


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The changes after a cursor, the cursor after them, and whether more changes follow."""

    changes: Sequence[ChangedItem]
    cursor: str
    more: bool


def list_changes(cursor: str, limit: int, *, public: bool) -> ChangeList:
    """Return up to `limit` changes after a cursor, oldest first; with `public`, only those of public items.

    Raises InvalidQuery if the cursor belongs to the other feed, or if this blog has not issued it yet
    because it was restored from a backup. The client must then start again, or it would miss changes.
    """
    letter, column = ("p", Change.public_position) if public else ("a", Change.position)
    since = _parse_cursor(cursor, letter)
    statement = select(Change, column.label("position")).where(column > since).order_by(column)
    rows = db.session.execute(statement.limit(limit + 1)).all()
    if not rows and since > change_log.last_position(public=public):
        raise _unknown_cursor()
    page = rows[:limit]
    return ChangeList(
        [_to_item(change, public=public) for change, _ in page],
        cursor=f"{letter}{page[-1].position}" if page else cursor,
        more=len(rows) > limit,
    )


def _parse_cursor(cursor: str, letter: str) -> int:
    if cursor == "0":
        return 0
    if not cursor.startswith(letter):
        raise _unknown_cursor()
    return int(cursor.removeprefix(letter))


def _unknown_cursor() -> InvalidQuery:
    return InvalidQuery(
        "This cursor does not belong to this feed; start again with since=0.",
        code="cursor_unknown",
        errors={"since": ["Not a cursor of this feed."]},
    )


def _to_item(change: Change, *, public: bool) -> ChangedItem:
    exists = change.public if public else not change.gone
    return ChangedItem(change.kind, change.uuid, "fetch" if exists else "drop")
