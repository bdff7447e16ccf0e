"""A stop answers what was received, within a bounded time."""

from __future__ import annotations

from contextlib import ExitStack

from blogapi.serving import server as serving
from blogapi.serving.limits import Limits
from tests.live import server
from tests.serving.conftest import PIECE
from tests.serving.sockets import HEALTH, connected, parsed, read_all, until


def test_a_stop_answers_what_is_at_work_and_what_waits(app, gate):
    with server(app) as made, ExitStack() as stack:
        held = [stack.enter_context(connected(made.effective_port)) for _ in range(16)]
        for sock in held:
            sock.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        until(lambda: len(made.task_dispatcher.queue) == 12)
        made.stop()
        until(lambda: not made.accepting)
        gate.open.set()
        heard = [parsed(read_all(sock)) for sock in held]
    assert [answer.body for answer in heard] == [b"ok"] * 16
    assert {answer.headers["Connection"] for answer in heard} == {"close"}


def test_a_stop_answers_who_has_just_called(app):
    made = serving.create(app, host="127.0.0.1", port=0, threads=2)
    with ExitStack() as stack:
        held = [stack.enter_context(connected(made.effective_port)) for _ in range(5)]
        for sock in held:
            sock.sendall(HEALTH)
        made.stop()
        made.run()
        assert [parsed(read_all(sock)).status for sock in held] == [200] * 5


def test_a_stop_waits_for_nobody_for_long(app, gate, server_clock):
    limits = Limits(stop=8, last_words=1, sweep=0.05)
    with server(app, limits=limits) as made, ExitStack() as stack:
        half, idle, stuck = (stack.enter_context(connected(made.effective_port)) for _ in range(3))
        half.sendall(b"GET")
        stuck.sendall(HEALTH)
        assert gate.entered.acquire(timeout=5)
        until(lambda: len(made.active_channels) == 3)
        made.stop()
        assert read_all(idle) == b""
        server_clock.move(1.1)
        assert parsed(read_all(half)).status == 408
        server_clock.move(7)
        assert read_all(stuck) == b""
        gate.open.set()


def test_a_stop_waits_for_no_refused_client_for_long(app, server_clock):
    limits = Limits(stop=8, last_words=1, sweep=0.05)
    with server(app, limits=limits) as made, ExitStack() as stack:
        refused = stack.enter_context(connected(made.effective_port))
        refused.sendall(b"garbage\r\n\r\n")
        assert parsed(read_all(refused)).status == 400
        made.stop()
        until(lambda: not made.accepting)
        server_clock.move(1.1)
        until(lambda: not made.active_channels)


def test_a_stop_sends_all_of_an_answer_that_is_taken(app, streams):
    with server(app, limits=Limits(sweep=0.05)) as made, connected(made.effective_port) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: any(channel.total_outbufs_len for channel in made.active_channels.values()))
        made.stop()
        until(lambda: not made.accepting)
        assert read_all(sock).count(PIECE) == 320


def test_a_stop_leaves_a_refused_client_the_time_to_read(app, server_clock):
    with server(app, limits=Limits(last_words=5, sweep=0.05)) as made, ExitStack() as stack:
        refused = stack.enter_context(connected(made.effective_port))
        refused.sendall(b"garbage\r\n\r\n")
        until(lambda: [type(channel).__name__ for channel in made.active_channels.values()] == ["HalfClosed"])
        made.stop()
        until(lambda: not made.accepting)
        server_clock.move(4)
        refused.sendall(b"more")
        assert parsed(read_all(refused)).status == 400
        assert made.active_channels
        refused.close()
        until(lambda: not made.active_channels)
