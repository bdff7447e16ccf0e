"""How long, how many and how much: what the server grants its clients."""

from __future__ import annotations

from dataclasses import dataclass

MAX_HEADER_BYTES = 16 * 1024
MAX_CHUNK_LINE_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, by the monotonic clock; each is kept to within `sweep`."""

    # From the first byte of a request to its last.
    request: float = 10
    # Between two requests of a connection.
    idle: float = 60
    # Without a byte taken of an answer that waits.
    stall: float = 20
    # The same where another answer finds no room.
    stall_in_the_way: float = 5
    # For the answers at work and in the queue when the server is to end; a container gets ten in all.
    stop: float = 8
    # For requests half sent at that moment, and for clients that were refused and stay.
    last_words: float = 1
    sweep: float = 1
    # How long nobody is let in where there is no room or no file descriptor.
    rest: float = 0.5

    # With select() 500 would end the process on Windows, and 1,000 elsewhere.
    connections: int = 400
    # Those of one address, once half of all places are taken.
    per_address: int = 64
    # Requests that wait for a thread; more are refused.
    queue: int = 256

    # How many of the largest request bodies are held at a time, and how many of one address.
    bodies: int = 16
    bodies_per_address: int = 4
    # What of each body is not counted, so that nobody keeps short ones from others.
    short_body_bytes: int = 64 * 1024

    # What clients leave unread of their answers, all together; it is held in memory.
    unread_bytes: int = 256 * 1024 * 1024
    # How long, and how much, a client may go on sending after it was refused.
    linger: float = 10
    linger_bytes: int = 64 * 1024 * 1024
