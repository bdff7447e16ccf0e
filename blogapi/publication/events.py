"""The events, one for each change of an item by a commit; feeds, caches and webhooks read them.

Services call `note_change` with the state of an item before and after a change. At the end of the outermost
`transaction()`, `event_writer.write_events` adds one event for each noted item.

An event has a position for admins and, if it changes what is listed, a public position. Readers see only
public positions, so they cannot notice writes of drafts and unlisted items. Positions are assigned under the
write lock, so they become visible in order, and a cursor never skips an event.

The newest event of a scheduled item has the time `due`. The first write after this time adds the event
`published`, whichever server makes the write; `event_writer.write_due_events` starts such a write.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select

from blogapi.publication.models import ChangeType, Event
from blogapi.storage.database import CommitCounter, current_time, db, get_write_transaction
from blogapi.storage.database_clock import CachedValue

# A cursor consists of the tag of an event, the letter of the feed, and the position of the event. Some
# cursors of older versions also have a time and a uuid, which are ignored. Other cursors of older versions
# have no tag, and are refused.
CURSOR_PATTERN = r"([0-9a-f]{8}-)?[ap][1-9][0-9]{0,15}(\.[1-9][0-9]{0,16}(\.[0-9a-f]{32})?)?"
# PostgreSQL cannot compare an integer column with a greater number.
_MAX_POSITION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """The point in a feed after the event with this position and tag; position 0 is before all events."""

    position: int = 0
    tag: str = ""


def parse_cursor(text: str, letter: str) -> Cursor | None:
    """Return the cursor that the text represents, or None if the feed with this letter cannot have it.

    The text must be `0` or match CURSOR_PATTERN.
    """
    if text == "0":
        return Cursor()
    tag, _, rest = text.rpartition("-")
    if not rest.startswith(letter):
        return None
    position = int(rest.removeprefix(letter).partition(".")[0])
    return Cursor(position, tag) if position <= _MAX_POSITION else None


def format_cursor(cursor: Cursor, letter: str) -> str:
    """Return the text that represents the cursor."""
    return f"{cursor.tag}-{letter}{cursor.position}" if cursor.position else "0"


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# The kind of authors, which have no status: an author is public if a public article names them.
AUTHOR = "author"


@dataclass(frozen=True, slots=True)
class ItemAddress:
    """The address of an item on the site: its slug, and its path below the address of the site."""

    slug: str | None = None
    path: str | None = None


NO_ADDRESS = ItemAddress()


@dataclass(frozen=True, slots=True)
class ItemState:
    """The part of an item's state that readers can see.

    `readable_from` is None for an item that is neither public nor scheduled, and for authors. `authors`
    contains the uuids of the authors of an article.
    """

    readable_from: datetime | None
    address: ItemAddress = NO_ADDRESS
    listed: bool = True
    authors: frozenset[UUID] = frozenset()


ItemKey = tuple[str, UUID]


class NotedChange(NamedTuple):
    """The change of an item by the current transaction."""

    before: ItemState | None
    after: ItemState | None
    change: ChangeType
    has_earlier_events: bool = True
    fields: frozenset[str] = frozenset()


def note_change(
    kind: str,
    uuid: UUID,
    before: ItemState | None,
    after: ItemState | None,
    *,
    change: ChangeType = ChangeType.UPDATED,
    has_earlier_events: bool = True,
    fields: Collection[str] = (),
) -> None:
    """Record that the current transaction changes an item, so that the commit adds an event.

    `before` or `after` is None if the item does not exist then. `change` is the type of a change that neither
    creates, publishes, hides nor deletes the item. `has_earlier_events` is False for an item with a new uuid.
    `fields` contains the API names of the changed fields.
    """
    changes = get_write_transaction(db.session()).noted_changes
    first = changes.get((kind, uuid), NotedChange(before, after, change, has_earlier_events))
    changes[kind, uuid] = NotedChange(
        first.before, after, change, first.has_earlier_events, first.fields | frozenset(fields)
    )


_SELECT_POSITION = select(CommitCounter.position)
LAST_POSITION = CachedValue[int](lambda session: session.scalars(_SELECT_POSITION).one())


def get_last_position() -> int:
    """Return the position of the last event, which a transaction reads at most once."""
    return LAST_POSITION.get(db.session())


def get_state_token(*, public: bool = False) -> str:
    """Return a text that changes whenever the content of lists changes, for readers (`public`) or admins."""
    is_due = [Event.due <= current_time(), *([Event.listed] if public else [])]
    due = select(func.count()).where(*is_due).scalar_subquery()
    position, last = (
        (CommitCounter.public_position, Event.public_position)
        if public
        else (CommitCounter.position, Event.position)
    )
    # After a restore or a failover, a position can repeat with other content, but a tag cannot.
    tag = select(Event.tag).where(last == position).correlate(CommitCounter).scalar_subquery()
    return " ".join(map(str, db.session.execute(select(position, tag, due)).one()))
