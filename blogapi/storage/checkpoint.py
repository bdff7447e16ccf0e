"""Checkpoints that keep SQLite's write-ahead log short.

SQLite up to 3.51.2 can lose commits if one connection begins a checkpoint while another one resets the log
(https://sqlite.org/wal.html#walresetbug). Therefore automatic checkpoints are off, and only `truncate_log`
makes checkpoints.
"""

from __future__ import annotations

import math
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy.exc import TimeoutError

from blogapi import clock
from blogapi.storage import files, integrity


class WriteLock:
    """A lock for the threads that write.

    SQLite itself allows only one write at a time, but a connection that waits must poll for SQLite's lock.
    `released_at` is the time at which the last write ended (time.monotonic). `held_seconds` is how long, in
    total, the writes of this process have held the lock of the database, which excludes other processes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.released_at = -math.inf
        self.held_seconds = 0.0
        # SQLite's result code if the disk refused the last write, otherwise 0.
        self.failure = 0
        # How many times a write tries to get the lock of the database; see `allow_long_write_waits`.
        self.tries = 1

    @contextmanager
    def acquire(self, seconds: float) -> Iterator[float]:
        """Hold the lock in the `with` block; yield how many of the `seconds` are left after the wait.

        Raises SQLAlchemy's TimeoutError if another thread still holds the lock after `seconds` seconds. With
        0, the call does not wait.
        """
        end = time.monotonic() + seconds
        if not self._lock.acquire(timeout=seconds):
            raise TimeoutError("another write is in progress")
        try:
            yield max(0.0, end - time.monotonic())
        finally:
            self.released_at = time.monotonic()
            self._lock.release()


# Four times the size at which SQLite makes an automatic checkpoint by default.
MAX_LOG_BYTES = 16 * 1024 * 1024

# The time that a checkpoint waits for readers of an earlier snapshot, and the pause before the next attempt.
CHECKPOINT_WAIT_SECONDS, CHECKPOINT_RETRY_SECONDS = 0.1, 1.0


class WriteAheadLog:
    """The write-ahead log of a database file.

    SQLite resets the log only when no connection is reading, which never happens on a busy blog: with eight
    overlapping readers, the log grew to 124 MB in 12 seconds.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = files.get_side_files(database).log
        self._next_try = 0.0

    def truncate_if_long(self, *, is_disk_full: bool = False) -> None:
        """Copy a long log, or any log if the disk is full, into the database file and empty it.

        The caller must hold the write lock and must not be in a transaction.
        """
        now = clock.monotonic()
        if not is_disk_full and (now < self._next_try or not self._is_log_long()):
            return
        truncate_log(self._database)
        self._next_try = now + CHECKPOINT_RETRY_SECONDS if self._is_log_long() else now

    def _is_log_long(self) -> bool:
        with suppress(OSError):
            # Copying the log can need as much free space as the size of the log.
            free = shutil.disk_usage(self._path.parent).free
            return self._path.stat().st_size >= min(MAX_LOG_BYTES, max(free, 1))
        return False


def truncate_log(database: Path) -> None:
    """Copy the log into the database file and empty it, unless another process copies it or writes.

    The caller must not be in a transaction. Errors are ignored, because all writes remain in the log.
    """
    with (
        suppress(sqlite3.Error, OSError),
        # Due to the lock, no other process completes a checkpoint between the two statements.
        files.lock_file(database.with_name(f"{database.name}-checkpoint")) as is_alone,
        integrity.open_database(database, seconds=CHECKPOINT_WAIT_SECONDS) as connection,
    ):
        if is_alone:
            # On a full disk, the commit below has space only after the log was copied, because it can then
            # reuse the log. While `writer` holds the write lock, no process resets the log.
            with integrity.open_database(database, seconds=CHECKPOINT_WAIT_SECONDS) as writer:
                writer.execute("BEGIN IMMEDIATE")
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            # A writer resets the log only after a checkpoint has copied all of it. This commit adds a frame
            # that only the next checkpoint copies, so no other process resets the log before that checkpoint
            # ends. An UPDATE that changes nothing would add no frame.
            connection.execute("PRAGMA user_version = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
