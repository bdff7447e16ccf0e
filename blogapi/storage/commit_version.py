"""The commit version: a number that grows with every commit of any process."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from flask import Flask
from sqlalchemy import Engine, event, select
from sqlalchemy.exc import SQLAlchemyError

from blogapi.storage import files, upgrades
from blogapi.storage.database import CommitCounter, db

# The WSGI environ key that stores the time at which the request was received (time.monotonic).
RECEIVED_KEY = "blogapi.received"

# How often to check that the path still leads to the opened file, in seconds. A check takes half as long as
# the query to SQLite. A late check is harmless, because no commits are written to a removed file.
CHECK_SECONDS = 0.1


class CommitVersionSource(Protocol):
    """An object that reads the commit version of one database."""

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version, or None if it cannot be read.

        `since` is the time at which the request was received (time.monotonic). A version that was read after
        this time is returned without a new query, so that concurrent requests share one query.
        """


class SqliteCommitVersion:
    """The commit version of a SQLite file, read through a connection that never writes.

    `PRAGMA data_version` reports the commits of all other connections in 4 microseconds.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = Path(str(engine.url.database)).absolute()
        # With mode=rw, SQLite never creates the file, so a deleted database is not replaced by an empty one.
        self._uri = f"{self._path.as_uri()}?mode=rw"
        self._opened: tuple[int, int] | None = None
        self._next_check = -math.inf
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._data_version = self._version = 0
        self._last_read = (0, -math.inf)
        # After the engine is disposed, the path may lead to another file.
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version, which never decreases, or None if the file cannot be read."""
        version, read_at = self._last_read
        # The comparison is strict, because the clock may not advance for some milliseconds.
        if since is not None and since < read_at:
            return version
        with self._lock:
            read_at = time.monotonic()
            try:
                data_version = self._read_data_version()
            except sqlite3.Error:
                self._disconnect()
                return None
            if data_version != self._data_version:
                self._data_version = data_version
                self._version += 1
            self._last_read = (self._version, read_at)
            return self._version

    def close(self) -> None:
        """Close the connection to the file; the next read opens it again."""
        with self._lock:
            self._disconnect()

    def _read_data_version(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._uri, uri=True, check_same_thread=False, isolation_level=None
            )
            # The values of `data_version` on two connections cannot be compared.
            self._version += 1
            self._opened = files.file_identity(self._path)
        self._check_file(time.monotonic())
        ((data_version,),) = self._connection.execute("PRAGMA data_version").fetchall()
        return int(data_version)

    def _check_file(self, now: float) -> None:
        if now < self._next_check:
            return
        if self._opened != files.file_identity(self._path):
            raise sqlite3.OperationalError("The database file was removed or replaced.")
        self._next_check = now + CHECK_SECONDS

    def _disconnect(self) -> None:
        self._next_check = -math.inf
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._last_read = (self._version, -math.inf)


class PostgresCommitVersion:
    """The commit version of a PostgreSQL database, read from a row that every `transaction()` updates."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._lock = threading.Lock()
        self._commits = self._version = 0
        self._last_read = (0, -math.inf)

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version, or None if the server cannot be reached.

        The version never decreases, even if a restored backup contains a lower counter.
        """
        version, last_read_at = self._last_read
        if since is not None and since < last_read_at:
            return version
        read_at = time.monotonic()
        try:
            with self._engine.connect() as connection:
                commits = connection.execute(select(CommitCounter.commits)).scalar_one()
        except SQLAlchemyError:
            # The database may return with different content but the same counter.
            self._commits = -1
            return None
        with self._lock:
            if read_at < self._last_read[1]:
                # Another thread's newer read finished first; keep its result.
                return self._last_read[0]
            if commits != self._commits:
                self._commits = commits
                self._version += 1
            self._last_read = (self._version, read_at)
            return self._version


def create_source(app: Flask) -> CommitVersionSource | None:
    """Return a new source for the application's database, or None if the database is in memory."""
    with app.app_context():
        engine = db.engine
    if engine.dialect.name != "sqlite":
        return PostgresCommitVersion(engine)
    return None if upgrades.is_in_memory(engine) else SqliteCommitVersion(engine)
