"""The commit version: a number that grows with every commit, whichever process made it."""

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

# The key of the WSGI environment that holds the time of the request's arrival (time.monotonic).
RECEIVED_KEY = "blogapi.received"

# How often to check that the path still leads to the opened file, in seconds. The check takes half as long as
# the query to SQLite, and a removed file receives no commits.
CHECK_SECONDS = 0.1


class CommitVersionSource(Protocol):
    """An object that reads the commit version of one database."""

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version, None where it cannot be read.

        A version that was read after `since` (time.monotonic), the arrival of the request, is returned
        without a new query: concurrent requests share one.
        """


class SqliteCommitVersion:
    """The commit version of a SQLite file, read through a connection that never writes.

    `PRAGMA data_version` reports the commits of all other connections in 4 microseconds.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = Path(str(engine.url.database)).absolute()
        # mode=rw never creates the file: a deleted database must not come back empty.
        self._uri = f"{self._path.as_uri()}?mode=rw"
        self._opened: tuple[int, int] | None = None
        self._next_check = -math.inf
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._data_version = self._version = 0
        self._last_read = (0, -math.inf)
        # The path may lead to another file after the engine was disposed.
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version, which never decreases; None where the file cannot be read."""
        version, read_at = self._last_read
        # Strictly less, as a clock may stand still for some milliseconds.
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
            # The numbers of two connections cannot be compared.
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
    """The commit version of a PostgreSQL database, from the row that every `transaction()` increments."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._lock = threading.Lock()
        self._commits = self._version = 0
        self._last_read = (0, -math.inf)

    def get_version(self, since: float | None = None) -> int | None:
        """Return the commit version; None where the server cannot be reached.

        It never decreases, even when a restored backup brings back a lower counter.
        """
        version, last_read_at = self._last_read
        if since is not None and since < last_read_at:
            return version
        read_at = time.monotonic()
        try:
            with self._engine.connect() as connection:
                commits = connection.execute(select(CommitCounter.commits)).scalar_one()
        except SQLAlchemyError:
            # The database may come back with other content and the same counter.
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
    """Return a new source for the application's database; None for a database in memory."""
    with app.app_context():
        engine = db.engine
    if engine.dialect.name != "sqlite":
        return PostgresCommitVersion(engine)
    return None if upgrades.is_in_memory(engine) else SqliteCommitVersion(engine)
