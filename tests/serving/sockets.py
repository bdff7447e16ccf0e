"""Functions that send requests and receive responses as bytes on a socket."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.contracts.client import HEADERS

LOGIN = "/api/v1/auth/login/"
HEALTH = b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


@dataclass
class Response:
    """A response as it was received."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes = b""
    rest: bytes = b""
    json: Any = field(default=None)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def read_all(sock: socket.socket) -> bytes:
    """Return all bytes that are received until the server closes the connection."""
    chunks = []
    while chunk := sock.recv(65536):
        chunks.append(chunk)
    return b"".join(chunks)


def parse_response(raw: bytes) -> Response:
    head, _, rest = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    _, status, reason = lines[0].split(" ", 2)
    headers = dict(line.split(": ", 1) for line in lines[1:])
    length = int(headers.get("Content-Length", 0))
    body = rest[:length]
    shown = json.loads(body) if "json" in headers.get("Content-Type", "") and body else None
    return Response(int(status), reason, headers, body, rest[length:], shown)


def send(port: int, data: bytes) -> Response:
    """Send the data; return the response."""
    with connect(port) as sock:
        sock.sendall(data)
        return parse_response(read_all(sock))


def assert_problem(response: Response, status: int, code: str) -> None:
    assert (response.status, response.json["status"], response.json["code"]) == (status, status, code)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.json["detail"] and response.json["title"].upper() == response.reason.upper()
    assert_shared_headers(response)
    assert response.rest == b""


def assert_shared_headers(response: Response) -> None:
    for name, value in HEADERS.items():
        # waitress capitalizes header names, but header names are case-insensitive.
        assert response.headers[name] == value
    assert re.fullmatch(r"[0-9a-f]{16}", response.headers["X-Request-Id"])
    assert response.headers["Vary"].startswith("Accept, origin")
    assert "Server" not in response.headers


def wait_until(condition: Callable[[], Any]) -> None:
    """Wait until the function returns a true value; fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
