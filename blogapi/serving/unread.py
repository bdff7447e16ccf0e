"""Limits on unread response bytes, for all clients together and for each address."""

from __future__ import annotations

from collections import Counter

from waitress.buffers import ReadOnlyFileBasedBuffer

from blogapi.serving.budget import ByteBudget, add_count
from blogapi.serving.limits import Limits

# One address may use an eighth of the memory for unread responses.
SHARE_COUNT = 8

# Memory that a chunk needs in addition to its bytes: its buffer object and the buffer that waitress adds
# after it.
OVERHEAD_BYTES = 1024


class NoRoom(Exception):
    """The response cannot be buffered, and no thread may wait for its client; no byte of it was sent."""


class ChunkBuffer(ReadOnlyFileBasedBuffer):  # type: ignore[misc]
    """A buffer that is sent without being copied, and that releases its memory when all of it is sent."""

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
    """Counts the unread bytes of clients and the threads that wait for clients; thread-safe.

    The first `allowance` bytes of each connection are not counted, so that short responses are always
    accepted. Half of one client's share is reserved for these bytes, so that the limits include them.
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
        """Count a thread that waits for the client; return False if too many threads already wait.

        With `always`, the thread is counted in any case.
        """
        with self._lock:
            if not always and not self._has_thread(client):
                return False
            add_count(self._waiting, client, 1)
            return True

    def release_thread(self, client: str) -> None:
        """Stop counting a thread that waited for the client."""
        with self._lock:
            add_count(self._waiting, client, -1)

    def refuse(self, client: str, size: int) -> None:
        """Record that there was no memory for a response of `size` bytes."""
        with self._lock:
            self._refused[client] = size

    def pop_refused(self) -> dict[str, int]:
        """Return the clients and sizes of the responses that were refused since the last call."""
        with self._lock:
            refused, self._refused = self._refused, {}
            return refused

    def can_send(self, client: str, size: int) -> bool:
        """Return whether the response fits now, or a thread may wait for its client."""
        with self._lock:
            return self._fits(client, size) or self._has_thread(client)

    def is_full(self, size: int) -> bool:
        """Return whether `size` more bytes would exceed the limit for all clients together."""
        with self._lock:
            return self._bytes.total() + size > self._total_limit

    def _has_thread(self, client: str) -> bool:
        free = self._waiting.total() < self._threads
        return free and self._waiting[client] < self._threads_per_client
