"""The clock that decides whether a scheduled item is due: PostgreSQL's, or on SQLite this process's.

Several servers share one PostgreSQL database, and their own clocks may differ.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from blogapi import clock
from blogapi.storage.read_once import ReadOnce


def get_time(session: Session) -> datetime:
    """Return the current time (aware, UTC); on PostgreSQL, it stays the same within a transaction.

    The time of a write transaction is the time at which it got the write lock, so that the times of writes
    increase.
    """
    if session.get_bind().dialect.name == "sqlite":
        return clock.now()
    return _time.get(session)


def set_time(session: Session, time: datetime) -> None:
    """Set the time of the session's transaction, as PostgreSQL returned it."""
    _time.set(session, to_utc(time))


def read_clock(session: Session) -> datetime:
    """Return the current time (aware, UTC), which may be later than the time of the transaction."""
    if session.get_bind().dialect.name == "sqlite":
        return clock.now()
    return to_utc(session.connection().exec_driver_sql("SELECT clock_timestamp()").scalar_one())


def to_utc(time: datetime) -> datetime:
    """Convert a time that PostgreSQL returned to UTC."""
    return clock.from_database(time).astimezone(UTC)


_time = ReadOnce(lambda session: to_utc(session.connection().exec_driver_sql("SELECT now()").scalar_one()))
