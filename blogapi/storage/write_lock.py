"""The lock that allows only one thread of the process to write at a time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import TimeoutError


class WriteLock:
    """A lock for the threads that write.

    SQLite itself allows only one write at a time, but a connection that waits must poll for its lock.
    `released_at` is the time at which the last write ended (time.monotonic). `held_seconds` is how long, in
    total, the writes of this process have held the lock of the database, which excludes other processes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.released_at = -math.inf
        self.held_seconds = 0.0

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
