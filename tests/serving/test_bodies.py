"""Limits on the memory for request bodies, for all addresses together and for each address."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from tests.live_server import start_server
from tests.serving.sockets import LOGIN, assert_problem, connect, parse_response, read_all, wait_until

MAX_BODY_BYTES = 1_000_000
LIMITS = Limits(sweep=0.05, bodies=3, bodies_per_address=2, short_body_bytes=1000)


@pytest.fixture
def blog(make_app: Callable[..., Any]) -> Any:
    """The application behind a proxy on this machine."""
    return make_app(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, TRUSTED_PROXY="127.0.0.1")


def make_head(address: str, length: int | None) -> bytes:
    """Return the head of a request with a body, chunked if it has no length."""
    body = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return (
        f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"X-Forwarded-For: 9.9.9.9, {address}\r\n{body}\r\n\r\n"
    ).encode()


def send_body(server: serving.Server, address: str, *, chunked: bool = False) -> socket.socket:
    """Send a request without the last bytes of its body; return the connection."""
    sock = connect(server.effective_port)
    sock.sendall(make_head(address, None if chunked else MAX_BODY_BYTES))
    sock.sendall((b"f4000\r\n" if chunked else b"") + b" " * (MAX_BODY_BYTES - 1000))
    return sock


@pytest.mark.parametrize("chunked", [False, True])
def test_the_bodies_buffered_for_one_address_are_limited(blog, chunked):
    with start_server(blog, limits=LIMITS) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(send_body(server, "1.2.3.4", chunked=chunked))
        wait_until(lambda: server.bodies.held == 2 * (MAX_BODY_BYTES - 2000 + 7 * chunked))
        with send_body(server, "1.2.3.4", chunked=chunked) as refused:
            response = parse_response(read_all(refused))
        assert_problem(response, 503, "unavailable")
        assert response.headers["Retry-After"] == "1"
        # Another address has its own limit, and a short body is not counted.
        for address, size in (("1.2.3.5", MAX_BODY_BYTES), ("1.2.3.4", 1000)):
            with connect(server.effective_port) as sock:
                sock.sendall(make_head(address, size) + b" " * (size - 2) + b"{}")
                assert parse_response(read_all(sock)).status == 422


def test_the_bodies_buffered_for_all_addresses_are_limited(blog):
    with start_server(blog, limits=LIMITS) as server, ExitStack() as stack:
        for last in range(3):
            stack.enter_context(send_body(server, f"1.2.3.{last}"))
        wait_until(lambda: server.bodies.held == 3 * (MAX_BODY_BYTES - 2000))
        with send_body(server, "1.2.3.9") as refused:
            assert_problem(parse_response(read_all(refused)), 503, "unavailable")


def test_the_memory_of_a_body_is_released_after_the_response_or_a_disconnect(blog):
    with start_server(blog, limits=LIMITS) as server:
        with send_body(server, "1.2.3.4"):
            wait_until(lambda: server.bodies.held)
        wait_until(lambda: not server.bodies.held)
        with send_body(server, "1.2.3.4") as sock:
            wait_until(lambda: server.bodies.held)
            sock.sendall(b" " * 998 + b"{}")
            assert parse_response(read_all(sock)).status == 422
        wait_until(lambda: not server.bodies.held)


def test_the_memory_of_an_incomplete_body_is_released_when_the_request_times_out(blog, server_clock):
    limits = Limits(request=10, sweep=0.05, bodies=3, bodies_per_address=2, short_body_bytes=1000)
    with start_server(blog, limits=limits) as server, send_body(server, "1.2.3.4") as sock:
        wait_until(lambda: server.bodies.held == MAX_BODY_BYTES - 2000)
        server_clock.move(11)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")
        wait_until(lambda: not server.bodies.held)
