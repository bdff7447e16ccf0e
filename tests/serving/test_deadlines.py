"""The time limits for sending a request, for a pause between two requests, and for reading a response."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pytest
from waitress import channel as waitress_channel

from blogapi.serving.limits import Limits
from tests.live_server import start_server
from tests.serving.sockets import HEALTH, assert_problem, connect, parse_response, read_all, wait_until


@pytest.mark.parametrize(
    "sent",
    [b"G", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"],
)
def test_an_incomplete_request_gets_a_408(app, sent, server_clock):
    with (
        start_server(app, limits=Limits(request=10, sweep=0.02)) as server,
        connect(server.effective_port) as sock,
    ):
        sock.sendall(sent)
        wait_until(lambda: any(channel.request for channel in list(server.active_channels.values())))
        server_clock.move(11)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")


def test_a_slow_request_does_not_extend_its_deadline(app, server_clock):
    def has_received(count: int) -> bool:
        requests = [channel.request for channel in list(server.active_channels.values())]
        return [request.header_bytes_received for request in requests if request] == [count]

    with (
        start_server(app, limits=Limits(request=10, sweep=0.02)) as server,
        connect(server.effective_port) as sock,
    ):
        for count in (1, 2, 3):
            sock.sendall(b"x")
            wait_until(partial(has_received, count))
            server_clock.move(4)
        assert_problem(parse_response(read_all(sock)), 408, "request_timeout")


@pytest.mark.parametrize("clock", ["runs", "stands still"])
def test_an_idle_connection_is_closed(app, monkeypatch, server_clock, clock):
    if clock == "stands still":
        monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with (
        start_server(app, limits=Limits(idle=10, sweep=0.02)) as server,
        connect(server.effective_port) as sock,
    ):
        sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        assert sock.recv(65536).startswith(b"HTTP/1.1 200")
        # The first sweep after the request records the activity, and a later one closes the connection.
        wait_until(lambda: server_clock.move(3) or not server.active_channels)
        read_all(sock)


def test_a_change_of_the_system_clock_closes_no_connection(app, monkeypatch):
    monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with start_server(app, limits=Limits(sweep=0.02)) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        assert sock.recv(65536).startswith(b"HTTP/1.1 200")
        sweeps = server._next_sweep
        wait_until(lambda: server._next_sweep > sweeps + 0.1)
        sock.sendall(HEALTH)
        assert parse_response(read_all(sock)).status == 200


def test_a_slow_application_does_not_count_against_the_deadlines_of_its_client(
    app, blocked_application, server_clock
):
    limits = Limits(request=10, idle=10, stall=10, sweep=0.02)
    with start_server(app, limits=limits) as server, connect(server.effective_port) as sock:
        sock.sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=60)
        for _ in range(3):
            server_clock.move(11)
            server_clock.let_check(server)
        blocked_application.open.set()
        assert parse_response(read_all(sock)).body == b"ok"


def test_a_client_that_reads_nothing_is_disconnected(app, long_response, server_clock):
    limits = Limits(stall=10, sweep=0.02)
    with start_server(app, limits=limits) as server, connect(server.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(
            lambda: any(channel.total_outbufs_len for channel in list(server.active_channels.values()))
        )
        # The server can still fill the buffers of the system, which counts as progress.
        wait_until(lambda: server_clock.move(3) or not server.active_channels)
