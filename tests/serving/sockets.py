"""Requests and answers as bytes on a socket."""

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
class Heard:
    """An answer as it came over the socket."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    rest: bytes = b""
    json: Any = field(default=None)


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def read_all(sock: socket.socket) -> bytes:
    """Return all that comes until the server ends the connection."""
    pieces = []
    while piece := sock.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def parsed(raw: bytes) -> Heard:
    head, _, rest = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    length = int(headers.get("Content-Length", 0))
    body = rest[:length]
    shown = json.loads(body) if "json" in headers.get("Content-Type", "") and body else None
    return Heard(int(lines[0].split()[1]), headers, body, rest[length:], shown)


def send(port: int, data: bytes) -> Heard:
    """Send all, then read until the end."""
    with connected(port) as sock:
        sock.sendall(data)
        return parsed(read_all(sock))


def assert_problem(heard: Heard, status: int, code: str) -> None:
    assert (heard.status, heard.json["status"], heard.json["code"]) == (status, status, code)
    assert heard.headers["Content-Type"] == "application/problem+json"
    assert heard.json["detail"] and heard.json["title"]
    assert_shared_headers(heard)
    assert heard.rest == b""


def assert_shared_headers(heard: Heard) -> None:
    for name, value in HEADERS.items():
        # waitress capitalises the words of a name in its own way; names have no case.
        assert heard.headers[name] == value
    assert re.fullmatch(r"[0-9a-f]{16}", heard.headers["X-Request-Id"])
    assert heard.headers["Vary"].startswith("Accept, origin")
    assert "Server" not in heard.headers


def until(true: Callable[[], Any]) -> None:
    """Wait until the function returns a true value; fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)
