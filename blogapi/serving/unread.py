"""Buffers of responses, and limits on unread bytes, for all clients together and for each address."""

from __future__ import annotations

from collections import Counter
from typing import BinaryIO

from waitress.buffers import ReadOnlyFileBasedBuffer

from blogapi.serving.limits import ByteBudget, Limits, add_count

# One address may use an eighth of the memory for unread responses.
SHARE_COUNT = 8

# Memory that a chunk needs in addition to its bytes: its buffer object and the buffer that waitress adds
# after it.
OVERHEAD_BYTES = 1024

# The number of bytes that are read at a time.
CHUNK_BYTES = 128 * 1024

# After this number of bytes, other connections get their turn. With 1 MB, other requests waited up to 3 s
# during 300 fast downloads; with 256 kB up to 0.6 s, at the same throughput.
TURN_BYTES = 256 * 1024


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


class FileBuffer(ReadOnlyFileBasedBuffer):  # type: ignore[misc]
    """A part of an open file. It is read when the client takes it, so no thread waits for the client.

    The part begins at the position of the file and has `length` bytes. No byte stays in memory: those of a
    chunk that the client does not take at once are read again.
    """

    def __init__(self, file: BinaryIO, length: int) -> None:
        self.file, self.remain = file, length
        self._position = file.tell()
        self._turn_bytes = TURN_BYTES

    def prepare(self, size: int | None = None) -> int:
        """Return the number of bytes."""
        return self.remain

    def get(self, numbytes: int = -1, skip: bool = False) -> bytes:
        """Return the next bytes; none if other connections must get their turn.

        Raises OSError if the file is shorter than expected; the connection is then closed.
        """
        if self._turn_bytes <= 0:
            # The server tries again when the socket is writable, as if the client had taken no byte.
            self._turn_bytes = TURN_BYTES
            return b""
        self.file.seek(self._position)
        chunk = self.file.read(min(CHUNK_BYTES, self.remain))
        if not chunk:
            raise OSError("The file was cut while it was sent.")
        return chunk

    def skip(self, numbytes: int, allow_prune: bool = False) -> None:
        """Skip bytes that were sent."""
        self._position += numbytes
        self.remain -= numbytes
        self._turn_bytes -= numbytes


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
