"""The time that a client has for a request, and between two."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pytest
from waitress import channel as waitress_channel

from blogapi.serving.limits import Limits
from tests.live import running, server
from tests.serving.sockets import HEALTH, assert_problem, connected, parsed, read_all, until


@pytest.mark.parametrize(
    "begun",
    [b"G", b"GET / HTTP/1.1\r\nHost: a\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"],
)
def test_a_request_that_does_not_come_to_its_end_is_a_408(app, begun):
    with running(app, limits=Limits(request=0.2, sweep=0.05)) as port, connected(port) as sock:
        sock.sendall(begun)
        assert_problem(parsed(read_all(sock)), 408, "request_timeout")


def test_dripping_gains_no_time(app, server_clock):
    def has_received(count: int) -> bool:
        requests = [channel.request for channel in made.active_channels.values()]
        return [request.header_bytes_received for request in requests if request] == [count]

    with server(app, limits=Limits(request=10, sweep=0.02)) as made, connected(made.effective_port) as sock:
        for count in (1, 2, 3):
            sock.sendall(b"x")
            until(partial(has_received, count))
            server_clock.move(4)
        assert_problem(parsed(read_all(sock)), 408, "request_timeout")


@pytest.mark.parametrize("clock", ["runs", "stands still"])
def test_a_connection_that_asks_nothing_is_ended(app, monkeypatch, clock):
    if clock == "stands still":
        monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with running(app, limits=Limits(idle=0.2, sweep=0.05)) as port, connected(port) as sock:
        sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        assert read_all(sock).startswith(b"HTTP/1.1 200")


def test_a_clock_that_is_set_ends_no_connection(app, monkeypatch):
    monkeypatch.setattr(waitress_channel, "time", SimpleNamespace(time=lambda: 1.0))
    with server(app, limits=Limits(sweep=0.02)) as made, connected(made.effective_port) as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        assert sock.recv(65536).startswith(b"HTTP/1.1 200")
        sweeps = made._next_sweep
        until(lambda: made._next_sweep > sweeps + 0.1)
        sock.sendall(HEALTH)
        assert parsed(read_all(sock)).status == 200


def test_an_answer_may_take_its_time(app, gate):
    hurried = Limits(request=0.1, idle=0.1, stall=0.1, sweep=0.02)
    with server(app, limits=hurried) as made, connected(made.effective_port) as sock:
        sock.sendall(HEALTH)
        assert gate.entered.acquire(timeout=5)
        sweeps = made._next_sweep
        until(lambda: made._next_sweep > sweeps + 0.4)
        gate.open.set()
        assert parsed(read_all(sock)).body == b"ok"


def test_a_reader_that_takes_nothing_is_ended(app, streams):
    limits = Limits(stall=0.3, sweep=0.05)
    with server(app, limits=limits) as made, connected(made.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: made.active_channels)
        until(lambda: not made.active_channels)
