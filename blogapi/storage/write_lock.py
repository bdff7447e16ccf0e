"""The gate that every write of a process goes through: one at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import TimeoutError

# After how long a write counts as one that does not end, in seconds.
STUCK_SECONDS = 0.25


class WriteLock:
    """Lets one thread write at a time, in the order of their coming.

    SQLite lets one write at a time too, but whoever waits for it looks only now and then whether it is free.
    And while one connection moves the log into the file, which it does at the end of a commit, no other may
    write: SQLite before 3.51.3 can lose commits then (https://sqlite.org/wal.html#walresetbug).
    """

    def __init__(self, writers: int, seconds: float) -> None:
        """`writers` may wait for one that does not end, and no more; nobody waits longer than `seconds`."""
        self._writers, self._seconds = writers, seconds
        # The first is whose turn it is, since so long.
        self._queue: deque[threading.Event] = deque()
        self._since = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def passed(self, *, patient: bool) -> Iterator[float]:
        """Be the one who writes; yield how long that took, in seconds.

        Raises SQLAlchemy's TimeoutError where it would take too long.

        Who is not `patient` does not wait at all.
        """
        turn = threading.Event()
        with self._lock:
            if self._queue and not patient:
                raise TimeoutError("another write is going on")
            self._queue.append(turn)
            self._admit()
        try:
            yield self._wait(turn)
        finally:
            with self._lock:
                self._queue.remove(turn)
                self._admit()

    def _admit(self) -> None:
        if self._queue and not self._queue[0].is_set():
            self._since = time.monotonic()
            self._queue[0].set()

    def _wait(self, turn: threading.Event) -> float:
        began = time.monotonic()
        while not turn.wait(STUCK_SECONDS):
            with self._lock:
                now = time.monotonic()
                stuck = now - self._since >= STUCK_SECONDS and self._queue.index(turn) >= self._writers
            if stuck or now - began >= self._seconds:
                raise TimeoutError("another write takes long")
        return time.monotonic() - began
