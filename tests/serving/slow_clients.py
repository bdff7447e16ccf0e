"""A server with small socket buffers, and clients that do not read their responses."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from tests.live_server import start_server
from tests.serving.sockets import Response, parse_response, read_all

BODY = b"0123456789abcdef" * 25_000
# No connection is closed for its slowness, however busy the machine is.
LIMITS = Limits(connections=32, sweep=0.02, request=600, stall=600)
LARGE_BODY = BODY * 8


class Blog:
    """An application with a long response at `/whole` and `/stream`, and a short response at `/health`."""

    def __init__(self, real: Any) -> None:
        self.real, self.body = real, BODY
        self.requested_paths: list[str] = []

    def __call__(self, environ: Any, start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if path == "/health":
            return self.real(environ, start_response)
        self.requested_paths.append(path)
        length = [("Content-Length", str(len(self.body)))] if path == "/whole" else []
        start_response("200 OK", [("Content-Type", "text/plain"), *length])
        return [self.body] if path == "/whole" else self.stream_body()

    def stream_body(self) -> Iterator[bytes]:
        for start in range(0, len(self.body), 50_000):
            yield self.body[start : start + 50_000]


@contextmanager
def serve_blog(app: Any, **options: Any) -> Iterator[serving.Server]:
    """Serve with socket buffers so small that the server itself buffers nearly all unread bytes.

    A thread waits for its client while more than 500 kB are unread.
    """
    with start_server(app, **{"limits": LIMITS} | options) as server:
        server.adj.outbuf_high_watermark = 500_000
        server.adj.socket_options = [*server.adj.socket_options, (socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)]
        yield server


def send_request(
    server: serving.Server,
    path: str,
    *,
    times: int = 1,
    more: str = "",
) -> socket.socket:
    """Send the request; return the connection without reading from it."""
    sock = socket.socket()
    sock.settimeout(60)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", int(server.effective_port)))
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n{more}\r\n".encode() * times)
    return sock


def get_response(server: serving.Server, path: str, *, more: str = "") -> Response:
    """Send the request; return its response."""
    with send_request(server, path, more=f"Connection: close\r\n{more}") as sock:
        return parse_response(read_all(sock))


def is_thread_waiting(server: serving.Server) -> bool:
    """Return whether a thread waits for a client."""
    channels = list(server.active_channels.values())
    return any(channel.total_outbufs_len > server.adj.outbuf_high_watermark for channel in channels)
