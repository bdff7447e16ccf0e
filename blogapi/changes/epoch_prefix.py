"""The prefix of a cursor: the epoch of the database that issued the cursor.

A database that was restored or replaced counts again from lower positions, so a cursor of another epoch would
skip changes.
"""

from __future__ import annotations

from blogapi.storage import epoch

# Cursors of older versions have no prefix.
PATTERN = "([0-9a-f]{8}-)?"


def add_epoch(cursor: str) -> str:
    """Return the cursor with the current epoch; the cursor 0 has no epoch."""
    return cursor if cursor == "0" else f"{epoch.get_epoch()}-{cursor}"


def remove_epoch(cursor: str) -> str | None:
    """Return the cursor without its epoch, or None if its epoch is not the current one."""
    prefix, _, rest = cursor.rpartition("-")
    return rest if rest == "0" or prefix == epoch.get_epoch() else None
