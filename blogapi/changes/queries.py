"""Reads of what has changed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from blogapi.storage import change_log
from blogapi.storage.change_log import Change
from blogapi.storage.database import db
from blogapi.web.errors import InvalidQuery


def list_changes(cursor: str, limit: int, *, public: bool) -> dict[str, Any]:
    """Return what changed after a cursor: for everybody (`public`, which drafts do not move), or at all.

    Raises InvalidQuery for a cursor of the other feed, or of a time that this blog has not seen (it was
    restored from a backup): whoever holds one must begin anew, or they would miss changes.
    """
    letter, column = ("p", Change.public_position) if public else ("a", Change.position)
    since = _position(cursor, letter)
    statement = select(Change, column.label("position")).where(column > since).order_by(column)
    rows = db.session.execute(statement.limit(limit + 1)).all()
    if not rows and since > change_log.last_position(public=public):
        raise _unknown()
    shown = rows[:limit]
    return {
        "changes": [_told(change, there=change.public if public else not change.gone) for change, _ in shown],
        "cursor": f"{letter}{shown[-1].position}" if shown else cursor,
        "more": len(rows) > limit,
    }


def _position(cursor: str, letter: str) -> int:
    if cursor == "0":
        return 0
    if not cursor.startswith(letter):
        raise _unknown()
    return int(cursor.removeprefix(letter))


def _unknown() -> InvalidQuery:
    return InvalidQuery(
        "This cursor is not of this feed; begin anew with since=0.",
        code="cursor_unknown",
        errors={"since": ["Is not a cursor of this feed."]},
    )


def _told(change: Change, *, there: bool) -> dict[str, Any]:
    return {"kind": change.kind, "uuid": change.uuid, "action": "fetch" if there else "drop"}
