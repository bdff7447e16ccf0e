"""The commit version: counts the commits to the database, and the commits that change what readers see."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import Engine, event
from sqlalchemy.exc import NoResultFound, SQLAlchemyError

from blogapi import clock
from blogapi.storage import connections
from blogapi.storage.checkpoint import WriteLock
from blogapi.storage.database import WRITE_LOCK, db

# The WSGI environ key that stores the time at which the request was received (time.monotonic).
RECEIVED_KEY = "blogapi.received"

# The seconds between two checks whether the database file was removed or replaced. A check takes half as long
# as the query to SQLite. A late check is harmless, because no commits are written to a removed file.
CHECK_SECONDS = 0.1

_READ_COUNTER = "SELECT tag, visible, extract(epoch FROM clock_timestamp()) FROM commit_counter"


@dataclass(frozen=True, order=True, slots=True)
class CommitVersion:
    """A version of the content of the database. The numbers never decrease, even if a backup is restored.

    `commit` grows with every commit. `public` grows with every commit that changes what readers without
    access to drafts can see. `time` is the time of the database server, or None for a SQLite file.
    """

    commit: int
    public: int
    time: datetime | None = field(default=None, compare=False)

    def increment(self, *, public: bool, time: datetime | None = None) -> CommitVersion:
        """Return the version after another commit."""
        return CommitVersion(self.commit + 1, self.public + int(public), time)


class SqliteVersionSource:
    """Reads the commit version of a SQLite file, through a connection that never writes.

    `PRAGMA data_version`, a query of 4 microseconds, shows whether another connection has committed.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = Path(str(engine.url.database)).absolute()
        # With mode=rw, SQLite never creates the file, so a deleted database is not replaced by an empty one.
        self._uri = f"{self._path.as_uri()}?mode=rw"
        self._opened_file: tuple[int, int] | None = None
        self._next_check = -math.inf
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._data_version, self._version = -1, CommitVersion(0, 0)
        # The tag of the last visible commit, or None if the tag cannot be read.
        self._visible: Any = None
        self._last_read = (self._version, -math.inf)
        # When the engine has been disposed, another file can have the same path.
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def get_version(self, since: float | None = None, *, strict: bool = True) -> CommitVersion | None:
        """Return the commit version, or None if the file cannot be read; `strict` has no effect for SQLite.

        `since` is the time at which the request was received (time.monotonic). A version that was read after
        this time is returned without a new query, so that concurrent requests share one query.
        """
        version, read_at = self._last_read
        # `<` and not `<=`, because the clock can return the same time for some milliseconds.
        if since is not None and since < read_at:
            return version
        with self._lock:
            read_at = time.monotonic()
            try:
                data_version = self._read_data_version()
            except sqlite3.Error:
                self._close_connection()
                return None
            if data_version != self._data_version:
                self._data_version = data_version
                self._version = self._version.increment(public=self._has_visible_change())
            self._last_read = (self._version, read_at)
            return self._version

    def close(self) -> None:
        """Close the connection to the file; the next read opens it again."""
        with self._lock:
            self._close_connection()

    def _read_data_version(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._uri, uri=True, check_same_thread=False, isolation_level=None, timeout=0
            )
            # The values of `data_version` on two different connections cannot be compared.
            self._data_version, self._visible = -1, None
            self._opened_file = connections.get_file_identity(self._path)
        self._check_file_identity(time.monotonic())
        (data_version,) = self._fetch_row("PRAGMA data_version")
        return int(data_version)

    def _has_visible_change(self) -> bool:
        before = self._visible
        try:
            # If another commit follows this query, the next query of `data_version` reports it.
            self._visible = self._fetch_row("SELECT visible FROM commit_counter")
        except sqlite3.Error:
            self._visible = None
        return self._visible is None or self._visible != before

    def _fetch_row(self, statement: str) -> Any:
        assert self._connection is not None
        rows = self._connection.execute(statement).fetchall()
        return rows[0] if rows else None

    def _check_file_identity(self, now: float) -> None:
        if now < self._next_check:
            return
        if self._opened_file != connections.get_file_identity(self._path):
            raise sqlite3.OperationalError("The database file was removed or replaced.")
        self._next_check = now + CHECK_SECONDS

    def _close_connection(self) -> None:
        self._next_check = -math.inf
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._last_read = (self._version, -math.inf)


class PostgresVersionSource:
    """Reads the commit version of a PostgreSQL database, in one round trip through a separate connection.

    Every `transaction()` changes the tag in `commit_counter`. `staleness` is CACHE_STALENESS_MS in seconds.
    """

    def __init__(self, engine: Engine, write_lock: WriteLock, *, staleness: float = 0.0) -> None:
        self._staleness = staleness
        self._errors = (SQLAlchemyError, engine.dialect.loaded_dbapi.Error)
        self._engine, self._write_lock = engine, write_lock
        self._lock = threading.Lock()
        self._connection: Any = None
        self._state: tuple[str, ...] = ()
        self._version = CommitVersion(0, 0)
        self._last_read: tuple[CommitVersion | None, float] = (None, -math.inf)
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def get_version(self, since: float | None = None, *, strict: bool = True) -> CommitVersion | None:
        """Return the commit version, or None if the server cannot be reached; see SqliteVersionSource.

        Unless `strict` is set, the version can be up to CACHE_STALENESS_MS old.
        """
        arrived = time.monotonic() if since is None else since
        version, last_read_at = self._last_read
        if arrived < last_read_at or (not strict and self._get_version_age() < self._staleness):
            return version
        with self._lock:
            # While this thread waited for the lock, another thread may have read the version.
            version, last_read_at = self._last_read
            if arrived < last_read_at:
                return version
            read_at = time.monotonic()
            try:
                tag, visible, seconds = self._read_commit_counter()
            except self._errors:
                self._close_connection()
                self._last_read = (None, read_at)
                return None
            now = clock.accept_database_time(datetime.fromtimestamp(float(seconds), UTC))
            if self._state == (tag, visible):
                self._version = replace(self._version, time=now)
            else:
                self._version = self._version.increment(public=self._state[1:] != (visible,), time=now)
                self._state = (tag, visible)
            self._last_read = (self._version, read_at)
            return self._version

    def close(self) -> None:
        """Close the connection; the next read opens another one."""
        with self._lock:
            self._close_connection()

    def _get_version_age(self) -> float:
        """Return the seconds since the version was last read; infinite if this process has written since."""
        version, read_at = self._last_read
        is_known = version is not None and read_at > self._write_lock.released_at
        return time.monotonic() - read_at if is_known else math.inf

    def _open_connection(self) -> Any:
        pooled = self._engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        # A connection pooler may run the next statement on another server connection, which does not have the
        # prepared statements of the first one.
        connection.autocommit, connection.prepare_threshold = True, None
        return connection

    def _read_commit_counter(self) -> tuple[str, str, Any]:
        if self._connection is None:
            self._connection = self._open_connection()
        row: tuple[str, str, Any] | None = self._connection.execute(_READ_COUNTER).fetchone()
        if row is None:
            raise NoResultFound("The table commit_counter is empty.")
        return row

    def _close_connection(self) -> None:
        # After a failure, the database may have different content but the same tags.
        self._state, self._last_read = (), (None, -math.inf)
        if self._connection is not None:
            self._connection.close()
        self._connection = None


CommitVersionSource = SqliteVersionSource | PostgresVersionSource


def create_version_source(app: Flask) -> CommitVersionSource:
    """Return a new source for the application's database."""
    with app.app_context():
        engine = db.engine
    if engine.dialect.name == "sqlite":
        return SqliteVersionSource(engine)
    staleness = app.config["CACHE_STALENESS_MS"] / 1000
    return PostgresVersionSource(engine, WRITE_LOCK.get(app), staleness=staleness)
