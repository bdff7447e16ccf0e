"""Reads of what has changed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from blogapi.core.changes import Change
from blogapi.core.database import db


def after(since: int, limit: int, *, public: bool) -> dict[str, Any]:
    """Return what changed after a position: for everybody (`public`, which drafts do not move), or at all."""
    position = Change.public_position if public else Change.position
    statement = select(Change, position.label("position")).where(position > since).order_by(position)
    rows = db.session.execute(statement.limit(limit + 1)).all()
    shown = rows[:limit]
    return {
        "changes": [_told(change, there=change.public if public else not change.gone) for change, _ in shown],
        "cursor": str(shown[-1].position if shown else since),
        "more": len(rows) > limit,
    }


def _told(change: Change, *, there: bool) -> dict[str, Any]:
    return {"kind": change.kind, "uuid": change.uuid, "action": "fetch" if there else "drop"}
