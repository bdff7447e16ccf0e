"""Limits on the memory for unread responses, for all addresses together and for each address."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from blogapi.metrics import registry
from blogapi.serving.limits import Limits
from blogapi.serving.unread import OVERHEAD_BYTES, SHARE_COUNT
from tests.live_server import start_server
from tests.serving.sockets import HEALTH, assert_problem, read_all, wait_until
from tests.serving.unread_responses import (
    BODY,
    LARGE_BODY,
    MAX_UNREAD_BYTES,
    get_response,
    is_thread_waiting,
    send_request,
    serve_blog,
)


@pytest.mark.parametrize("addresses", [1, 16])
@pytest.mark.parametrize("path", ["/whole", "/stream"])
@pytest.mark.parametrize("body", [BODY, LARGE_BODY], ids=["short", "large"])
def test_unread_bytes_never_exceed_the_limit(blog, max_unread, addresses, path, body):
    blog.application.body = body
    with serve_blog(blog.app) as server, ExitStack() as stack:
        for number in range(16):
            address = f"10.0.0.{number % addresses}"
            stack.enter_context(send_request(server, path, address=address, times=20))
        wait_until(lambda: len(blog.requested_paths) >= 16 and not server.task_dispatcher.count_queued())
        # Other clients still get responses.
        assert get_response(server, "/health", address="10.1.0.1").status == 200
        assert any(channel.total_outbufs_len for channel in list(server.active_channels.values()))
    assert 0 < max_unread.pop("all") <= MAX_UNREAD_BYTES
    assert max(max_unread.values()) <= MAX_UNREAD_BYTES // SHARE_COUNT
    # The server has not processed the second request of any connection.
    assert len(blog.requested_paths) <= 16


def test_the_next_request_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole", times=3) as sock:
        wait_until(lambda: any(channel.deferred for channel in list(server.active_channels.values())))
        assert blog.requested_paths == ["/whole"]
        sock.sendall(HEALTH)
        assert read_all(sock).count(BODY) == 3
    assert blog.requested_paths == ["/whole"] * 3


def test_an_error_response_waits_until_the_previous_response_is_read(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole") as sock:
        sock.sendall(b"garbage\r\n\r\n")
        response, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert response.count(BODY) == 1 and refused.endswith(b"}")


def test_a_stalled_connection_with_a_waiting_request_is_closed(blog):
    with serve_blog(blog.app, limits=Limits(stall=0.2, sweep=0.02)) as server:
        with send_request(server, "/whole", times=3):
            wait_until(lambda: server.active_channels)
            wait_until(lambda: not server.active_channels)
        # The bytes are released just after the connection is unregistered.
        wait_until(lambda: not server.unread.held)
        assert blog.requested_paths == ["/whole"]


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ("1.2.3.4", "1.2.3.4", "1.2.3.5"),
        ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"),
    ],
)
def test_behind_a_proxy_unread_bytes_are_counted_for_the_forwarded_address(blog, first, second, other):
    with serve_blog(blog.app, threads=4) as server, ExitStack() as stack:
        stack.enter_context(send_request(server, "/whole", address=first))
        wait_until(lambda: server.unread.held)
        # This request uses the only thread that may wait for this address.
        stack.enter_context(send_request(server, "/whole", address=second))
        wait_until(lambda: any(channel.streams for channel in list(server.active_channels.values())))
        refused = get_response(server, "/whole", address=first)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert get_response(server, "/whole", address=other).body == BODY
        assert get_response(server, "/health", address=first).status == 200


@pytest.mark.parametrize("path", ["/whole", "/stream"])
def test_a_response_larger_than_the_limit_of_its_address_is_sent_while_its_client_reads_it(blog, path):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app) as server, send_request(server, path) as sock:
        wait_until(lambda: is_thread_waiting(server))
        (channel,) = server.active_channels.values()
        assert channel.streams and server.unread.held <= MAX_UNREAD_BYTES // SHARE_COUNT
        assert blog.application.served_bytes < len(LARGE_BODY)
        received = 0
        while received < len(LARGE_BODY):
            received += len(sock.recv(65536))
        wait_until(lambda: not server.unread.held and not channel.streams)


def test_a_large_streamed_response_arrives_completely(blog):
    blog.application.body = LARGE_BODY
    with serve_blog(blog.app) as server, send_request(server, "/stream") as sock:
        wait_until(lambda: is_thread_waiting(server))
        _, _, chunked = read_all(sock).partition(b"\r\n\r\n")
    body = b""
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        body, chunked = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    assert body == LARGE_BODY


def test_a_setting_limits_the_unread_bytes(make_app):
    with start_server(make_app(UNREAD_MEGABYTES=32)) as server:
        assert server.limits.unread_bytes == 32 * 2**20
        # Error responses always fit into the limit.
        assert server.unread.allowance > OVERHEAD_BYTES * 3


def test_the_number_of_unread_bytes_is_a_metric(blog):
    with serve_blog(blog.app) as server, send_request(server, "/whole"):
        wait_until(lambda: server.unread.held)
        assert registry.get_metrics(blog.app)["unread_bytes"].read() >= len(BODY) - server.unread.allowance
