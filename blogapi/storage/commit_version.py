"""Which state the database is in: a number that grows with every commit, of whatever process."""

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

# Where the environment of a request says when it had come in (time.monotonic).
RECEIVED_KEY = "blogapi.received"

# How often it is looked whether the file still lies where it was opened, in seconds: that costs half as much
# again as the question to SQLite, and who takes the file away acknowledges nothing.
CHECK_SECONDS = 0.1


class CommitVersionSource(Protocol):
    """Where the state of a database is told."""

    def state(self, since: float | None = None) -> int | None:
        """Return the number of the state at this moment, None where it cannot be told.

        `since` (time.monotonic) is when the question came in: a state that was looked up after that
        answers it too, so that a crowd is answered with one look.
        """


class SqliteCommitVersion:
    """The state of a SQLite file, seen through a connection that never writes.

    SQLite tells such a connection of each commit of all others: `PRAGMA data_version`, 4 microseconds.
    """

    def __init__(self, engine: Engine) -> None:
        # Never made here: a file that is gone must not come back empty.
        self._path = Path(str(engine.url.database)).absolute()
        self._address = f"{self._path.as_uri()}?mode=rw"
        self._opened: tuple[int, int] | None = None
        self._next_check = -math.inf
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._version = self._state = 0
        self._seen = (0, -math.inf)
        # A file that was closed may come back as another one.
        event.listen(engine, "engine_disposed", lambda _: self.close())

    def state(self, since: float | None = None) -> int | None:
        """Return the number of the state; it never falls."""
        state, seen_at = self._seen
        # Not at the same moment: a clock may stand still for some milliseconds.
        if since is not None and since < seen_at:
            return state
        with self._lock:
            looked_at = time.monotonic()
            try:
                version = self._told()
            except sqlite3.Error:
                self._drop()
                return None
            if version != self._version:
                self._version = version
                self._state += 1
            self._seen = (self._state, looked_at)
            return self._state

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._drop()

    def _told(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._address, uri=True, check_same_thread=False, isolation_level=None
            )
            # What another connection was told says nothing.
            self._state += 1
            self._opened = files.file_identity(self._path)
        self._check(time.monotonic())
        ((version,),) = self._connection.execute("PRAGMA data_version").fetchall()
        return int(version)

    def _check(self, now: float) -> None:
        if now < self._next_check:
            return
        if self._opened != files.file_identity(self._path):
            raise sqlite3.OperationalError("The file is not the one that was opened.")
        self._next_check = now + CHECK_SECONDS

    def _drop(self) -> None:
        self._next_check = -math.inf
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._seen = (self._state, -math.inf)


class PostgresCommitVersion:
    """The state of a PostgreSQL database: the row that every `transaction()` counts up."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._lock = threading.Lock()
        self._commits = self._state = 0
        self._seen = (0, -math.inf)

    def state(self, since: float | None = None) -> int | None:
        """Return the number of the state; it never falls, though a backup may bring the row back."""
        state, seen_at = self._seen
        if since is not None and since < seen_at:
            return state
        looked_at = time.monotonic()
        try:
            with self._engine.connect() as connection:
                commits = connection.execute(select(CommitCounter.commits)).scalar_one()
        except SQLAlchemyError:
            # It may come back as another one, at the same number.
            self._commits = -1
            return None
        with self._lock:
            if looked_at < self._seen[1]:
                # Somebody looked later and was told sooner.
                return self._seen[0]
            if commits != self._commits:
                self._commits = commits
                self._state += 1
            self._seen = (self._state, looked_at)
            return self._state


def get_source(app: Flask) -> CommitVersionSource | None:
    """Return what tells the state of the application's database; None for one in memory."""
    with app.app_context():
        engine = db.engine
    if engine.dialect.name != "sqlite":
        return PostgresCommitVersion(engine)
    return None if upgrades.is_in_memory(engine) else SqliteCommitVersion(engine)
