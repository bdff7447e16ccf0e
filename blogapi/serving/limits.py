"""Limits on the time, connections and memory that clients may use."""

from __future__ import annotations

import threading
from dataclasses import dataclass

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024

# Bytes of an upload in addition to those of the file: those of the other parts of a multipart body.
MULTIPART_BYTES = 256 * 1024

# Bytes of each body that are not counted, so that short bodies are always accepted.
SHORT_BODY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server. Times are in seconds of the monotonic clock, with a precision of one `sweep`."""

    # Longest time from the first byte of a request to its last byte.
    request: float = 10
    # Bytes per second that an upload has to send on average after this time.
    upload_rate: int = 128 * 1024
    # Longest time between two requests on one connection.
    idle: float = 60
    # Longest time during which a client may take no byte of a response.
    stall: float = 20
    # Time to finish running and queued requests at shutdown. Container runtimes kill a process after ten
    # seconds.
    stop: float = 8
    # Longest time that the server waits for partly received requests at shutdown.
    stop_grace: float = 1
    sweep: float = 1

    # select() fails with more than about 500 descriptors on Windows and 1,000 elsewhere.
    connections: int = 400
    # Largest number of connections of one address; this limit applies when half of all slots are taken.
    per_address: int = 64
    # Largest number of requests that wait for a thread; further requests are refused.
    queue: int = 256

    # Space for the request bodies that have arrived and are not processed, in multiples of the largest body;
    # for files to import, which only clients with a login can send, in multiples of their largest size.
    # waitress keeps a body of more than 512 kB in a temporary file without a name.
    bodies: int = 16
    imports: int = 2


class ByteCounter:
    """Counts up to `limit` bytes; thread-safe."""

    def __init__(self, limit: int) -> None:
        self.limit, self.held = limit, 0
        self._lock = threading.Lock()

    def add(self, size: int) -> bool:
        """Add bytes, or subtract them; return False and change nothing if the limit would be exceeded."""
        with self._lock:
            if size > 0 and self.held + size > self.limit:
                return False
            self.held += size
            return True
