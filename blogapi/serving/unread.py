"""Bounds on response bytes that clients leave unread: in all, and for each address."""

from __future__ import annotations

from collections import Counter

from waitress.buffers import ReadOnlyFileBasedBuffer

from blogapi.serving.budget import ByteBudget, add_count
from blogapi.serving.limits import Limits

# One address may hold an eighth of the whole.
SHARE_COUNT = 8

# Memory of a chunk beside its bytes: its buffer, and the one that waitress puts after it.
OVERHEAD_BYTES = 1024


class NoRoom(Exception):
    """A response can neither be buffered nor may a thread wait for its client; no byte of it was sent."""


class ChunkBuffer(ReadOnlyFileBasedBuffer):  # type: ignore[misc]
    """A buffer of bytes that are sent without being copied, and released after the last one."""

    def __init__(self, data: bytes) -> None:
        self.held = len(data) + OVERHEAD_BYTES
        self._left = memoryview(data)

    def __len__(self) -> int:
        return len(self._left)

    def get(self, numbytes: int = -1, skip: bool = False) -> memoryview:
        """Return the next bytes."""
        return self._left[:numbytes]

    def skip(self, numbytes: int, allow_prune: bool = False) -> None:
        """Skip bytes that were sent."""
        self._left = self._left[numbytes:]
        if not self._left:
            self.close()

    def close(self) -> None:
        """Release the bytes."""
        self.held, self._left = 0, memoryview(b"")


class UnreadBudget(ByteBudget):
    """Counts unread bytes of clients and the threads that wait for them; thread-safe.

    Each connection may hold `allowance` bytes that are not counted, so that short responses always find
    room. Half of a share is set aside for these, so that the bounds hold with them.
    """

    def __init__(self, limits: Limits, threads: int) -> None:
        share = limits.unread_bytes // SHARE_COUNT
        uncounted = share // 2
        self.allowance = uncounted // limits.connections
        super().__init__(limits.unread_bytes - uncounted, share - uncounted)
        self._threads = max(1, threads // 2)
        self._threads_per_client = max(1, self._threads // 2)
        self._waiting: Counter[str] = Counter()
        self._refused: dict[str, int] = {}

    def acquire_thread(self, client: str, *, always: bool = False) -> bool:
        """Take one of the threads that may wait for clients; return whether one was free.

        `always` takes one even if none is free.
        """
        with self._lock:
            if not always and not self._has_thread(client):
                return False
            add_count(self._waiting, client, 1)
            return True

    def release_thread(self, client: str) -> None:
        """Return a thread."""
        with self._lock:
            add_count(self._waiting, client, -1)

    def refuse(self, client: str, size: int) -> None:
        """Record that a response of that size found no room."""
        with self._lock:
            self._refused[client] = size

    def pop_refused(self) -> dict[str, int]:
        """Return the clients and sizes of responses that found no room since the last call."""
        with self._lock:
            refused, self._refused = self._refused, {}
            return refused

    def can_send(self, client: str, size: int) -> bool:
        """Return whether the response would now fit, or a thread may wait for its client."""
        with self._lock:
            return self._fits(client, size) or self._has_thread(client)

    def is_full(self, size: int) -> bool:
        """Return whether that many bytes exceed the bound of all clients."""
        with self._lock:
            return self._bytes.total() + size > self._total_limit

    def _has_thread(self, client: str) -> bool:
        free = self._waiting.total() < self._threads
        return free and self._waiting[client] < self._threads_per_client
