"""The clock that decides whether a scheduled item is due: PostgreSQL's, or on SQLite this process's.

Several servers can share one PostgreSQL database, and the clocks of these servers may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Generic, TypeVar

from sqlalchemy.orm import Session, SessionTransaction

from blogapi import clock

Value = TypeVar("Value")


class CachedValue(Generic[Value]):
    """A value that a session reads at its first use in each transaction, and then caches."""

    def __init__(self, read: Callable[[Session], Value]) -> None:
        self._read = read

    def get(self, session: Session) -> Value:
        """Return the value in the session's current transaction; the first call in a transaction reads it."""
        if session.get_transaction() is None:
            # The transaction begins with its first connection.
            session.connection()
        cached: tuple[SessionTransaction | None, Value] | None = session.info.get(self)
        if cached is None or cached[0] is not session.get_transaction():
            return self.set(session, self._read(session))
        return cached[1]

    def set(self, session: Session, value: Value) -> Value:
        """Set the value of the current transaction, and return it."""
        session.info[self] = session.get_transaction(), value
        return value

    def discard(self, session: Session) -> None:
        """Discard the value after a change, so that the current transaction reads it again."""
        session.info.pop(self, None)


def get_transaction_time(session: Session) -> datetime:
    """Return the current time (aware, UTC), which stays the same within a transaction on PostgreSQL.

    The time of a write transaction is the time at which the transaction got the write lock, so that the times
    of writes increase.
    """
    if session.get_bind().dialect.name == "sqlite":
        return clock.now()
    return _transaction_time.get(session)


def set_transaction_time(session: Session, time: datetime) -> None:
    """Set the time of the session's transaction, as PostgreSQL returned it."""
    _transaction_time.set(session, to_utc(time))


def read_database_clock(session: Session) -> datetime:
    """Return the current time (aware, UTC), which may be later than the time of the transaction."""
    if session.get_bind().dialect.name == "sqlite":
        return clock.now()
    return to_utc(session.connection().exec_driver_sql("SELECT clock_timestamp()").scalar_one())


def to_utc(time: datetime) -> datetime:
    """Return a time from PostgreSQL as aware UTC."""
    return clock.accept_database_time(time).astimezone(UTC)


_transaction_time = CachedValue(
    lambda session: to_utc(session.connection().exec_driver_sql("SELECT now()").scalar_one())
)
