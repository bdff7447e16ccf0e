"""The cursors of the feed of changes, such as `p42.1763750000000000`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# A cursor consists of the letter of the feed, a position, the time of the last listed item that became public
# by schedule, and the uuid of this item. Cursors of older versions have no time and no uuid.
PATTERN = r"[ap][1-9][0-9]{0,15}(\.[1-9][0-9]{0,16}(\.[0-9a-f]{32})?)?"


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a feed: after the changes up to `position` and the items that became public up to `due`.

    `due` is None if no item that became public by schedule has been listed. If `uuid` is set, items with the
    same due time and a greater uuid have not been listed yet.
    """

    position: int = 0
    due: datetime | None = None
    uuid: UUID | None = None


def parse_cursor(text: str, letter: str) -> Cursor | None:
    """Return the cursor that the text represents, or None if it belongs to a feed other than `letter`.

    The text must be `0` or match PATTERN.
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
    """Return the text that represents the cursor."""
    if cursor == Cursor():
        return "0"
    due = f".{(cursor.due - _EPOCH) // _MICROSECOND}" if cursor.due else ""
    return f"{letter}{cursor.position}{due}{f'.{cursor.uuid.hex}' if cursor.uuid else ''}"
