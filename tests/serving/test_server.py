"""The server on a real socket: connections, methods, targets and headers."""

from __future__ import annotations

import http.client
import re
from http.client import HTTPConnection

import pytest

from blogapi.serving import listening
from tests.conftest import ARTICLES
from tests.live_server import serve
from tests.serving.sockets import (
    assert_problem,
    assert_shared_headers,
    connect,
    parse_response,
    read_all,
    send,
)


def test_a_response_of_the_application_has_no_server_header(port):
    response = send(port, b"GET /health HTTP/1.1\r\nHost: blog\r\nConnection: close\r\n\r\n")
    assert (response.status, response.json) == (200, {"status": "ok"})
    assert_shared_headers(response)


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
def test_the_connection_header_is_read_as_a_list_of_options(port, version, connection, kept):
    request = f"GET /health HTTP/{version}\r\nHost: a\r\nConnection: {connection}\r\n\r\n".encode()
    with connect(port) as sock:
        # If the server keeps the connection open, it also responds to the second request and then closes it.
        sock.sendall(request + b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert read_all(sock).count(b" 200 OK\r\n") == (2 if kept else 1)


@pytest.mark.parametrize("host", ["a", "a.b:80", "my_blog:8000", "[::1]:8000", "127.0.0.1"])
def test_a_valid_host_is_accepted(port, host):
    response = send(port, f"GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert response.status == 200


def test_one_connection_serves_many_requests(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.connect()
    sock = connection.sock
    for path, status in (("/health", 200), ("/nowhere", 404), (ARTICLES, 401), ("/openapi.json", 200)):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert (response.status, connection.sock) == (status, sock)
    connection.close()


def test_a_head_response_has_the_headers_and_no_body(port):
    with connect(port) as sock:
        sock.sendall(b"HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n")
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head, _, rest = read_all(sock).partition(b"\r\n\r\n")
    assert re.search(rb"Content-Length: [1-9]", head)
    assert parse_response(rest).json == {"status": "ok"}


def test_a_304_has_no_body_and_keeps_the_connection_open(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
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
def test_an_unknown_method_gets_a_405_with_the_allowed_methods(port, method):
    response = send(port, f"{method} /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert_problem(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_port_in_use_raises_oserror(port):
    with pytest.raises(OSError):  # The message depends on the operating system.
        listening.bind_address("127.0.0.1", port)


def test_a_port_whose_server_still_starts_raises_oserror():
    with listening.bind_address("127.0.0.1", 0) as bound, pytest.raises(OSError):
        listening.bind_address("127.0.0.1", bound.getsockname()[1])


def test_a_client_that_connects_before_the_server_runs_waits(app, monkeypatch):
    open_socket, waiting = listening.open_socket, []

    def open_and_connect(*arguments):
        bound = open_socket(*arguments)
        waiting.append(connect(bound.getsockname()[1]))
        waiting[0].sendall(b"GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return bound

    monkeypatch.setattr(listening, "open_socket", open_and_connect)
    with serve(app), waiting[0]:
        assert parse_response(read_all(waiting[0])).status == 200


def test_a_host_that_does_not_exist_raises_oserror():
    with pytest.raises(OSError):  # The message depends on the resolver.
        listening.bind_address("nowhere.invalid", 0)


def test_the_http_client_of_python_reads_a_204_response(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("OPTIONS", ARTICLES)
    response = connection.getresponse()
    assert (response.status, response.read()) == (204, b"")
    connection.close()


def test_a_response_without_a_body_keeps_the_connection_open(app):
    with serve(app) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
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
