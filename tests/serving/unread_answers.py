"""A server whose clients leave answers unread, and those clients."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blogapi.response_cache.lru_cache import GIVE_UP
from blogapi.serving import server as serving
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.serving.unread import SHARES
from tests.live import server
from tests.serving.sockets import Heard, parsed, read_all

BODY = b"0123456789abcdef" * 25_000
# One answer of 400 kB has room in the half of a share that long answers may take, a second one has not.
BOUND = 1_200_000 * SHARES
LIMITS = Limits(unread_bytes=BOUND, connections=32, sweep=0.02)
LARGE = BODY * 8


class Blog:
    """An application that answers `/whole` and `/stream` with a long body, `/health` with a short one."""

    def __init__(self, real: Any) -> None:
        self.real, self.body = real, BODY
        self.asked: list[str] = []
        self.made = 0
        self.gave_up = threading.Event()

    def __call__(self, environ: Any, start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if path == "/health":
            return self.real(environ, start_response)
        self.asked.append(path)
        environ[GIVE_UP] = self.gave_up.set
        length = [("Content-Length", str(len(self.body)))] if path == "/whole" else []
        start_response("200 OK", [("Content-Type", "text/plain"), *length])
        return [self.body] if path == "/whole" else self.pieces()

    def pieces(self) -> Iterator[bytes]:
        for start in range(0, len(self.body), 50_000):
            piece = self.body[start : start + 50_000]
            self.made += len(piece)
            yield piece


@contextmanager
def serving_blog(app: Any, **options: Any) -> Iterator[serving.Server]:
    """Serve with so little room in the buffers of the system that an unread answer stays with us."""
    with server(app, **{"limits": LIMITS} | options) as made:
        made.adj.socket_options = [*made.adj.socket_options, (socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)]
        yield made


def asking(
    made: serving.Server, path: str, *, of: str = "", times: int = 1, more: str = "", method: str = "GET"
) -> socket.socket:
    """Return a connection that has asked and reads nothing yet."""
    sock = socket.socket()
    sock.settimeout(20)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", int(made.effective_port)))
    forwarded = f"X-Forwarded-For: {of}\r\n" if of else ""
    sock.sendall(f"{method} {path} HTTP/1.1\r\nHost: a\r\n{forwarded}{more}\r\n".encode() * times)
    return sock


def answered(made: serving.Server, path: str, *, of: str = "") -> Heard:
    """Ask, read all of the answer and return it."""
    with asking(made, path, of=of, more="Connection: close\r\n") as sock:
        return parsed(read_all(sock))


def held_by(made: serving.Server, address: str) -> list[Channel]:
    """Return the connections that hold something of an answer to that address."""
    return [
        channel
        for channel in list(made.active_channels.values())
        if channel.reader == address and channel.total_outbufs_len
    ]
