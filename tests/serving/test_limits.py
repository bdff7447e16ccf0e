"""Connections, file descriptors, and room in the queue."""

from __future__ import annotations

import errno
import os
import select
import socket
from contextlib import ExitStack
from typing import Any

import pytest

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from blogapi.storage import connections
from tests.engines import elsewhere
from tests.live import running, server
from tests.serving.sockets import HEALTH, assert_problem, connected, parsed, read_all, send, until


@pytest.mark.skipif(not hasattr(select, "poll"), reason="this system has no poll()")
def test_files_of_high_numbers_do_not_end_the_process(app):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        pytest.skip("so many files cannot be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1500), hard))
    held = [os.dup(1) for _ in range(1024)]
    try:
        with running(app) as port:
            assert send(port, HEALTH).status == 200
    finally:
        for number in held:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_system_without_poll_is_served_too(app, monkeypatch):
    # select() takes 512 files on Windows; the process has some besides.
    assert Limits().connections <= 450
    monkeypatch.delattr(select, "poll", raising=False)
    with running(app) as port:
        assert send(port, HEALTH).status == 200


def test_writes_that_wait_leave_threads_to_readers(make_app, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 2)
    app = make_app()
    post = b"POST /api/v1/auth/api-key/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    with elsewhere(app, writing=True), server(app, threads=4) as made, ExitStack() as stack:
        writes = [stack.enter_context(connected(made.effective_port)) for _ in range(4)]
        for sock in writes:
            sock.sendall(post)
        assert send(made.effective_port, HEALTH).status == 200
        # The first goes on waiting for whoever keeps the database; the others were told to come again.
        waiting = [sock for sock in writes if not select.select([sock], [], [], 0)[0]]
        refused = [parsed(read_all(sock)) for sock in writes if sock not in waiting]
        assert waiting and {answer.status for answer in refused} <= {503}


def test_250_slow_connections_of_one_address_leave_others_answered(app):
    with server(app, limits=Limits(request=600)) as made, ExitStack() as stack:
        for _ in range(250):
            stack.enter_context(connected(made.effective_port)).sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(5):
            assert send(made.effective_port, HEALTH).status == 200
        # From 200 on, half of all, a new connection replaces the slowest of its address.
        assert len(made.active_channels) >= 195


def test_an_address_has_its_share_where_places_are_few(app):
    with server(app, limits=Limits(connections=8, per_address=3)) as made, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(connected(made.effective_port)).sendall(b"G")
        until(lambda: len(made.active_channels) == 4)
        other = socket.socket()
        stack.enter_context(other)
        other.settimeout(5)
        try:
            other.bind(("127.0.0.2", 0))
        except OSError:
            pytest.skip("this system has one loopback address")
        other.connect(("127.0.0.1", int(made.effective_port)))
        other.sendall(HEALTH)
        assert parsed(read_all(other)).status == 200
        assert made.addresses == {"127.0.0.1": 4}


def test_the_slowest_makes_room_for_a_newcomer_of_its_address(app, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with (
        server(app, limits=Limits(connections=2, per_address=1)) as made,
        connected(made.effective_port) as slow,
    ):
        slow.sendall(b"G")
        until(lambda: any(channel.request for channel in made.active_channels.values()))
        assert send(made.effective_port, HEALTH).status == 200
        assert read_all(slow) == b""


def test_one_that_was_refused_and_stays_makes_room(app, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with server(app, limits=Limits(connections=2, linger=600)) as made, ExitStack() as stack:
        for _ in range(2):
            refused = stack.enter_context(connected(made.effective_port))
            refused.sendall(b"garbage\r\n\r\n")
            assert parsed(read_all(refused)).status == 400
        assert len(made.active_channels) == 2
        assert send(made.effective_port, HEALTH).status == 200


def test_the_proxy_has_as_many_connections_as_there_are(app):
    limits = Limits(connections=8, per_address=1)
    with server(app, limits=limits, trusted_proxy="127.0.0.1") as made, ExitStack() as stack:
        for _ in range(7):
            stack.enter_context(connected(made.effective_port)).sendall(b"G")
        until(lambda: len(made.active_channels) == 7)


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
def test_by_which_name_an_address_is_counted(app, address, client):
    with server(app, trusted_proxy="10.0.0.0/8") as made:
        assert made.client_of((address, 1)) == client


def test_where_all_places_are_taken_the_next_waits(app, gate, caplog):
    limits = Limits(connections=2, rest=0.02, sweep=0.05)
    with server(app, limits=limits) as made, ExitStack() as stack:
        held = [stack.enter_context(connected(made.effective_port)) for _ in range(3)]
        for sock in held:
            sock.sendall(HEALTH)
        assert gate.entered.acquire(timeout=5) and gate.entered.acquire(timeout=5)
        assert len(made.active_channels) == 2
        gate.open.set()
        assert [parsed(read_all(sock)).body for sock in held] == [b"ok"] * 3
    assert len([line for line in caplog.messages if "All connections" in line]) <= 1


def test_without_a_file_descriptor_accepting_rests(app, caplog, monkeypatch, server_clock):
    tries = []

    def refuse(self: Any) -> None:
        tries.append(server_clock.seconds)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with server(app, limits=Limits(rest=5, sweep=0.02)) as made, connected(made.effective_port) as sock:
        with monkeypatch.context() as patch:
            patch.setattr(serving.Server, "accept", refuse)
            with connected(made.effective_port):
                for _ in range(4):
                    until(lambda: tries[-1:] == [server_clock.seconds] and not made.readable())
                    server_clock.move(5)
        server_clock.move(5)
        sock.sendall(HEALTH)
        assert parsed(read_all(sock)).status == 200
    # One try for each time that the clock showed.
    assert len(tries) == len(set(tries))
    assert len([line for line in caplog.messages if "No connection can be accepted" in line]) == 1


def test_one_request_too_many_is_a_503(app, gate, caplog):
    with server(app, threads=1, limits=Limits(queue=2)) as made, ExitStack() as stack:
        held = [stack.enter_context(connected(made.effective_port)) for _ in range(3)]
        held[0].sendall(HEALTH)
        assert gate.entered.acquire(timeout=5)
        for sock in held[1:]:
            sock.sendall(HEALTH)
        until(lambda: len(made.task_dispatcher.queue) == 2)
        refused = send(made.effective_port, HEALTH)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        gate.open.set()
        assert [parsed(read_all(sock)).status for sock in held] == [200] * 3
    assert not caplog.messages


def test_one_that_takes_nothing_of_its_answer_makes_room(app, streams, monkeypatch):
    monkeypatch.setattr(serving, "EVICTION_SECONDS", 0.0)
    with server(app, limits=Limits(connections=2, stall=600, sweep=0.05)) as made, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(connected(made.effective_port)).sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: len(made.active_channels) == 2)
        until(lambda: all(channel.stalled_since() for channel in made.active_channels.values()))
        assert send(made.effective_port, HEALTH).status == 200
