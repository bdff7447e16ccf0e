"""The cursors of the feed of changes, such as `p42.1763750000000000`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# The letter of the feed, a position, the time of the last item that became public by schedule, and its uuid.
# Cursors of older versions have only the position.
PATTERN = r"(0|[ap][1-9][0-9]{0,15}(\.[1-9][0-9]{0,16}(\.[0-9a-f]{32})?)?)\Z"


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a feed: after the changes up to `position`, and after the items due by `due`.

    `due` is None before the first of these items. With `uuid`, further items that are due at the same time
    follow: those with a greater uuid.
    """

    position: int = 0
    due: datetime | None = None
    uuid: UUID | None = None


def parse_cursor(text: str, letter: str) -> Cursor | None:
    """Return the cursor that the text stands for; None if it belongs to another feed than `letter`.

    The text must match PATTERN.
    """
    if text == "0":
        return Cursor()
    if not text.startswith(letter):
        return None
    position, due, uuid = (*text.removeprefix(letter).split("."), "", "")[:3]
    return Cursor(
        int(position), _EPOCH + int(due) * _MICROSECOND if due else None, UUID(uuid) if uuid else None
    )


def format_cursor(cursor: Cursor, letter: str) -> str:
    """Return the text that stands for the cursor."""
    if cursor == Cursor():
        return "0"
    due = f".{(cursor.due - _EPOCH) // _MICROSECOND}" if cursor.due else ""
    return f"{letter}{cursor.position}{due}{f'.{cursor.uuid.hex}' if cursor.uuid else ''}"
