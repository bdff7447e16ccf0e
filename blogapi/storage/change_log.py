"""What has changed: one row per item, renewed in the transaction of each write.

The rows are made when the session is flushed, so that no writer can forget one. Two counters give the
positions: one for admins, one that only moves when something changes for everybody, so that a reader
cannot even tell that drafts are being written. A writer holds the counters until it commits: positions
become visible in their order, and a cursor never skips one.
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
    """A row whose changes are told; `kind` is the word for it on the wire."""

    kind: str
    uuid: Mapped[UUID]

    def visible_from(self) -> datetime | None:
        """Return since when everybody may see the row, which may lie ahead; None: not at all."""
        return EPOCH


class Change(Base):
    """The last change of one item; `position` and `public_position` say when, in order."""

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
    """The one row with the last positions given; the schema comes with it."""

    __tablename__ = "change_counter"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int]
    public_position: Mapped[int]


def init_app() -> None:
    """Listen to every flush of the session."""
    if not events.contains(db.session, "before_flush", _note):
        events.listen(db.session, "before_flush", _note)


def record_due_changes() -> None:
    """Tell of what was scheduled and has become visible by now; writes only where there is something.

    What a clock that went ahead made visible, and hid again when it was set right, is told as gone.
    """
    if not _due(db.session(), clock.now()):
        return
    with transaction():
        session, now = db.session(), clock.now()
        for change in _due(session, now):
            change.public = change.due is not None and change.due <= now
            _place(session, change, public=True)


def last_position(*, public: bool = False) -> int:
    """Return the position of the last change of all, or of the last that is `public`."""
    return db.session.scalars(select(_column(public))).one()


def state_token(*, public: bool = False) -> str:
    """Return what differs whenever anything that is shown differs, for everybody (`public`) or for admins."""
    due = select(func.count()).where(Change.due <= clock.now()).scalar_subquery()
    return " ".join(str(number) for number in db.session.execute(select(_column(public), due)).one())


def _column(public: bool) -> InstrumentedAttribute[int]:
    return ChangeCounter.public_position if public else ChangeCounter.position


def _due(session: Session, now: datetime) -> list[Change]:
    untold = or_(and_(Change.due <= now, ~Change.public), and_(Change.due > now, Change.public))
    return list(session.scalars(select(Change).where(untold).order_by(Change.due)))


def _note(session: Session, context: Any, instances: Any) -> None:
    written = [*session.new, *(row for row in session.dirty if session.is_modified(row)), *session.deleted]
    for row in written:
        if isinstance(row, TracksChanges):
            _renew(session, row, gone=row in session.deleted)


def _renew(session: Session, row: TracksChanges, *, gone: bool) -> None:
    now = clock.now()
    # The row's own default would come only with the flush.
    row.uuid = row.uuid or uuid4()
    with session.no_autoflush:
        change = session.get(Change, (row.kind, row.uuid)) or Change(
            kind=row.kind, uuid=row.uuid, public=False
        )
        since = None if gone else row.visible_from()
        was = change.public or (change.due is not None and change.due <= now)
        change.public = since is not None and since <= now
        change.due = since if since is not None and since > now else None
        change.gone = gone
        _place(session, change, public=was or change.public)
        session.add(change)


def _place(session: Session, change: Change, *, public: bool) -> None:
    counted = session.execute(
        update(ChangeCounter)
        .values(
            position=ChangeCounter.position + 1,
            public_position=ChangeCounter.public_position + int(public),
        )
        .returning(ChangeCounter.position, ChangeCounter.public_position)
        .execution_options(synchronize_session=False)
    ).one()
    change.position = counted.position
    if public:
        change.public_position = counted.public_position
