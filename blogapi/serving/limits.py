"""Limits on what clients may use: times, connections and memory."""

from __future__ import annotations

from dataclasses import dataclass

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server; times are in seconds of the monotonic clock, precise to one `sweep`."""

    # Time from the first byte of a request to its last.
    request: float = 10
    # Time between two requests of a connection.
    idle: float = 60
    # Time in which a client takes no byte of a waiting response.
    stall: float = 20
    # The same while another response finds no room.
    stall_when_full: float = 5
    # Time to finish running and queued requests at shutdown; container runtimes kill after ten seconds.
    stop: float = 8
    # Time that shutdown leaves to partly received requests and to clients that were refused.
    stop_grace: float = 1
    sweep: float = 1
    # Pause before the next accept when no slot or no file descriptor is free.
    accept_pause: float = 0.5

    # select() fails with more than about 500 descriptors on Windows and 1,000 elsewhere.
    connections: int = 400
    # Connections of one address, once half of all slots are taken.
    per_address: int = 64
    # Requests in the queue for a thread; further ones are refused.
    queue: int = 256

    # Memory for request bodies, as a number of bodies of the largest size: in all, and of one address.
    bodies: int = 16
    bodies_per_address: int = 4
    # Bytes of each body that are not counted, so that short bodies always find room.
    short_body_bytes: int = 64 * 1024

    # Memory for unread responses of all clients.
    unread_bytes: int = 256 * 1024 * 1024
    # Time and bytes for which a client may go on sending after a refusal.
    linger: float = 10
    linger_bytes: int = 64 * 1024 * 1024
