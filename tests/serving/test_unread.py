"""Answers that clients leave unread: how much of them is held, for whom, and who is answered meanwhile."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from blogapi.metrics import registry
from blogapi.serving.limits import Limits
from blogapi.serving.unread import OVERHEAD, SHARES
from tests.live import server
from tests.serving.sockets import HEALTH, assert_problem, read_all, until
from tests.serving.unread_answers import BODY, BOUND, LARGE, answered, asking, serving_blog


@pytest.mark.parametrize("addresses", [1, 16])
@pytest.mark.parametrize("path", ["/whole", "/stream"])
@pytest.mark.parametrize("body", [BODY, LARGE], ids=["short", "large"])
def test_unread_answers_stay_under_the_bound_at_every_moment(blog, peaks, addresses, path, body):
    blog.made.body = body
    with serving_blog(blog.app) as made, ExitStack() as stack:
        for number in range(16):
            of = f"10.0.0.{number % addresses}"
            stack.enter_context(asking(made, path, of=of, times=20))
        until(lambda: len(blog.asked) >= 16 and not made.task_dispatcher.queue)
        # The others are answered while those who read nothing are held.
        assert answered(made, "/health", of="10.1.0.1").status == 200
        assert any(channel.total_outbufs_len for channel in made.active_channels.values())
    assert 0 < peaks.pop("all") <= BOUND
    assert max(peaks.values()) <= BOUND // SHARES
    # Nobody's second request was begun.
    assert len(blog.asked) <= 16


def test_the_next_request_waits_until_the_answer_before_it_was_taken(blog):
    with serving_blog(blog.app) as made, asking(made, "/whole", times=3) as sock:
        until(lambda: any(channel.deferred for channel in made.active_channels.values()))
        assert blog.asked == ["/whole"]
        sock.sendall(HEALTH)
        assert read_all(sock).count(BODY) == 3
    assert blog.asked == ["/whole"] * 3


def test_a_refusal_waits_until_the_answer_before_it_was_taken(blog):
    with serving_blog(blog.app) as made, asking(made, "/whole") as sock:
        sock.sendall(b"garbage\r\n\r\n")
        answer, _, refused = read_all(sock).rpartition(b" 400 Bad Request\r\n")
    assert answer.count(BODY) == 1 and refused.endswith(b"}")


def test_a_connection_whose_next_request_waits_is_ended_like_any_that_stalls(blog):
    with serving_blog(blog.app, limits=Limits(stall=0.2, sweep=0.02)) as made:
        with asking(made, "/whole", times=3):
            until(lambda: made.active_channels)
            until(lambda: not made.active_channels)
        assert (made.unread.held, blog.asked) == (0, ["/whole"])


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ("1.2.3.4", "1.2.3.4", "1.2.3.5"),
        ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"),
    ],
)
def test_behind_a_proxy_the_forwarded_address_has_the_share(blog, first, second, other):
    with serving_blog(blog.app, threads=4) as made, ExitStack() as stack:
        stack.enter_context(asking(made, "/whole", of=first))
        until(lambda: made.unread.held)
        # The one thread that may wait for this address.
        stack.enter_context(asking(made, "/whole", of=second))
        until(lambda: any(channel.streams for channel in made.active_channels.values()))
        refused = answered(made, "/whole", of=first)
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert answered(made, "/whole", of=other).body == BODY
        assert answered(made, "/health", of=first).status == 200


@pytest.mark.parametrize("path", ["/whole", "/stream"])
def test_an_answer_larger_than_a_share_is_sent_as_its_client_takes_it(blog, path):
    blog.made.body = LARGE
    with serving_blog(blog.app) as made, asking(made, path) as sock:
        until(lambda: blog.made.gave_up.is_set())
        (channel,) = made.active_channels.values()
        assert channel.streams and made.unread.held <= BOUND // SHARES
        assert blog.made.made < len(LARGE)
        taken = 0
        while taken < len(LARGE):
            taken += len(sock.recv(65536))
        until(lambda: not made.unread.held and not channel.streams)


def test_all_of_a_large_streamed_answer_arrives(blog):
    blog.made.body = LARGE
    with serving_blog(blog.app) as made, asking(made, "/stream") as sock:
        until(lambda: blog.made.gave_up.is_set())
        _, _, chunked = read_all(sock).partition(b"\r\n\r\n")
    body = b""
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        body, chunked = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    assert body == LARGE


def test_the_bound_is_a_setting(make_app):
    with server(make_app(UNREAD_MEGABYTES=32)) as made:
        assert made.limits.unread_bytes == 32 * 2**20
        # There is always room for an error.
        assert made.unread.allowance > OVERHEAD * 3


def test_what_is_unread_is_shown_among_the_figures(blog):
    with serving_blog(blog.app) as made, asking(made, "/whole"):
        until(lambda: made.unread.held)
        assert registry.get_metrics(blog.app)["unread_bytes"].read() >= len(BODY) - made.unread.allowance
