"""Request bodies that come in: how much of them is held, for whom, and who is answered meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from tests.live_server import server
from tests.serving.test_limits import until
from tests.serving.test_server import LOGIN, assert_problem, connected, parsed, read_all

LARGEST = 1_000_000
LIMITS = Limits(sweep=0.05, bodies=3, bodies_per_address=2, short_body_bytes=1000)


@pytest.fixture
def blog(make_app: Callable[..., Any]) -> Any:
    """The application behind a proxy on this machine."""
    return make_app(MAX_CONTENT_LENGTH=LARGEST, TRUSTED_PROXY="127.0.0.1")


def head(of: str, length: int | None) -> bytes:
    """Return the head of a request with a body, in chunks where it has no length."""
    body = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return (
        f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
        f"X-Forwarded-For: 9.9.9.9, {of}\r\n{body}\r\n\r\n"
    ).encode()


def sending(made: serving.Server, of: str, *, chunked: bool = False) -> socket.socket:
    """Return a connection that has sent all of a body but its end."""
    sock = connected(made.effective_port)
    sock.sendall(head(of, None if chunked else LARGEST))
    sock.sendall((b"f4000\r\n" if chunked else b"") + b" " * (LARGEST - 1000))
    return sock


@pytest.mark.parametrize("chunked", [False, True])
def test_the_bodies_of_an_address_are_bounded(blog, chunked):
    with server(blog, limits=LIMITS) as made, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(sending(made, "1.2.3.4", chunked=chunked))
        until(lambda: made.bodies.held == 2 * (LARGEST - 2000 + 7 * chunked))
        with sending(made, "1.2.3.4", chunked=chunked) as refused:
            heard = parsed(read_all(refused))
        assert_problem(heard, 503, "unavailable")
        assert heard.headers["Retry-After"] == "1"
        # Another address has its own, and a short body always has room.
        for of, size in (("1.2.3.5", LARGEST), ("1.2.3.4", 1000)):
            with connected(made.effective_port) as sock:
                sock.sendall(head(of, size) + b" " * (size - 2) + b"{}")
                assert parsed(read_all(sock)).status == 422


def test_the_bodies_of_all_addresses_are_bounded(blog):
    with server(blog, limits=LIMITS) as made, ExitStack() as stack:
        for last in range(3):
            stack.enter_context(sending(made, f"1.2.3.{last}"))
        until(lambda: made.bodies.held == 3 * (LARGEST - 2000))
        with sending(made, "1.2.3.9") as refused:
            assert_problem(parsed(read_all(refused)), 503, "unavailable")


def test_a_body_makes_room_when_it_was_answered_or_its_client_has_left(blog):
    with server(blog, limits=LIMITS) as made:
        with sending(made, "1.2.3.4"):
            until(lambda: made.bodies.held)
        until(lambda: not made.bodies.held)
        with sending(made, "1.2.3.4") as sock:
            until(lambda: made.bodies.held)
            sock.sendall(b" " * 998 + b"{}")
            assert parsed(read_all(sock)).status == 422
        until(lambda: not made.bodies.held)


def test_a_body_that_does_not_come_to_its_end_makes_room(blog):
    limits = Limits(request=0.5, sweep=0.05, bodies=3, bodies_per_address=2, short_body_bytes=1000)
    with server(blog, limits=limits) as made, sending(made, "1.2.3.4") as sock:
        assert_problem(parsed(read_all(sock)), 408, "request_timeout")
        until(lambda: not made.bodies.held)
