"""Limits on the size and the time of uploads."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from waitress.buffers import TempfileBasedBuffer

from blogapi import authentication
from blogapi.serving.limits import SHORT_BODY_BYTES, Limits
from blogapi.web.uploads import MAX_PARTS_SIZE
from tests.live_server import start_server
from tests.serving.sockets import (
    LOGIN,
    Response,
    assert_problem,
    connect,
    parse_response,
    read_all,
    send,
    wait_until,
)

UPLOADS = "/api/v1/blog/media/"
CONTENT = f"{UPLOADS}3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d/content/"
MAX_BODY_BYTES, MAX_MEDIA_BYTES = 2_000, 100_000
MAX_UPLOAD_BYTES = MAX_MEDIA_BYTES + MAX_PARTS_SIZE - 1


@pytest.fixture
def blog(make_app: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """An application whose responses contain the length of the request body."""
    app = make_app(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_MEDIA_SIZE=MAX_MEDIA_BYTES)

    def respond(environ: Any, start_response: Any) -> list[bytes]:
        body = str(len(environ["wsgi.input"].read())).encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    monkeypatch.setattr(app, "wsgi_app", respond)
    return app


def make_head(length: int | None, *, path: str = UPLOADS, method: str = "POST", cookie: str = "") -> bytes:
    """Return the head of a request with a body, chunked if it has no length."""
    body = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    headers = f"Host: a\r\nConnection: close\r\nCookie: {cookie}\r\n{body}"
    return f"{method} {path} HTTP/1.1\r\n{headers}\r\n\r\n".encode()


def get_received(server: Any) -> list[int]:
    """Return how many bytes of each incomplete body were received."""
    requests = [channel.request for channel in list(server.active_channels.values())]
    return [request.body_bytes_received for request in requests if request]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("POST", path) for path in (UPLOADS, UPLOADS.rstrip("/"), f"{UPLOADS}?name=a.jpg")),
        *(("PUT", path) for path in (CONTENT, CONTENT.rstrip("/"), f"{CONTENT}?name=a.jpg")),
    ],
)
def test_an_upload_may_be_larger_than_other_bodies(blog, method, path):
    with start_server(blog) as server:
        head = make_head(MAX_UPLOAD_BYTES, path=path, method=method)
        response = send(server.effective_port, head + b"x" * MAX_UPLOAD_BYTES)
        assert (response.status, response.body) == (200, str(MAX_UPLOAD_BYTES).encode())
        chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (MAX_MEDIA_BYTES, b"x" * MAX_MEDIA_BYTES)
        assert send(server.effective_port, make_head(None, path=path, method=method) + chunk).status == 200


@pytest.mark.parametrize(
    ("method", "path", "length"),
    [
        ("POST", UPLOADS, MAX_UPLOAD_BYTES + 1),
        ("PUT", UPLOADS, MAX_MEDIA_BYTES),
        ("POST", CONTENT, MAX_MEDIA_BYTES),
        ("PUT", CONTENT, MAX_UPLOAD_BYTES + 1),
        ("PUT", CONTENT.replace("-", "/"), MAX_MEDIA_BYTES),
        ("POST", LOGIN, MAX_MEDIA_BYTES),
        ("POST", f"{UPLOADS}other/", MAX_MEDIA_BYTES),
        ("POST", f"/?a={UPLOADS}", MAX_MEDIA_BYTES),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_body_is_refused(blog, method, path, length, chunked):
    head = make_head(None if chunked else length, path=path, method=method)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (length, b"x" * length) if chunked else b""
    with start_server(blog) as server:
        assert_problem(send(server.effective_port, head + body), 413, "too_large")


@pytest.fixture
def make_cookie(blog: Any) -> Callable[..., str]:
    """Return a function that makes the cookie of a login."""
    signer = authentication.SessionInterface().get_signing_serializer(blog)
    value = signer.dumps({"token": "of a login that may have ended"})
    return lambda prefix="": f"other=1; {prefix}{authentication.SESSION_COOKIE}={value}"


@pytest.mark.parametrize("prefix", ["", "__Host-"])
def test_a_large_file_to_import_is_accepted_with_a_signed_session_only(blog, make_cookie, prefix):
    name, cookie = f"{prefix}{authentication.SESSION_COOKIE}", make_cookie(prefix)
    body = b"x" * (MAX_BODY_BYTES + 1)
    with start_server(blog) as server:

        def send_import(cookie: str) -> Response:
            head = make_head(len(body), path="/api/v1/imports/?name=a.zip", cookie=cookie)
            return send(server.effective_port, head + body)

        assert send_import(cookie).status == 200
        for invalid in ("", f"{name}=", f"{name}=e30.invalid", cookie[:-1]):
            assert_problem(send_import(invalid), 413, "too_large")


def upload_slowly(server: Any, clock: Any, path: str) -> Response:
    """Send 40,000 bytes, 10,000 in each 10 seconds; return the response."""
    with connect(server.effective_port) as sock:
        sock.sendall(make_head(40_000, path=path))
        for sent in (10_000, 20_000, 30_000):
            sock.sendall(b"x" * 10_000)
            wait_until(lambda expected=sent: get_received(server) in ([expected], []))
            clock.move(9.5)
            clock.let_check(server)
            if not get_received(server):
                # The connection would be reset if the server received more after its refusal.
                return parse_response(read_all(sock))
        sock.sendall(b"x" * 10_000)
        return parse_response(read_all(sock))


def test_an_upload_may_take_as_long_as_its_rate_allows(blog, server_clock):
    blog.config["MAX_CONTENT_LENGTH"] = MAX_MEDIA_BYTES
    limits = Limits(request=10, upload_rate=1000, sweep=0.02)
    with start_server(blog, limits=limits) as server:
        assert upload_slowly(server, server_clock, UPLOADS).body == b"40000"
        assert_problem(upload_slowly(server, server_clock, LOGIN), 408, "request_timeout")


def test_an_upload_that_becomes_too_slow_is_refused(blog, server_clock):
    limits = Limits(request=10, upload_rate=1000, sweep=0.02)
    with start_server(blog, limits=limits) as server, connect(server.effective_port) as sock:
        sock.sendall(make_head(MAX_MEDIA_BYTES) + b"x" * 5000)
        wait_until(lambda: get_received(server) == [5000])
        server_clock.move(14)
        sock.sendall(b"x")
        wait_until(lambda: get_received(server) == [5001])
        server_clock.move(1.5)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")


def test_the_server_does_not_wait_for_an_upload_when_it_stops(blog):
    limits = Limits(stop=20, stop_grace=0.1, sweep=0.02, upload_rate=1)
    with start_server(blog, limits=limits) as server, connect(server.effective_port) as sock:
        sock.sendall(make_head(MAX_MEDIA_BYTES) + b"x" * 5000)
        wait_until(lambda: get_received(server) == [5000])
        server.stop()
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")


def test_two_files_to_import_are_accepted_at_a_time_beside_all_other_bodies(blog, make_cookie):
    blog.config["MAX_IMPORT_SIZE"] = MAX_MEDIA_BYTES
    head = make_head(MAX_UPLOAD_BYTES, path="/api/v1/imports/?name=a.zip", cookie=make_cookie())
    with start_server(blog, limits=Limits(bodies=0, request=600)) as server, ExitStack() as stack:
        imports = server.adj.find_upload_settings("POST", "/api/v1/imports/").bodies
        for number in (1, 2):
            sock = stack.enter_context(connect(server.effective_port))
            sock.sendall(head + b"x" * (MAX_UPLOAD_BYTES - 1))
            expected = number * (MAX_UPLOAD_BYTES - 1 - SHORT_BODY_BYTES)
            wait_until(lambda expected=expected: imports.total == expected)
        third = stack.enter_context(connect(server.effective_port))
        third.sendall(head + b"x" * (MAX_UPLOAD_BYTES - 1))
        refused = parse_response(read_all(third))
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        sock.sendall(b"x")
        assert parse_response(read_all(sock)).status == 200


def test_a_full_disk_during_an_upload_is_a_507(blog, monkeypatch):
    def fail(self: Any, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(TempfileBasedBuffer, "append", fail)
    with start_server(blog) as server:
        server.adj.inbuf_overflow = 10_000
        head = make_head(MAX_MEDIA_BYTES)
        with connect(server.effective_port) as sock:
            sock.sendall(head + b"x" * MAX_MEDIA_BYTES)
            assert_problem(parse_response(read_all(sock)), 507, "storage_full")
        # The server goes on.
        assert send(server.effective_port, make_head(10) + b"x" * 10).status == 200
        wait_until(lambda: not server.adj.bodies.total)
