"""Values that a transaction reads once, such as the site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy.orm import Session, SessionTransaction

Value = TypeVar("Value")


class ReadOnce(Generic[Value]):
    """A value that each transaction of a session reads when it is first needed, and then caches."""

    def __init__(self, read: Callable[[Session], Value]) -> None:
        self._read = read

    def get(self, session: Session) -> Value:
        """Return the value of the session's current transaction; read it if the transaction has none yet."""
        if session.get_transaction() is None:
            # The transaction begins with its first connection.
            session.connection()
        kept: tuple[SessionTransaction | None, Value] | None = session.info.get(self)
        if kept is None or kept[0] is not session.get_transaction():
            return self.set(session, self._read(session))
        return kept[1]

    def set(self, session: Session, value: Value) -> Value:
        """Set the value of the current transaction, and return it."""
        session.info[self] = session.get_transaction(), value
        return value

    def forget(self, session: Session) -> None:
        """Forget the value after a change, so that the current transaction reads it again."""
        session.info.pop(self, None)
