"""Reads the commit version of a PostgreSQL database on the socket thread, which must never wait."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import Any

from blogapi.serving.tasks import ResponseTask
from blogapi.storage.commit_version import READ_COUNTER, PostgresCommitVersion

# After this time without an answer, the requests that wait for it are queued for a thread, in seconds.
MAX_WAIT_SECONDS = 1.0

# Minimum time between two attempts to connect, in seconds.
RECONNECT_SECONDS = 1.0

logger = logging.getLogger(__name__)


class VersionReader:
    """A connection among the sockets of a server, on which the socket thread reads the commit version.

    One query is in progress at a time. Requests that arrive meanwhile share the next one, because the first
    might not see the writes that were acknowledged before they arrived.
    """

    # wasyncore reads this attribute of all objects in its map.
    accepting = False

    def __init__(self, source: PostgresCommitVersion, sockets: dict[int, Any]) -> None:
        self._source, self._sockets = source, sockets
        # A psycopg connection, and one that another thread has just opened.
        self._connection: Any = None
        self._opened: Any = None
        self._fileno = -1
        self._is_closed = self._is_connecting = False
        self._connecting_at = -math.inf
        self._sent_at: float | None = None
        self._row: tuple[str, ...] = ()
        # The requests that wait for the query in progress, and those that wait for the next one.
        self._waiting, self._arrived = list[ResponseTask](), list[ResponseTask]()

    def replay(self, task: ResponseTask, *, strict: bool) -> None:
        """Call `replay` of the task's connection when the version is known, or if it cannot be read."""
        age = math.inf if strict else self._source.get_age()
        if age < self._source.staleness:
            task.channel.replay(task)
        else:
            self._arrived.append(task)
        if age >= self._source.staleness / 2 and self._sent_at is None:
            self._send()

    def check_deadline(self, now: float) -> None:
        """Give up the connection if it has not answered in time."""
        if self._sent_at is not None and now - self._sent_at > MAX_WAIT_SECONDS:
            self._give_up()

    def close(self) -> None:
        """Close the connection."""
        self._is_closed = True
        self._disconnect()
        if self._opened is not None:
            self._opened.close()

    def readable(self) -> bool:
        """Return True, so that the end of the connection is noticed too."""
        return True

    def writable(self) -> bool:
        """Return False: libpq sends the short query at once."""
        return False

    def handle_read_event(self) -> None:
        """Read the answer, or a part of it."""
        try:
            is_complete = self._receive()
        except self._source.errors:
            self._give_up()
            return
        if not is_complete:
            return
        read_at, self._sent_at = self._sent_at, None
        if not self._row or read_at is None:
            self._give_up()
            return
        self._source.add_reading(*self._row, read_at=read_at)
        waiting, self._waiting = self._waiting, []
        if self._arrived:
            self._send()
        _replay_all(waiting)

    def handle_close(self) -> None:
        """Give up the connection, which has failed."""
        self._give_up()

    handle_expt_event = handle_close

    def handle_error(self) -> None:
        """Give up the connection after an unexpected exception."""
        logger.exception("The version of the content cannot be read on the socket thread.")
        self._give_up()

    def _send(self) -> None:
        """Send the query for all requests that have arrived."""
        if self._connection is None:
            self._adopt_connection()
        if self._connection is None:
            self._give_up()
            return
        self._row, self._sent_at = (), time.monotonic()
        self._waiting, self._arrived = self._arrived, []
        try:
            self._connection.pgconn.send_query(READ_COUNTER.encode())
            self._connection.pgconn.flush()
        except self._source.errors:
            self._give_up()

    def _receive(self) -> bool:
        """Read what has arrived; return whether the answer is complete."""
        connection = self._connection.pgconn
        connection.consume_input()
        while not connection.is_busy():
            result = connection.get_result()
            if result is None:
                return self._sent_at is not None
            if result.ntuples == 1:
                self._row = tuple(result.get_value(0, column).decode() for column in range(result.nfields))
        return False

    def _give_up(self) -> None:
        """Close the connection; threads read the version for the requests that have waited."""
        if self._connection is not None:
            self._disconnect()
            self._source.forget()
        self._sent_at = None
        tasks, self._waiting, self._arrived = [*self._waiting, *self._arrived], [], []
        _replay_all(tasks)

    def _disconnect(self) -> None:
        if self._connection is not None:
            # After a failure, libpq no longer knows the number of the socket.
            del self._sockets[self._fileno]
            self._connection.close()
        self._connection = None

    def _adopt_connection(self) -> None:
        """Use the connection that another thread has opened, or let it open one."""
        now = time.monotonic()
        self._connection, self._opened = self._opened, None
        if self._connection is not None:
            self._connection.pgconn.nonblocking = 1
            self._fileno = self._connection.pgconn.socket
            self._sockets[self._fileno] = self
        elif not self._is_connecting and now - self._connecting_at > RECONNECT_SECONDS:
            self._connecting_at, self._is_connecting = now, True
            threading.Thread(target=self._connect, name="version-reader", daemon=True).start()

    def _connect(self) -> None:
        try:
            connection = self._source.connect()
        except self._source.errors:
            return
        finally:
            self._is_connecting = False
        self._opened = connection
        if self._is_closed:
            connection.close()


def _replay_all(tasks: list[ResponseTask]) -> None:
    for task in tasks:
        try:
            task.channel.replay(task)
        except Exception:
            # As after any exception of a connection, wasyncore logs it and closes this connection.
            task.channel.handle_error()
