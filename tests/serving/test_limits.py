"""Limits on connections, file descriptors and queued requests."""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving import server as serving
from blogapi.serving import tasks
from blogapi.serving.limits import Limits
from blogapi.storage import connections
from blogapi.storage.database import QUEUE_SECONDS_KEY
from tests.databases import other_connection
from tests.live_server import serve, start_server
from tests.serving.sockets import HEALTH, assert_problem, connect, parse_response, read_all, send, wait_until


@pytest.mark.skipif(not hasattr(select, "poll"), reason="Windows has no poll()")
def test_a_file_descriptor_over_1023_does_not_end_the_process(app):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        pytest.skip("so many files cannot be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1500), hard))
    held = [os.dup(1) for _ in range(1024)]
    try:
        with serve(app) as port:
            assert send(port, HEALTH).status == 200
    finally:
        for number in held:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_server_works_without_poll(app, monkeypatch):
    # On Windows, select() accepts 512 files, and the process needs some of them for other purposes.
    assert Limits().connections <= 450
    monkeypatch.delattr(select, "poll", raising=False)
    with serve(app) as port:
        assert send(port, HEALTH).status == 200


def test_reads_get_threads_while_all_writes_wait_and_no_write_is_refused(make_app, monkeypatch):
    monkeypatch.setattr(connections, "WRITE_WAIT_SECONDS", 60)
    app = make_app()
    post = b"POST /api/v1/auth/api-key/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    with start_server(app, threads=2) as server, ExitStack() as stack:
        with other_connection(app, writing=True):
            writes = [stack.enter_context(connect(server.effective_port)) for _ in range(6)]
            for sock in writes:
                sock.sendall(post)
            # Two writes have a thread, the others wait for one.
            wait_until(lambda: server.task_dispatcher.count_queued() == 4)
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                assert send(server.effective_port, HEALTH).status == 200
        assert [parse_response(read_all(sock)).status for sock in writes] == [201] * 6


def test_the_application_gets_the_time_that_a_request_waited_for_a_thread(
    app, blocked_application, server_clock, monkeypatch
):
    monkeypatch.setattr(tasks, "time", server_clock)
    with start_server(app, threads=1) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        held[0].sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=60)
        for number, sock in enumerate(held[1:], 1):
            sock.sendall(HEALTH)
            wait_until(lambda number=number: server.task_dispatcher.count_queued() == number)
            server_clock.move(3)
        blocked_application.open.set()
        assert [parse_response(read_all(sock)).status for sock in held] == [200] * 3
    waited = [environ[QUEUE_SECONDS_KEY] for environ in blocked_application.environs]
    assert waited == pytest.approx([0, 6, 3])


def test_250_slow_connections_from_one_address_do_not_block_other_requests(app):
    with start_server(app, limits=Limits(request=600)) as server, ExitStack() as stack:
        for _ in range(250):
            stack.enter_context(connect(server.effective_port)).sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(5):
            assert send(server.effective_port, HEALTH).status == 200
        # If more than 200 connections are open (half of the maximum), a new connection replaces the slowest
        # connection from the same address.
        assert len(server.active_channels) >= 195


def test_the_limit_of_an_address_applies_once_half_of_all_connections_are_in_use(app):
    with (
        start_server(app, limits=Limits(connections=8, per_address=3, request=600)) as server,
        ExitStack() as stack,
    ):
        for _ in range(6):
            stack.enter_context(connect(server.effective_port)).sendall(b"G")
        wait_until(lambda: len(server.active_channels) == 4)
        other = socket.socket()
        stack.enter_context(other)
        other.settimeout(60)
        try:
            other.bind(("127.0.0.2", 0))
        except OSError:
            pytest.skip("this system has one loopback address")
        other.connect(("127.0.0.1", int(server.effective_port)))
        other.sendall(HEALTH)
        assert parse_response(read_all(other)).status == 200
        clients = [channel.client for channel in list(server.active_channels.values())]
        assert clients == ["127.0.0.1"] * 4


def test_the_connection_that_stalled_longest_is_closed_for_a_new_connection_from_the_same_address(
    app, monkeypatch
):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with (
        start_server(app, limits=Limits(connections=2, per_address=1, request=600)) as server,
        connect(server.effective_port) as slow,
    ):
        slow.sendall(b"G")
        wait_until(lambda: any(channel.request for channel in list(server.active_channels.values())))
        assert send(server.effective_port, HEALTH).status == 200
        assert read_all(slow) == b""


@pytest.mark.parametrize(
    "limits",
    [{"connections": 3}, {"connections": 6, "per_address": 3}],
    ids=["of all connections", "of its address"],
)
def test_of_several_stalled_connections_the_oldest_request_is_closed(app, server_clock, limits):
    with start_server(app, limits=Limits(request=600, **limits)) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        wait_until(lambda: len(server.active_channels) == 3)
        for started, number in enumerate((1, 0, 2), 1):
            server_clock.move(5)
            held[number].sendall(b"GET /health HTTP/1.1\r\n")
            wait_until(
                lambda started=started: (
                    sum(bool(channel.request) for channel in list(server.active_channels.values())) == started
                )
            )
        server_clock.move(5)
        for closed in (1, 0):
            new = stack.enter_context(connect(server.effective_port))
            new.sendall(b"G")
            assert read_all(held[closed]) == b""
        held[2].sendall(b"Host: a\r\nConnection: close\r\n\r\n")
        assert parse_response(read_all(held[2])).status == 200


def test_a_half_closed_connection_is_closed_for_a_new_connection(app, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with start_server(app, limits=Limits(connections=2, idle=600)) as server, ExitStack() as stack:
        for _ in range(2):
            refused = stack.enter_context(connect(server.effective_port))
            refused.sendall(b"garbage\r\n\r\n")
            assert parse_response(read_all(refused)).status == 400
        assert len(server.active_channels) == 2
        assert send(server.effective_port, HEALTH).status == 200


def test_the_connections_of_the_proxy_are_not_limited_by_address(app):
    limits = Limits(connections=8, per_address=1, request=600)
    with start_server(app, limits=limits, trusted_proxy="127.0.0.1") as server, ExitStack() as stack:
        for _ in range(7):
            stack.enter_context(connect(server.effective_port)).sendall(b"G")
        wait_until(lambda: len(server.active_channels) == 7)


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("10.0.0.7", ""),
    ],
)
def test_connections_are_counted_by_ipv4_address_or_ipv6_network(app, address, client):
    with start_server(app, trusted_proxy="10.0.0.0/8") as server:
        assert server.get_client_key((address, 1)) == client


def test_a_new_connection_waits_while_the_maximum_number_of_connections_is_open(
    app, blocked_application, caplog
):
    limits = Limits(connections=2, sweep=0.02)
    with start_server(app, limits=limits) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        for sock in held:
            sock.sendall(HEALTH)
        for _ in range(2):
            assert blocked_application.entered.acquire(timeout=60)
        assert len(server.active_channels) == 2
        blocked_application.open.set()
        assert [parse_response(read_all(sock)).body for sock in held] == [b"ok"] * 3
    assert len([line for line in caplog.messages if "All connection slots" in line]) <= 1


def test_the_server_stops_accepting_connections_for_a_time_if_no_file_descriptor_is_free(
    app, caplog, monkeypatch, server_clock
):
    attempts = []

    def refuse(self: Any) -> None:
        attempts.append(server_clock.seconds)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with (
        start_server(app, limits=Limits(sweep=0.5)) as server,
        connect(server.effective_port) as sock,
    ):
        with monkeypatch.context() as patch:
            patch.setattr(serving.Server, "accept", refuse)
            with connect(server.effective_port):
                for _ in range(4):
                    wait_until(lambda: attempts[-1:] == [server_clock.seconds] and not server.readable())
                    server_clock.move(0.5)
        server_clock.move(0.5)
        sock.sendall(HEALTH)
        assert parse_response(read_all(sock)).status == 200
    # The server tries to accept a connection only once until the clock advances.
    assert len(attempts) == len(set(attempts))
    assert len([line for line in caplog.messages if "Cannot accept a connection" in line]) == 1


def test_a_request_gets_a_503_if_the_queue_is_full(app, blocked_application, caplog):
    with start_server(app, threads=1, limits=Limits(queue=2)) as server, ExitStack() as stack:
        held = [stack.enter_context(connect(server.effective_port)) for _ in range(3)]
        held[0].sendall(HEALTH)
        assert blocked_application.entered.acquire(timeout=60)
        for sock in held[1:]:
            sock.sendall(HEALTH)
        wait_until(lambda: server.task_dispatcher.count_queued() == 2)
        refused = send(server.effective_port, HEALTH)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        blocked_application.open.set()
        assert [parse_response(read_all(sock)).status for sock in held] == [200] * 3
    assert not caplog.messages


def test_a_client_that_reads_nothing_is_disconnected_for_a_new_connection(app, long_response, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with (
        start_server(app, limits=Limits(connections=2, stall=600, sweep=0.05)) as server,
        ExitStack() as stack,
    ):
        for _ in range(2):
            stack.enter_context(connect(server.effective_port)).sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_until(lambda: len(server.active_channels) == 2)
        wait_until(
            lambda: all(channel.get_stall_start() for channel in list(server.active_channels.values()))
        )
        assert send(server.effective_port, HEALTH).status == 200
