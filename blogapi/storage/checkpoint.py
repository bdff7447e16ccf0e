"""Checkpoints that keep SQLite's write-ahead log short."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from blogapi import clock
from blogapi.storage import files, integrity

# Four times the size at which SQLite itself tries to reset the log.
MAX_LOG_BYTES = 16 * 1024 * 1024

# How long a checkpoint waits for readers of an earlier state, and the pause before the next attempt.
WAIT_SECONDS, RETRY_SECONDS = 0.1, 1.0


class WriteAheadLog:
    """The write-ahead log of a database file.

    SQLite resets the log only when no connection is reading, which never happens on a busy blog: with eight
    overlapping readers, the log grew to 124 MB in 12 seconds.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = files.side_files(database).log
        self._next_try = 0.0

    def truncate_if_long(self) -> None:
        """Copy a long log into the database file and empty it.

        The caller must hold the write lock and must have committed.
        """
        now = clock.monotonic()
        if now < self._next_try or self._size() < MAX_LOG_BYTES:
            return
        self._next_try = now + RETRY_SECONDS
        # The caller's write is already stored, so a failed checkpoint is not an error.
        with (
            suppress(sqlite3.Error),
            integrity.open_database(self._database, seconds=WAIT_SECONDS) as connection,
        ):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0
