"""The change log: one row per item, updated in the transaction of each write.

The session writes the rows when it is flushed, so that no service function can forget a row. The positions
come from two counters: one for admins, and a public one that increases only when a public item changes, so
that a reader cannot tell that drafts are being written. A transaction locks the counters until it commits, so
positions become visible in order and a cursor never skips a position.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Index, String, and_, func, or_, select, update
from sqlalchemy import event as events
from sqlalchemy.orm import InstrumentedAttribute, Mapped, Session, mapped_column

from blogapi import clock
from blogapi.storage.database import Base, db, transaction

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TracksChanges:
    """Mixin for models whose changes are logged; `kind` is the name of the model in the API."""

    kind: str
    uuid: Mapped[UUID]

    def visible_from(self) -> datetime | None:
        """Return the time from which the row is public, which may be in the future; None if there is none."""
        return EPOCH


class Change(Base):
    """The last change of one item, ordered by `position` (for admins) and `public_position`.

    `due` is the time at which a scheduled item becomes public.
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


class ChangeCounter(Base):
    """A table with a single row, which contains the last assigned positions; a migration inserts it."""

    __tablename__ = "change_counter"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int]
    public_position: Mapped[int]


def init_app() -> None:
    """Log the changes in every flush of the session."""
    if not events.contains(db.session, "before_flush", _log_changes):
        events.listen(db.session, "before_flush", _log_changes)


def record_due_changes() -> None:
    """Log the scheduled items that have become public; write nothing if there are none.

    If the clock was set back, items that are no longer due are logged as not public.
    """
    if not _find_due(db.session(), clock.now()):
        return
    with transaction():
        session, now = db.session(), clock.now()
        for change in _find_due(session, now):
            change.public = change.due is not None and change.due <= now
            _assign_position(session, change, public=True)


def last_position(*, public: bool = False) -> int:
    """Return the position of the last change, or of the last public change."""
    return db.session.scalars(select(_column(public))).one()


def state_token(*, public: bool = False) -> str:
    """Return a token that changes with all content that admins or, if `public`, readers can see."""
    due = select(func.count()).where(Change.due <= clock.now()).scalar_subquery()
    return " ".join(str(number) for number in db.session.execute(select(_column(public), due)).one())


def _column(public: bool) -> InstrumentedAttribute[int]:
    return ChangeCounter.public_position if public else ChangeCounter.position


def _find_due(session: Session, now: datetime) -> list[Change]:
    unlogged = or_(and_(Change.due <= now, ~Change.public), and_(Change.due > now, Change.public))
    return list(session.scalars(select(Change).where(unlogged).order_by(Change.due)))


def _log_changes(session: Session, context: Any, instances: Any) -> None:
    modified = (row for row in session.dirty if session.is_modified(row))
    for row in [*session.new, *modified, *session.deleted]:
        if isinstance(row, TracksChanges):
            _log_change(session, row, gone=row in session.deleted)


def _log_change(session: Session, row: TracksChanges, *, gone: bool) -> None:
    now = clock.now()
    # SQLAlchemy applies the default of the column only during the flush, which is too late here.
    row.uuid = row.uuid or uuid4()
    with session.no_autoflush:
        change = session.get(Change, (row.kind, row.uuid)) or Change(
            kind=row.kind, uuid=row.uuid, public=False
        )
        since = None if gone else row.visible_from()
        was_public = change.public or (change.due is not None and change.due <= now)
        change.public = since is not None and since <= now
        change.due = since if since is not None and since > now else None
        change.gone = gone
        _assign_position(session, change, public=was_public or change.public)
        session.add(change)


def _assign_position(session: Session, change: Change, *, public: bool) -> None:
    last = session.execute(
        update(ChangeCounter)
        .values(
            position=ChangeCounter.position + 1,
            public_position=ChangeCounter.public_position + int(public),
        )
        .returning(ChangeCounter.position, ChangeCounter.public_position)
        .execution_options(synchronize_session=False)
    ).one()
    change.position = last.position
    if public:
        change.public_position = last.public_position
