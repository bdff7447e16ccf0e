"""The change log: one row per item, updated in the transaction of each write.

The session writes the rows when it is flushed, so that no service function can forget a row. The positions
come from two counters: one for admins, and a public one that increases only when a public item changes, so
that a reader cannot tell that drafts are being written. A transaction locks the counters until it commits, so
positions become visible in order and a cursor never skips a position.

A scheduled item becomes public without a write and without a position; readers find it by the time in `due`.

Some items, such as authors, are public only through other items. A write that shows or hides such an item
logs it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Index, String, bindparam, func, insert, select, tuple_, update
from sqlalchemy import event as events
from sqlalchemy.orm import InstrumentedAttribute, Mapped, Session, mapped_column

from blogapi.storage import database_clock, transaction_info
from blogapi.storage.database import Base, CommitCounter, current_time, db, table_of
from blogapi.storage.item_pages import get_page_before, set_pages

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_DUE_KEY = "due"


class TracksChanges:
    """Mixin for models whose changes are logged; `kind` is the name of the model in the API."""

    kind: str
    uuid: Mapped[UUID]

    def visible_from(self) -> datetime | None:
        """Return when the row became or becomes public; None if it is neither public nor scheduled."""
        return EPOCH


@dataclass(frozen=True, slots=True)
class Exposure:
    """An item that the written row `source` shows from `since`, or hides if `since` is None."""

    kind: str
    uuid: UUID
    source: UUID
    since: datetime | None


# Returns the items that these written rows show or hide, before they are flushed.
FindExposures = Callable[[Session, Sequence[TracksChanges]], Iterable[Exposure]]
# Returns the time from which other rows than the excluded ones show these items, by uuid.
FindOtherExposures = Callable[[Session, Collection[UUID], Collection[UUID]], Mapping[UUID, datetime]]


@dataclass(slots=True)
class _Item:
    """An item to log; it became or becomes public at `since`.

    Without `written`, it is logged only if its visibility changes. Without `complete`, it may also be public
    as it was before.
    """

    kind: str
    uuid: UUID
    since: datetime | None = None
    gone: bool = False
    written: bool = False
    complete: bool = False


class Change(Base):
    """The last change of one item, ordered by `position` (for admins) and `public_position`.

    For an item that was scheduled when it was written, `due` is the time at which it becomes public, and
    `public` is False. Older versions of blogapi set `public` to True when the item became public.

    `slug` and `published_at` describe the page of an item that is no longer public, as readers last saw it,
    or the page of a deleted item that readers never saw. They are None if they are unknown.
    """

    __tablename__ = "change"
    __table_args__ = (Index("ix_change_due", "due"),)

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    uuid: Mapped[UUID] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(unique=True)
    public_position: Mapped[int | None] = mapped_column(unique=True)
    public: Mapped[bool]
    gone: Mapped[bool]
    due: Mapped[datetime | None]
    slug: Mapped[str | None]
    published_at: Mapped[datetime | None]


class ChangeCounter(Base):
    """A table with a single row, which contains the last assigned positions; a migration inserts it."""

    __tablename__ = "change_counter"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int]
    public_position: Mapped[int]


_change, _counter = table_of(Change), table_of(ChangeCounter)

# This statement is built once, because building a statement takes longer than executing it.
_SELECT_BY_UUID = select(_change).where(_change.c.uuid.in_(bindparam("uuids", expanding=True)))
_INSERT = insert(_change)
_UPDATE = update(_change).where(
    _change.c.kind == bindparam("old_kind"), _change.c.uuid == bindparam("old_uuid")
)
_INCREASE_COUNTERS = (
    update(_counter)
    .values(
        position=_counter.c.position + bindparam("changes"),
        public_position=_counter.c.public_position + bindparam("public_changes"),
    )
    .returning(_counter.c.position, _counter.c.public_position)
)

# The functions for the kinds of items that are public only through other items.
_EXPOSED_KINDS: dict[str, tuple[FindExposures, FindOtherExposures]] = {}

# How many rows one statement logs; databases limit the number of its parameters.
_ROWS_PER_STATEMENT = 500


def init_app() -> None:
    """Log the changes in every flush of the session."""
    for name, listener in (("before_flush", _log_changes), ("before_commit", _log_due_changes)):
        if not events.contains(db.session, name, listener):
            events.listen(db.session, name, listener)


def register_exposed_kind(kind: str, find: FindExposures, find_others: FindOtherExposures) -> None:
    """Declare that the items of this kind are public only through other items, which the functions find."""
    _EXPOSED_KINDS[kind] = (find, find_others)


def last_position(*, public: bool = False) -> int:
    """Return the position of the last change, or of the last public change."""
    return db.session.scalars(select(_column(public))).one()


def state_token(*, public: bool = False) -> str:
    """Return a token that changes with all content that admins or, if `public`, readers can see."""
    due = select(func.count()).where(Change.due <= current_time()).scalar_subquery()
    # The counters can repeat after a restore or a failover; the epoch and the identity cannot.
    incarnation: list[Any] = [select(CommitCounter.epoch).scalar_subquery()]
    if db.engine.dialect.name != "sqlite":
        incarnation.append(func.database_identity())
    return " ".join(map(str, db.session.execute(select(_column(public), due, *incarnation)).one()))


def _column(public: bool) -> InstrumentedAttribute[int]:
    return ChangeCounter.public_position if public else ChangeCounter.position


def _log_changes(session: Session, context: Any, instances: Any) -> None:
    modified = (row for row in session.dirty if session.is_modified(row))
    written = [*session.new, *modified, *session.deleted]
    items = _find_items(session, [row for row in written if isinstance(row, TracksChanges)])
    for start in range(0, len(items), _ROWS_PER_STATEMENT):
        _log_items(session, items[start : start + _ROWS_PER_STATEMENT])


def _find_items(session: Session, rows: Sequence[TracksChanges]) -> list[_Item]:
    """Return the written rows, and the items that they show or hide, each once."""
    items: dict[tuple[str, UUID], _Item] = {}
    to_complete: dict[str, set[UUID]] = {}
    # Each access to these attributes builds a set.
    new, deleted = session.new, session.deleted
    for row in rows:
        # SQLAlchemy applies the default of the column only during the flush, which is too late here.
        row.uuid = row.uuid or uuid4()
        gone = row in deleted
        complete = gone or row in new or row.kind not in _EXPOSED_KINDS
        since = None if gone else row.visible_from()
        items[row.kind, row.uuid] = _Item(row.kind, row.uuid, since, gone, written=True, complete=complete)
        if not complete:
            to_complete.setdefault(row.kind, set()).add(row.uuid)
    exposures = [exposure for find, _ in _EXPOSED_KINDS.values() for exposure in find(session, rows)]
    for exposure in exposures:
        item = items.setdefault((exposure.kind, exposure.uuid), _Item(exposure.kind, exposure.uuid))
        if exposure.since is None:
            to_complete.setdefault(item.kind, set()).add(item.uuid)
        else:
            item.since = min(exposure.since, item.since or exposure.since)
    for kind, uuids in to_complete.items():
        # The database still has the former state of these rows.
        written = {exposure.source for exposure in exposures}
        others = _EXPOSED_KINDS[kind][1](session, uuids, written)
        for uuid in uuids:
            item = items[kind, uuid]
            times = [time for time in (item.since, others.get(uuid)) if time is not None]
            item.since, item.complete = min(times, default=None), True
    return list(items.values())


def _log_items(session: Session, items: Sequence[_Item]) -> None:
    now, connection = database_clock.get_time(session), session.connection()
    found = connection.execute(_SELECT_BY_UUID, {"uuids": [item.uuid for item in items]})
    logged = {(change.kind, change.uuid): change for change in found}
    changes: list[dict[str, Any]] = []
    for item in items:
        former = logged.get((item.kind, item.uuid))
        former_since = None if former is None else EPOCH if former.public else former.due
        since = item.since
        if not item.complete and former_since is not None:
            since = former_since if since is None else min(since, former_since)
        public = since is not None and since <= now
        was_public = former_since is not None and former_since <= now
        due = since if since is not None and since > now else None
        former_due = former_since if not was_public else None
        if not item.written and (public, due) == (was_public, former_due):
            continue
        changes.append(
            {
                "kind": item.kind,
                "uuid": item.uuid,
                "public_position": former and former.public_position,
                "public": public,
                "gone": item.gone,
                "due": due,
                "moves_public": public or was_public,
            }
        )
    due_items = ((change["kind"], change["uuid"], change["due"]) for change in changes)
    former_due_items = ((change.kind, change.uuid, change.due) for change in logged.values())
    _remember_due(session, [item for item in (*former_due_items, *due_items) if item[2] and item[2] > now])
    if not changes:
        return
    set_pages(session, changes, logged, now)
    _assign_positions(connection, changes)
    _update_changes(connection, [change for change in changes if (change["kind"], change["uuid"]) in logged])
    new = [change for change in changes if (change["kind"], change["uuid"]) not in logged]
    if new:
        connection.execute(_INSERT, new)


def _remember_due(session: Session, items: Iterable[tuple[str, UUID, datetime]]) -> None:
    """Store the earliest time at which each item, in its former or its new state, becomes public."""
    times = transaction_info.get_info(session).setdefault(_DUE_KEY, {})
    for kind, uuid, due in items:
        times[kind, uuid] = min(due, times.get((kind, uuid), due))


def _log_due_changes(session: Session) -> None:
    """Log again each item that has become due since the transaction logged it.

    Since then, a client can have read the former state of the items, or have received a cursor that is later
    than the time at which they became due.
    """
    if session.in_nested_transaction():
        return
    session.flush()
    times: dict[tuple[str, UUID], datetime] = transaction_info.get_info(session).get(_DUE_KEY, {})
    if not times:
        return
    connection, now = session.connection(), database_clock.read_clock(session)
    keys = [key for key, due in times.items() if due <= now]
    for start in range(0, len(keys), _ROWS_PER_STATEMENT):
        is_key = tuple_(_change.c.kind, _change.c.uuid).in_(keys[start : start + _ROWS_PER_STATEMENT])
        changes: list[dict[str, Any]] = []
        for change in connection.execute(select(_change).where(is_key)).mappings():
            is_due = change["due"] is not None and change["due"] <= now
            # If the transaction hides the item, readers could see its former page for a moment.
            former_page = get_page_before(session, change["kind"], change["uuid"])
            state = {"public": True, "due": None} if is_due else former_page
            changes.append({**change, **state, "moves_public": True})
        _assign_positions(connection, changes)
        _update_changes(connection, changes)


def _assign_positions(connection: Connection, changes: Sequence[dict[str, Any]]) -> None:
    """Set the position of each change, and the public position of each change with `moves_public`."""
    public = [change for change in changes if change.pop("moves_public")]
    counts = {"changes": len(changes), "public_changes": len(public)}
    last = connection.execute(_INCREASE_COUNTERS, counts).one()
    for number, change in enumerate(changes, last.position - len(changes) + 1):
        change["position"] = number
    for number, change in enumerate(public, last.public_position - len(public) + 1):
        change["public_position"] = number


def _update_changes(connection: Connection, changes: Sequence[Mapping[str, Any]]) -> None:
    if not changes:
        return
    rows = [{**change, "old_kind": change["kind"], "old_uuid": change["uuid"]} for change in changes]
    connection.execute(_UPDATE, rows)
