"""The cursors of the feed of changes, such as `5fa31c07-p42`."""

from __future__ import annotations

from dataclasses import dataclass

# A cursor consists of the tag of an event, the letter of the feed, and the position of the event. Some
# cursors of older versions also have a time and a uuid, which are ignored. Others have no tag; such cursors
# are unknown.
PATTERN = r"([0-9a-f]{8}-)?[ap][1-9][0-9]{0,15}(\.[1-9][0-9]{0,16}(\.[0-9a-f]{32})?)?"


@dataclass(frozen=True, slots=True)
class Cursor:
    """The point in a feed after the event with this position and tag; position 0 is before all events."""

    position: int = 0
    tag: str = ""


def parse_cursor(text: str, letter: str) -> Cursor | None:
    """Return the cursor that the text represents, or None if it belongs to a feed other than `letter`.

    The text must be `0` or match PATTERN.
    """
    if text == "0":
        return Cursor()
    tag, _, place = text.rpartition("-")
    position = place.removeprefix(letter).partition(".")[0]
    return Cursor(int(position), tag) if place.startswith(letter) else None


def format_cursor(cursor: Cursor, letter: str) -> str:
    """Return the text that represents the cursor."""
    return f"{cursor.tag}-{letter}{cursor.position}" if cursor.position else "0"
