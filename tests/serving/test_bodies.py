"""The limit on the bytes of all request bodies."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving import parser
from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from blogapi.web.uploads import MAX_PARTS_SIZE
from tests.live_server import start_server
from tests.serving.conftest import BlockedApplication
from tests.serving.sockets import LOGIN, assert_problem, connect, parse_response, read_all, wait_until

UPLOADS = "/api/v1/blog/media/"
MAX_BODY_BYTES, MAX_MEDIA_BYTES = 1_000_000, 900_000
# Three bodies of the largest size, which is that of a media file with its texts.
LIMITS = Limits(sweep=0.05, bodies=3, request=600)
MAX_BYTES = 3 * (MAX_MEDIA_BYTES + MAX_PARTS_SIZE)


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(parser, "SHORT_BODY_BYTES", 1000)
    return make_app(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_MEDIA_SIZE=MAX_MEDIA_BYTES)


def make_head(length: int | None, path: str = LOGIN) -> bytes:
    """Return the head of a request with a body, chunked if it has no length."""
    body = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return (
        f"POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"{body}\r\n\r\n"
    ).encode()


def send_body(server: serving.Server, *, chunked: bool = False, path: str = LOGIN) -> socket.socket:
    """Send a request without the last bytes of its body; return the connection."""
    sock = connect(server.effective_port)
    sock.sendall(make_head(None if chunked else MAX_BODY_BYTES, path))
    sock.sendall((b"f4000\r\n" if chunked else b"") + b" " * (MAX_BODY_BYTES - 1000))
    return sock


def wait_for_bytes(server: serving.Server, number: int) -> None:
    wait_until(lambda: server.adj.bodies.total == number)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("path", [LOGIN, UPLOADS])
def test_the_bytes_of_all_bodies_are_limited_together(blog, chunked, path):
    with start_server(blog, limits=LIMITS) as server, ExitStack() as stack:
        for number in range(1, 4):
            stack.enter_context(send_body(server, chunked=chunked, path=(LOGIN, UPLOADS)[number % 2]))
        wait_for_bytes(server, 3 * (MAX_BODY_BYTES - 2000) + 7 * 3 * chunked)
        with connect(server.effective_port) as refused:
            refused.sendall(
                make_head(MAX_BODY_BYTES, path) + b" " * (MAX_BYTES - server.adj.bodies.total + 1001)
            )
            response = parse_response(read_all(refused))
        assert_problem(response, 503, "unavailable")
        assert response.headers["Retry-After"] == "1"
        # A short body is not counted.
        with connect(server.effective_port) as sock:
            sock.sendall(make_head(1000) + b" " * 998 + b"{}")
            assert parse_response(read_all(sock)).status == 422


def test_a_body_is_counted_until_its_response_or_a_disconnect(blog):
    with start_server(blog, limits=LIMITS) as server:
        with send_body(server):
            wait_for_bytes(server, MAX_BODY_BYTES - 2000)
        wait_for_bytes(server, 0)
        with send_body(server) as sock:
            wait_for_bytes(server, MAX_BODY_BYTES - 2000)
            sock.sendall(b" " * 998 + b"{}")
            assert parse_response(read_all(sock)).status == 422
        wait_for_bytes(server, 0)


def test_a_body_is_counted_while_it_is_processed(blog, monkeypatch):
    application = BlockedApplication()
    monkeypatch.setattr(blog, "wsgi_app", application)
    with start_server(blog, limits=LIMITS) as server:
        with send_body(server) as sock:
            sock.sendall(b" " * 1000)
            assert application.entered.acquire(timeout=60)
        assert server.adj.bodies.total == MAX_BODY_BYTES - 1000
        application.open.set()
        wait_for_bytes(server, 0)


def test_an_incomplete_body_is_released_when_the_request_times_out(blog, server_clock):
    with start_server(blog, limits=LIMITS) as server, send_body(server) as sock:
        wait_for_bytes(server, MAX_BODY_BYTES - 2000)
        server_clock.move(601)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")
        wait_for_bytes(server, 0)
