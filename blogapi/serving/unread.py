"""Buffers of responses, and limits on unread bytes, for all clients together and for each address."""

from __future__ import annotations

from collections import Counter

from waitress.buffers import ReadOnlyFileBasedBuffer

from blogapi.serving.limits import ByteBudget, Limits, add_count

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
        self._left = memoryview(b"")


class UnreadBudget(ByteBudget):
    """Counts the unread bytes of clients and the threads that wait for clients; thread-safe.

    The first `allowance` bytes of each connection are not counted, so that short responses are always
    accepted. Half of one client's share is reserved for these bytes, so that the limits include them. The
    buffers of responses for which threads wait have up to `stream_bytes` each, which are reserved too.
    """

    def __init__(self, limits: Limits, threads: int) -> None:
        share = limits.unread_bytes // SHARE_COUNT
        uncounted = share // 2
        self.allowance = uncounted // limits.connections
        self._threads = max(1, threads // 2)
        self._threads_per_client = max(1, self._threads // 2)
        streamed = share // 16
        self.stream_bytes = streamed // self._threads_per_client
        total = limits.unread_bytes - uncounted - self.stream_bytes * self._threads
        super().__init__(total, share - uncounted - streamed)
        self._waiting: Counter[str] = Counter()

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

    def _has_thread(self, client: str) -> bool:
        free = self._waiting.total() < self._threads
        return free and self._waiting[client] < self._threads_per_client
