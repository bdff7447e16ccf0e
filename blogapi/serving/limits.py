"""Limits on the time, connections and memory that clients may use."""

from __future__ import annotations

import threading
from dataclasses import dataclass

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024

# The first bytes of each body, up to this number, are not counted, so that short bodies are always accepted.
SHORT_BODY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server. Times are in seconds; the server checks them every `sweep` seconds."""

    # Longest time from the first byte of a request to its last byte.
    request: float = 10
    # An upload that takes longer than `request` must send this number of bytes per second on average.
    upload_rate: int = 128 * 1024
    # Longest time between two requests on one connection.
    idle: float = 60
    # Longest time during which a refused client may continue to send.
    drop: float = 5
    # Longest time for which the server waits while a client reads nothing of its response.
    stall: float = 20
    # Time to finish requests at shutdown. Container runtimes kill a process after ten seconds.
    stop: float = 8
    # Longest time that the server waits for partly received requests at shutdown.
    stop_grace: float = 1
    sweep: float = 1

    # select() fails with more than about 500 descriptors on Windows and 1,000 elsewhere.
    connections: int = 400
    # Largest number of connections of one client address. The limit per address applies only while at
    # least half of `connections` are open.
    per_address: int = 64
    # Largest number of requests that wait for a thread; further requests are refused.
    queue: int = 256

    # The space for received request bodies that are not yet processed: `bodies` times the maximum size of a
    # body and, for files to import, which only logged-in clients can send, `imports` times the maximum
    # size of such a file. waitress stores a body of more than 512 kB in a temporary file without a name.
    bodies: int = 16
    imports: int = 2


class ByteCounter:
    """A thread-safe counter of bytes that refuses to exceed `limit`."""

    def __init__(self, limit: int) -> None:
        self.limit, self.total = limit, 0
        self._lock = threading.Lock()

    def add_bytes(self, size: int) -> bool:
        """Add `size` bytes (which may be negative) and return True, or return False at the limit."""
        with self._lock:
            if size > 0 and self.total + size > self.limit:
                return False
            self.total += size
            return True
