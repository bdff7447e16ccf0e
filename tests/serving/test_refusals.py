"""Requests that the server itself refuses, and the responses to these requests."""

from __future__ import annotations

import json
import socket
import time
from http.client import HTTPConnection

import pytest
from waitress.rfc7230 import HEADER_FIELD_RE

from blogapi.serving import parser
from blogapi.serving.limits import Limits
from tests.conftest import KEYS
from tests.live_server import serve, start_server
from tests.serving.conftest import MAX_BODY_BYTES
from tests.serving.sockets import (
    HEALTH,
    LOGIN,
    assert_problem,
    assert_shared_headers,
    connect,
    parse_response,
    read_all,
    send,
    wait_until,
)

CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


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
def test_a_malformed_request_gets_a_400(port, caplog, request_):
    assert_problem(send(port, request_), 400, "malformed")
    assert not caplog.messages


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nHost: a\r\n", CHUNKED + b"0\r\n"])
def test_a_control_character_after_many_spaces_is_refused_in_linear_time(port, start):
    line = b"A:" + b" " * 9_000 + b"\x01"
    before = time.process_time()
    # The pattern of waitress takes quadratic time, about a third of a second.
    assert HEADER_FIELD_RE.match(line) is None
    quadratic, before = time.process_time() - before, time.process_time()
    assert_problem(send(port, start + line + b"\r\n\r\n"), 400, "malformed")
    assert time.process_time() - before < quadratic / 2


@pytest.mark.parametrize("split", range(12))
def test_a_trailer_can_be_split_at_any_point(port, split):
    request = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    body = b"2\r\n{}\r\n0\r\nA: b\r\n\r\n"
    with connect(port) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(f"{request}Transfer-Encoding: chunked\r\n\r\n".encode() + body[: len(body) - split])
        sock.sendall(body[len(body) - split :])
        assert_problem(parse_response(read_all(sock)), 422, "invalid_fields")


@pytest.mark.parametrize("more", ["", "Content-Length: 0\r\n"])
def test_a_request_with_expect_100_continue_and_no_body_gets_the_final_response(app, more):
    head = f"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n{more}\r\n"
    with serve(app) as port:
        assert send(port, head.encode()).status == 200


def test_a_chunked_body_is_read(port):
    response = send(
        port,
        f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n".encode(),
    )
    assert_problem(response, 422, "invalid_fields")


def test_an_unknown_transfer_coding_gets_a_501(port):
    response = send(port, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n")
    assert_problem(response, 501, "not_implemented")


def test_headers_over_16_kilobytes_get_a_431(port):
    response = send(port, b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 17_000 + b"\r\n\r\n")
    assert_problem(response, 431, "headers_too_large")


def test_headers_under_16_kilobytes_are_accepted(port):
    response = send(
        port,
        b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: " + b"y" * 15_000 + b"\r\n\r\n",
    )
    assert response.status == 200


def test_a_body_with_a_declared_length_over_the_limit_is_refused_before_it_is_sent(port):
    with connect(port) as sock:
        sock.sendall(f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nContent-Length: 2147483648\r\n\r\n".encode())
        response = parse_response(read_all(sock))
    assert_problem(response, 413, "too_large")


def test_a_request_with_expect_100_continue_and_a_too_large_body_is_refused(port):
    request = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2147483648\r\n\r\n"
    assert_problem(send(port, request.encode()), 413, "too_large")


def test_a_request_with_expect_100_continue_gets_a_100(port):
    head = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    with connect(port) as sock:
        sock.sendall(f"{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n".encode())
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b"{}")
        assert parse_response(read_all(sock)).status == 422


def test_a_body_of_exactly_the_limit_reaches_the_application(port):
    head = f"POST {LOGIN} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
    body = b"{}" + b" " * (MAX_BODY_BYTES - 2)
    response = send(port, f"{head}Content-Length: {MAX_BODY_BYTES}\r\n\r\n".encode() + body)
    assert_problem(response, 422, "invalid_fields")


def test_an_error_response_to_a_head_request_has_no_body(port):
    response = send(port, b"HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 2147483648\r\n\r\n")
    assert (response.status, response.body) == (413, b"")
    assert_shared_headers(response)


def test_a_disconnect_after_a_malformed_request_logs_no_error(make_app, caplog):
    with serve(make_app()) as port:
        for _ in range(20):
            with connect(port) as sock:
                sock.sendall(b"garbage\r\n\r\n")
        assert send(port, b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").status == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_the_length_of_an_unfinished_trailer_is_limited(port):
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n".encode()
    assert_problem(send(port, head + b"x" * 30_000), 400, "malformed")


def test_a_client_that_sends_a_header_of_10_megabytes_reads_the_error(port):
    response = send(port, b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n")
    assert_problem(response, 431, "headers_too_large")


def test_a_client_that_sends_a_body_of_20_megabytes_reads_the_error(port):
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n".encode()
    assert_problem(send(port, head + b"x" * 20_000_000), 413, "too_large")


def test_a_client_that_sends_20_megabytes_in_chunks_reads_the_error(port):
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    head = f"POST {KEYS} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert_problem(send(port, head + chunk * 305 + b"0\r\n\r\n"), 413, "too_large")


def test_the_http_client_of_python_reads_an_error_before_it_has_sent_the_request_body(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", KEYS, body=b"x" * (MAX_BODY_BYTES + 1))
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "too_large")
    connection.close()


def test_a_refused_client_that_keeps_sending_is_disconnected(app):
    deadline = time.monotonic() + 60
    with serve(app, limits=Limits(drop=0.3, sweep=0.05)) as port, connect(port) as sock:
        sock.sendall(b"garbage\r\n\r\n")
        with pytest.raises(OSError):  # the operating system reports a reset or a broken pipe
            while time.monotonic() < deadline:
                sock.sendall(b"x")
                time.sleep(0.01)


def test_a_refused_client_may_send_as_much_as_the_largest_body(app):
    """Without a limit, a client could send gigabytes to a server that drops them."""
    with (
        start_server(app, limits=Limits(drop=600, idle=600)) as server,
        connect(server.effective_port) as sock,
    ):
        sock.sendall(b"garbage\r\n\r\n")
        assert_problem(parse_response(read_all(sock)), 400, "malformed")
        sent, largest = 0, server.adj.max_dropped_bytes
        assert largest > MAX_BODY_BYTES
        with pytest.raises(OSError):
            while sent < 4 * largest:
                sent += sock.send(b"x" * 2**20)
        assert sent > largest


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (parser.RequestTooSlow(""), "408 Request Timeout"),
        (parser.ServerBusy(""), "503 Service Unavailable"),
        (parser.StorageFull(""), "507 Insufficient Storage"),
    ],
)
def test_a_refusal_of_the_server_has_its_own_reason(error, line):
    assert error.to_response()[0] == line


def test_a_head_request_of_a_streamed_response_gets_only_a_head(app, monkeypatch):
    monkeypatch.setattr(app, "wsgi_app", lambda environ, start: [start("200 OK", [])][:0])
    with serve(app) as port, connect(port) as sock:
        sock.sendall(HEALTH.replace(b"GET", b"HEAD"))
        head, _, body = read_all(sock).partition(b"\r\n\r\n")
    assert b"Transfer-Encoding: chunked" in head and body == b""


def test_what_follows_a_refused_request_is_dropped(app):
    following = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    with start_server(app) as server, connect(server.effective_port) as sock:
        sock.sendall(b"garbage\r\n\r\n" + following)
        assert_problem(parse_response(read_all(sock)), 400, "malformed")
        (channel,) = server.active_channels.values()
        wait_until(lambda: channel.is_half_closed)
        sock.sendall(following)
        assert read_all(sock) == b""
        assert channel.request is None and not channel.requests
