"""SQLite's write-ahead log, kept short."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from blogapi import clock
from blogapi.storage import files, integrity

# A log of so many bytes is long: SQLite itself means to begin it anew at a fourth of that.
MAX_LOG_BYTES = 16 * 1024 * 1024

# How long a write waits for those who read an earlier state, and when it is tried again, in seconds.
WAIT_SECONDS, PAUSE_SECONDS = 0.1, 1.0


class WriteAheadLog:
    """The log beside a database file.

    SQLite begins it anew only when it finds nobody reading, and on a busy blog somebody always is: under
    eight readers that overlap it grew to 124 MB in 12 seconds.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = files.side_files(database).log
        self._next_try = 0.0

    def shorten(self) -> None:
        """Move a long log into the file and cut it off; only for the one who may write, after a commit."""
        now = clock.steady()
        if now < self._next_try or self._size() < MAX_LOG_BYTES:
            return
        self._next_try = now + PAUSE_SECONDS
        # The write before it is stored, whatever becomes of this.
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
