"""Threads that wait for their clients, and who makes room for others."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from waitress import wasyncore

from blogapi.articles import json_reader
from blogapi.serving.channel import Channel
from blogapi.serving.limits import Limits
from blogapi.serving.tasks import ResponseTask
from blogapi.serving.unread import SHARES
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.live import server
from tests.serving.sockets import assert_problem, parsed, read_all, until
from tests.serving.unread_answers import BODY, BOUND, LARGE, answered, asking, held_by, serving_blog


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Nothing is freed but what nobody refers to any more."""
    gc.disable()
    yield
    gc.enable()


def test_at_most_half_of_the_threads_wait_for_their_clients(blog, no_collector):
    blog.made.body = LARGE
    with serving_blog(blog.app, threads=4) as made, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(asking(made, "/stream", of=f"10.0.0.{number}"))
        until(lambda: sum(channel.streams for channel in made.active_channels.values()) == 2)
        before = blog.made.made
        for path in ("/stream", "/whole"):
            refused = answered(made, path, of="10.0.0.9")
            assert_problem(refused, 503, "unavailable")
            assert refused.headers["Retry-After"] == "1"
        # The refused responses were produced no further than may be buffered; the system's own buffers take
        # a part of the two that are streamed.
        assert blog.made.made - before < 2 * BOUND // SHARES
        # Nor is any of it kept, though nothing looks for what holds itself.
        until(
            lambda: (
                not any(
                    isinstance(found, ResponseTask) and found._buffered_chunks for found in gc.get_objects()
                )
            )
        )
        # What has room needs no thread that waits, though nobody knows its length before its end.
        blog.made.body = BODY
        heard = answered(made, "/stream", of="10.0.0.9")
        assert (heard.status, heard.body) == (200, BODY)
        assert answered(made, "/health", of="10.0.0.9").status == 200


def test_what_a_write_has_done_is_not_answered_by_a_503(blog):
    blog.made.body = LARGE
    with serving_blog(blog.app, threads=4) as made, ExitStack() as stack:
        for number in range(2):
            stack.enter_context(asking(made, "/stream", of=f"10.0.0.{number}"))
        until(lambda: sum(channel.streams for channel in made.active_channels.values()) == 2)
        written = asking(made, "/whole", of="10.0.0.9", more="Connection: close\r\n", method="PUT")
        with written:
            assert parsed(read_all(written)).body == LARGE


def test_one_address_has_at_most_half_of_the_threads_that_wait(blog):
    blog.made.body = LARGE
    with serving_blog(blog.app, threads=8) as made, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(asking(made, "/stream", of="10.0.0.1"))
        until(lambda: sum(channel.streams for channel in made.active_channels.values()) == 2)
        assert answered(made, "/stream", of="10.0.0.1").status == 503
        stack.enter_context(asking(made, "/stream", of="10.0.0.2"))
        until(lambda: sum(channel.streams for channel in made.active_channels.values()) == 3)


def test_who_takes_nothing_makes_room_for_others_of_its_address(blog):
    limits = Limits(unread_bytes=BOUND, connections=32, sweep=0.02, stall_in_the_way=0.1)
    with serving_blog(blog.app, threads=2, limits=limits) as made, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(asking(made, "/whole", of="10.0.0.1"))
        until(lambda: len(held_by(made, "10.0.0.1")) == 2)
        until(lambda: answered(made, "/whole", of="10.0.0.1").status == 200)


def fake(reader: str, *, since: float | None, reserved: int = 1, streams: bool = False) -> Any:
    closed: list[bool] = []
    return SimpleNamespace(
        reader=reader,
        reserved=reserved,
        streams=streams,
        stalled_since=lambda: since,
        closed=closed,
        handle_close=lambda: closed.append(True),
    )


@pytest.mark.parametrize(
    ("full", "enough", "closed"),
    [
        # The longest stalled first, and no more of them than are needed.
        (False, 1, {"oldest"}),
        (False, 9, {"oldest", "older"}),
        (True, 9, {"oldest", "older", "other's"}),
    ],
)
def test_the_longest_stalled_make_room_and_those_that_move_are_kept(app, monkeypatch, full, enough, closed):
    channels = {
        "older": fake("a", since=20),
        "oldest": fake("a", since=10),
        "moves": fake("a", since=None),
        "has just stalled": fake("a", since=97),
        "short": fake("a", since=10, reserved=0),
        "other's": fake("b", since=10.5),
    }
    with server(app) as made:
        pass
    monkeypatch.setattr(made, "active_channels", channels)
    monkeypatch.setattr(made.unread, "is_full", lambda size: full)
    monkeypatch.setattr(
        made.unread, "admits", lambda *_: sum(len(channel.closed) for channel in channels.values()) >= enough
    )
    made._make_room("a", 100, 100.0)
    assert {name for name, channel in channels.items() if channel.closed} == closed


def test_a_thread_that_waits_is_freed_by_a_client_that_leaves(blog):
    blog.made.body = LARGE
    with serving_blog(blog.app, threads=1) as made:
        asking(made, "/stream").close()
        assert answered(made, "/health").status == 200
        until(lambda: not made.unread.held)


def test_what_a_client_takes_is_seen_before_the_system_tells_of_it(blog):
    blog.made.body = LARGE

    def poll(seconds: float, map: dict[int, Any]) -> None:
        others = {number: found for number, found in map.items() if not isinstance(found, Channel)}
        wasyncore.poll(min(seconds, 0.01), others)

    with serving_blog(blog.app) as made, asking(made, "/stream") as sock:
        until(lambda: blog.made.gave_up.is_set())
        made._poll = poll
        swept = made._next_sweep
        until(lambda: made._next_sweep > swept + 0.1)
        (channel,) = made.active_channels.values()
        moved = channel._still_since
        until(lambda: sock.recv(4096) and channel._still_since > moved)


def test_a_long_list_keeps_no_connection_to_the_database_for_a_slow_client(
    app, people, make_article, monkeypatch
):
    monkeypatch.setattr(json_reader, "CHUNK_SIZE", 2)
    for _ in range(9):
        make_article(content="<p>" + "x" * 60_000 + "</p>")
    head = f"GET {ARTICLES} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {people.key(None)}\r\n"
    limits = Limits(unread_bytes=1_000_000, connections=8, sweep=0.02)
    with serving_blog(app, limits=limits) as made:
        sock = asking(made, "/nowhere")
        assert sock.recv(65536)
        with sock:
            sock.sendall(f"{head}\r\n".encode())
            until(lambda: any(channel.streams for channel in made.active_channels.values()))
            with app.app_context():
                until(lambda: db.engine.pool.checkedout() == 0)
            whole = read_all(sock)
        assert whole.endswith(b"0\r\n\r\n") and whole.count(b'"uuid"') >= 9
