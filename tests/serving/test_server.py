"""The server on a real socket: its own errors, their delivery, and trusted proxies."""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any

import pytest

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from blogapi.users import models
from tests.conftest import ARTICLES, KEYS
from tests.contracts.client import HEADERS
from tests.live_server import serve

LOGIN = "/api/v1/auth/login/"
MAX_BODY_BYTES = 1024 * 1024
CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass
class Response:
    """A response as it was received."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    rest: bytes = b""
    json: Any = field(default=None)


@pytest.fixture
def port(make_app: Callable[..., Any]) -> Iterator[int]:
    """The port of a server with a limit of 1 MB on bodies."""
    with serve(make_app(MAX_CONTENT_LENGTH=MAX_BODY_BYTES)) as number:
        yield number


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def read_all(sock: socket.socket) -> bytes:
    """Return all that is received until the server closes the connection."""
    chunks = []
    while chunk := sock.recv(65536):
        chunks.append(chunk)
    return b"".join(chunks)


def parse_response(raw: bytes) -> Response:
    head, _, rest = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    length = int(headers.get("Content-Length", 0))
    body = rest[:length]
    shown = json.loads(body) if "json" in headers.get("Content-Type", "") and body else None
    return Response(int(lines[0].split()[1]), headers, body, rest[length:], shown)


def send(port: int, data: bytes) -> Response:
    """Send the data; return the response."""
    with connect(port) as sock:
        sock.sendall(data)
        return parse_response(read_all(sock))


def assert_problem(response: Response, status: int, code: str) -> None:
    assert (response.status, response.json["status"], response.json["code"]) == (status, status, code)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.json["detail"] and response.json["title"]
    assert_shared_headers(response)
    assert response.rest == b""


def assert_shared_headers(response: Response) -> None:
    for name, value in HEADERS.items():
        # waitress capitalizes header names; these are case-insensitive.
        assert response.headers[name] == value
    assert re.fullmatch(r"[0-9a-f]{16}", response.headers["X-Request-Id"])
    assert response.headers["Vary"].startswith("Accept, origin")
    assert "Server" not in response.headers


def test_a_response_of_the_application_has_no_server_header(port):
    response = send(port, b"GET /health HTTP/1.1\r\nHost: blog\r\nConnection: close\r\n\r\n")
    assert (response.status, response.json) == (200, {"status": "ok"})
    assert_shared_headers(response)


@pytest.mark.parametrize(
    "request_",
    [
        b"garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b"get / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n folded before\rany\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: <script>\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        b"GET / HTTP/1.0\r\nHost: \xff\xfe\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + b"1" * 5000 + b"\r\n\r\n",
        b"GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 9000,
        CHUNKED + b"0\r\n\n",
        CHUNKED + b"0\r\n\n\r\n\r\n",
        CHUNKED + b"0\r\n\rA: b\r\n\r\n",
        CHUNKED + b"0\r\nA: b\nC: d\r\n\r\n",
        CHUNKED + b"0\r\nA: b\rC: d\r\n\r\n",
        CHUNKED + b"0\r\nno colon\r\n\r\n",
    ],
)
def test_a_request_that_is_not_plain_http_is_a_400(port, caplog, request_):
    assert_problem(send(port, request_), 400, "malformed")
    assert not caplog.messages


@pytest.mark.parametrize("split", range(12))
def test_a_trailer_may_arrive_in_any_parts(port, split):
    request = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    body = b"2\r\n{}\r\n0\r\nA: b\r\n\r\n"
    with connect(port) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(f"{request}Transfer-Encoding: chunked\r\n\r\n".encode() + body[: len(body) - split])
        sock.sendall(body[len(body) - split :])
        assert_problem(parse_response(read_all(sock)), 422, "invalid_fields")


@pytest.mark.parametrize(
    ("version", "connection", "kept"),
    [
        ("1.1", "foo, close", False),
        ("1.1", "Close ,foo", False),
        ("1.1", "closed", True),
        ("1.1", "foo", True),
        ("1.0", "foo, Keep-Alive", True),
        ("1.0", "keep-alive, close", False),
        ("1.0", "foo", False),
    ],
)
def test_connection_is_a_list_of_options(port, version, connection, kept):
    request = f"GET /health HTTP/{version}\r\nHost: a\r\nConnection: {connection}\r\n\r\n".encode()
    with connect(port) as sock:
        # A server that keeps the connection answers the second request, which closes it.
        sock.sendall(request + b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert read_all(sock).count(b" 200 OK\r\n") == (2 if kept else 1)


@pytest.mark.parametrize("more", ["", "Content-Length: 0\r\n"])
def test_expect_100_continue_without_a_body_is_answered(app, more):
    head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n{more}\r\n"
    with serve(app, limits=Limits(request=1, sweep=0.05)) as port:
        assert send(port, head.encode()).status == 200


@pytest.mark.parametrize("host", ["a", "a.b:80", "my_blog:8000", "[::1]:8000", "127.0.0.1"])
def test_a_valid_host_is_accepted(port, host):
    response = send(port, f"GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert response.status == 200


def test_a_body_in_chunks_is_read(port):
    response = send(
        port,
        f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".encode(),
    )
    assert_problem(response, 422, "invalid_fields")


def test_an_unknown_transfer_coding_is_a_501(port):
    response = send(port, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n")
    assert_problem(response, 501, "not_implemented")


def test_headers_over_16_kilobytes_are_a_431(port):
    response = send(port, b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 17_000 + b"\r\n\r\n")
    assert_problem(response, 431, "headers_too_large")


def test_headers_under_16_kilobytes_are_read(port):
    response = send(
        port,
        b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: " + b"y" * 15_000 + b"\r\n\r\n",
    )
    assert response.status == 200


def test_a_client_that_sends_a_header_of_10_megabytes_reads_the_error(port):
    response = send(port, b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n")
    assert_problem(response, 431, "headers_too_large")


def test_a_declared_body_over_the_limit_is_refused_before_it_is_sent(port):
    start = time.monotonic()
    with connect(port) as sock:
        sock.sendall(f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nContent-Length: 2147483648\r\n\r\n".encode())
        response = parse_response(read_all(sock))
    assert_problem(response, 413, "too_large")
    assert time.monotonic() - start < 1


def test_expect_100_continue_with_a_too_large_body_is_refused(port):
    request = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2147483648\r\n\r\n"
    assert_problem(send(port, request.encode()), 413, "too_large")


def test_expect_100_continue_is_answered_with_100(port):
    head = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    with connect(port) as sock:
        sock.sendall(f"{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n".encode())
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b"{}")
        assert parse_response(read_all(sock)).status == 422


def test_a_client_that_sends_a_body_of_20_megabytes_reads_the_error(port):
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n".encode()
    assert_problem(send(port, head + b"x" * 20_000_000), 413, "too_large")


def test_a_client_that_sends_20_megabytes_in_chunks_reads_the_error(port):
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert_problem(send(port, head + chunk * 305 + b"0\r\n\r\n"), 413, "too_large")


def test_http_client_reads_an_error_before_its_body_is_sent(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", KEYS, body=b"x" * (MAX_BODY_BYTES + 1))
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "too_large")
    connection.close()


def test_a_body_of_exactly_the_limit_reaches_the_application(port):
    head = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    body = b"{}" + b" " * (MAX_BODY_BYTES - 2)
    response = send(port, f"{head}Content-Length: {MAX_BODY_BYTES}\r\n\r\n".encode() + body)
    assert_problem(response, 422, "invalid_fields")


def test_an_error_for_head_has_no_body(port):
    response = send(port, b"HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 2147483648\r\n\r\n")
    assert (response.status, response.body) == (413, b"")
    assert_shared_headers(response)


def test_a_refused_client_that_keeps_sending_is_disconnected(app):
    deadline = time.monotonic() + 8
    with serve(app, limits=Limits(linger=0.3, sweep=0.05)) as port, connect(port) as sock:
        sock.sendall(b"garbage\r\n\r\n")
        with pytest.raises(OSError):  # reset or broken pipe, as the system likes
            while time.monotonic() < deadline:
                sock.sendall(b"x")
                time.sleep(0.01)


def test_a_refused_client_that_sends_too_much_is_disconnected(app):
    with serve(app, limits=Limits(linger_bytes=1_000_000)) as port, connect(port) as sock:
        sock.sendall(b"garbage\r\n\r\n")
        with pytest.raises(OSError):  # reset or broken pipe, as the system likes
            for _ in range(1000):
                sock.sendall(b"x" * 100_000)


def test_a_disconnect_after_a_malformed_request_logs_no_error(make_app, caplog):
    with serve(make_app()) as port:
        for _ in range(20):
            with connect(port) as sock:
                sock.sendall(b"garbage\r\n\r\n")
        assert send(port, b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").status == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_one_connection_serves_many_requests(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.connect()
    sock = connection.sock
    for path, status in (("/health", 200), ("/nowhere", 404), (ARTICLES, 401), ("/openapi.json", 200)):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert (response.status, connection.sock) == (status, sock)
    connection.close()


def test_head_has_the_headers_and_no_body(port):
    with connect(port) as sock:
        sock.sendall(b"HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n")
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head, _, rest = read_all(sock).partition(b"\r\n\r\n")
    assert re.search(rb"Content-Length: [1-9]", head)
    assert parse_response(rest).json == {"status": "ok"}


def test_a_304_has_no_body_and_keeps_the_connection(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/openapi.json")
    first = connection.getresponse()
    first.read()
    connection.request("GET", "/openapi.json", headers={"If-None-Match": first.headers["ETag"]})
    response = connection.getresponse()
    assert (response.status, response.read(), response.headers["ETag"]) == (304, b"", first.headers["ETag"])
    connection.request("GET", "/health")
    assert connection.getresponse().read() == b'{"status":"ok"}'
    connection.close()


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/%00", 404),
        ("/api/v1/blog/articles/%00/", 401),
        ("/api/v1/blog/articles/%zz/", 401),
        ("/%ff%fe", 404),
        ("/" + "a" * 8000, 404),
        ("//evil.example/%2e%2e", 404),
        ("/../../etc/passwd", 404),
        ("http://evil.example/health", 200),
        ("*", 404),
        ("/health?%00=%zz", 400),
    ],
)
def test_an_unusual_target_gets_a_regular_response(port, target, status):
    response = send(port, f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert response.status == status
    assert_shared_headers(response)
    assert "Location" not in response.headers


@pytest.mark.parametrize("method", ["BREW", "TRACE", "CONNECT", "PROPFIND", "A" * 500])
def test_an_unknown_method_is_a_405_with_the_allowed_methods(port, method):
    response = send(port, f"{method} /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert_problem(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


def create_key(port: int, **headers: str) -> int:
    """Create a key and return the status."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", KEYS, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_limit_counts_the_address_that_a_trusted_proxy_forwards(make_app):
    with serve(make_app(TRUSTED_PROXY="127.0.0.1", KEY_LIMIT="1 per hour")) as port:
        statuses = [
            create_key(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.4", "::5")
        ]
        # Only the last address is from the proxy; the client may have sent those before it.
        statuses.append(create_key(port, **{"X-Forwarded-For": "9.9.9.9, 1.2.3.4"}))
    assert statuses == [201, 429, 201, 429]


def test_a_network_of_proxies_can_be_trusted(make_app):
    with serve(make_app(TRUSTED_PROXY="127.0.0.0/8", KEY_LIMIT="1 per hour")) as port:
        assert [create_key(port, **{"X-Forwarded-For": f"1.2.3.{last}"}) for last in (4, 5)] == [201, 201]


@pytest.mark.parametrize("trusted", ["", "10.0.0.1"])
def test_a_forwarded_address_from_elsewhere_is_ignored(make_app, trusted):
    with serve(make_app(TRUSTED_PROXY=trusted, KEY_LIMIT="1 per hour")) as port:
        statuses = [create_key(port, **{"X-Forwarded-For": address}) for address in ("1.2.3.4", "1.2.3.5")]
    assert statuses == [201, 429]


@pytest.mark.parametrize("trusted", ["", "127.0.0.1"])
def test_untrusted_forwarding_headers_are_removed(make_app, monkeypatch, trusted):
    def respond(environ, start_response):
        names = " ".join(sorted(name for name in environ if "FORWARDED" in name)).encode()
        start_response("200 OK", [("Content-Length", str(len(names)))])
        return [names]

    app = make_app(TRUSTED_PROXY=trusted)
    monkeypatch.setattr(app, "wsgi_app", respond)
    names = ("Forwarded", "X-Forwarded-By", "X-Forwarded-Port", *(() if trusted else ("X-Forwarded-For",)))
    head = "".join(f"{name}: 1\r\n" for name in names)
    with serve(app) as port:
        assert (
            send(port, f"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{head}\r\n".encode()).body == b""
        )


@pytest.mark.parametrize(
    "header",
    [
        ("X-Forwarded-For", '"unclosed'),
        ("X-Forwarded-For", "<script>"),
        ("X-Forwarded-For", "unknown"),
        ("X-Forwarded-Proto", "gopher"),
        ("X-Forwarded-Proto", "http, https"),
    ],
)
def test_a_malformed_forwarding_header_is_a_400(make_app, header):
    with serve(make_app(TRUSTED_PROXY="127.0.0.1")) as port:
        head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{header[0]}: {header[1]}\r\n\r\n"
        assert_problem(send(port, head.encode()), 400, "malformed")


@pytest.mark.parametrize(("trusted", "secure"), [("127.0.0.1", True), ("", False)])
def test_the_cookie_is_secure_if_the_proxy_forwards_https(make_app, trusted, secure):
    app = make_app(TRUSTED_PROXY=trusted)
    from blogapi.users import service

    with app.app_context():
        service.create("ada", "a long pass phrase", role=models.Role.ADMIN)
    with serve(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request(
            "POST",
            LOGIN,
            body=json.dumps({"username": "ada", "password": "a long pass phrase"}),
            headers={"Content-Type": "application/json", "X-Forwarded-Proto": "https"},
        )
        response = connection.getresponse()
        cookie = response.headers["Set-Cookie"]
        connection.close()
    assert response.status == 200
    assert ("Secure" in cookie) is secure
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


def test_a_port_in_use_is_an_oserror(port, app):
    with pytest.raises(OSError):  # each system has its own words
        serving.create_server(app, host="127.0.0.1", port=port, threads=1)


def test_a_host_that_does_not_exist_is_an_oserror(app):
    with pytest.raises(OSError):  # each resolver has its own words
        serving.create_server(app, host="nowhere.invalid", port=0, threads=1)


def test_an_unfinished_trailer_is_limited(port):
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n".encode()
    assert_problem(send(port, head + b"x" * 30_000), 400, "malformed")


def test_http_client_reads_a_204(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("OPTIONS", ARTICLES)
    response = connection.getresponse()
    assert (response.status, response.read()) == (204, b"")
    connection.close()


def test_a_response_without_a_body_keeps_the_connection(app):
    with serve(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/health")
        etag = connection.getresponse()
        etag.read()
        held = connection.sock
        for headers, status in (({"If-None-Match": etag.headers["ETag"]}, 304), ({}, 200)):
            connection.request("GET", "/health", headers=headers)
            response = connection.getresponse()
            response.read()
            assert (response.status, response.headers["Connection"]) == (status, None)
            assert connection.sock is held
        connection.request("GET", "/health", headers={"If-None-Match": "*", "Connection": "close"})
        assert connection.getresponse().headers["Connection"] == "close"
        connection.close()
