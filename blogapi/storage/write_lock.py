"""The lock that allows only one thread of the process to write at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import TimeoutError

# A write that takes longer than this counts as stuck, in seconds.
STUCK_SECONDS = 0.25


class WriteLock:
    """A first-in, first-out lock for the threads that write.

    SQLite itself allows only one write at a time, but a waiting connection only polls. This lock also
    avoids a bug of SQLite before 3.51.3: commits can be lost if one connection writes while another one, at
    the end of a commit, copies the log into the file (https://sqlite.org/wal.html#walresetbug).
    """

    def __init__(self, max_writers: int, timeout: float) -> None:
        """Set the limits: each thread waits up to `timeout` seconds.

        While a write is stuck, up to `max_writers` threads stay in the queue, including the writing thread.
        """
        self._max_writers, self._timeout = max_writers, timeout
        # The first entry belongs to the thread that has held the lock since `_acquired_at`.
        self._queue: deque[threading.Event] = deque()
        self._acquired_at = 0.0
        self._mutex = threading.Lock()

    @contextmanager
    def acquire(self, *, wait: bool) -> Iterator[float]:
        """Hold the lock in the `with` block; yield how long the thread waited for it, in seconds.

        Raises SQLAlchemy's TimeoutError after the timeout, or if too many threads wait for a stuck write. If
        `wait` is False, the error is raised immediately when another thread holds the lock.
        """
        turn = threading.Event()
        with self._mutex:
            if self._queue and not wait:
                raise TimeoutError("another write is in progress")
            self._queue.append(turn)
            self._wake_first()
        try:
            yield self._wait(turn)
        finally:
            with self._mutex:
                self._queue.remove(turn)
                self._wake_first()

    def _wake_first(self) -> None:
        if self._queue and not self._queue[0].is_set():
            self._acquired_at = time.monotonic()
            self._queue[0].set()

    def _wait(self, turn: threading.Event) -> float:
        started = time.monotonic()
        while not turn.wait(STUCK_SECONDS):
            with self._mutex:
                now = time.monotonic()
                stuck = now - self._acquired_at >= STUCK_SECONDS
                too_many = self._queue.index(turn) >= self._max_writers
            if (stuck and too_many) or now - started >= self._timeout:
                raise TimeoutError("another write takes too long")
        return time.monotonic() - started
