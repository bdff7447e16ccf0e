"""Limits on the time, connections and memory that clients may use."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024

# Bytes of an upload in addition to those of the file: those of the other parts of a multipart body.
MULTIPART_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server. Times are in seconds of the monotonic clock, with a precision of one `sweep`."""

    # Longest time from the first byte of a request to its last byte.
    request: float = 10
    # Bytes per second that an upload has to send on average after this time.
    upload_rate: int = 128 * 1024
    # Longest time between two requests on one connection.
    idle: float = 60
    # Longest time during which a client may take no byte of a buffered response.
    stall: float = 20
    # Time to finish running and queued requests at shutdown. Container runtimes kill a process after ten
    # seconds.
    stop: float = 8
    # Longest time that the server waits for partly received requests and refused clients at shutdown.
    stop_grace: float = 1
    sweep: float = 1
    # Pause before the next accept when no slot or no file descriptor is free.
    accept_pause: float = 0.5

    # select() fails with more than about 500 descriptors on Windows and 1,000 elsewhere.
    connections: int = 400
    # Largest number of connections of one address; this limit applies when half of all slots are taken.
    per_address: int = 64
    # Largest number of requests that wait for a thread; further requests are refused.
    queue: int = 256

    # Space for request bodies of all clients and of one address, in multiples of the largest body size.
    # Uploads are counted separately, in multiples of their largest size. waitress keeps a body of more than
    # 512 kB in a temporary file without a name.
    bodies: int = 16
    bodies_per_address: int = 4
    # The same for files to import, which only clients with a login can send.
    imports: int = 2
    imports_per_address: int = 1
    # Bytes of each body that are not counted, so that short bodies are always accepted.
    short_body_bytes: int = 64 * 1024

    # Memory for unread responses of all clients.
    unread_bytes: int = 256 * 1024 * 1024
    # How long, and how many bytes, a client may continue to send after a refusal.
    linger: float = 10
    linger_bytes: int = 64 * 1024 * 1024


class ByteBudget:
    """Counts up to `total_limit` bytes, and up to `client_limit` bytes of each client; thread-safe."""

    def __init__(self, total_limit: int, client_limit: int) -> None:
        self._total_limit, self._client_limit = total_limit, client_limit
        self._bytes: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Return the number of counted bytes."""
        with self._lock:
            return self._bytes.total()

    def resize(self, client: str, before: int, after: int) -> bool:
        """Count `after` bytes instead of `before`; return False and change nothing if a limit is exceeded."""
        with self._lock:
            if after > before and not self._fits(client, after - before):
                return False
            add_count(self._bytes, client, after - before)
            return True

    def _fits(self, client: str, size: int) -> bool:
        total = self._bytes.total() + size
        return total <= self._total_limit and self._bytes[client] + size <= self._client_limit


def add_count(counter: Counter[str], client: str, number: int) -> None:
    """Add to a client's count, and remove the client if its count is then zero."""
    counter[client] += number
    if not counter[client]:
        del counter[client]
