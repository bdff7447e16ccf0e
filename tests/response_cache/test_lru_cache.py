"""Answers in memory: how many are kept, which go first, and when one is not given again."""

from __future__ import annotations

import threading
import tracemalloc
from collections import OrderedDict
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.response_cache.lru_cache import OVERHEAD, CachedResponse, LRUCache

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
SIZE = 100_000


def an_answer(body=b"[]", *, made=NOON, until=LATER, headers=()):
    return CachedResponse("200 OK", list(headers), body, made, until)


def found(shelf, request, state=1, now=NOON):
    answer = shelf.find(request, state, now)
    return answer and answer.body


@pytest.fixture
def shelf():
    """A shelf for 100 kB."""
    return LRUCache(SIZE)


def test_an_empty_shelf_has_nothing(shelf):
    assert (found(shelf, "a"), len(shelf), shelf.held) == (None, 0, 0)


def test_what_is_kept_is_found_as_it_was(shelf):
    answer = an_answer(b"body", headers=[("ETag", '"1"'), ("Vary", "Accept"), ("Vary", "origin")])
    shelf.keep("a", 1, answer)
    assert shelf.find("a", 1, NOON) == answer
    assert found(shelf, "b") is None


def test_the_last_answer_to_a_request_counts(shelf):
    shelf.keep("a", 1, an_answer(b"old" * 100))
    shelf.keep("a", 1, an_answer(b"new"))
    assert (found(shelf, "a"), len(shelf), shelf.held) == (b"new", 1, OVERHEAD + 3)


# States


@pytest.mark.parametrize("state", [0, 2, 100])
def test_an_answer_of_another_state_is_not_found(shelf, state):
    shelf.keep("a", 1, an_answer())
    assert found(shelf, "a", state) is None
    assert found(shelf, "a", 1) == b"[]"


def test_the_first_answer_of_a_new_state_ends_all_of_the_old(shelf):
    shelf.keep("a", 1, an_answer(b"old" * 1000))
    shelf.keep("b", 1, an_answer(b"old" * 1000))
    shelf.keep("c", 2, an_answer(b"new"))
    assert [found(shelf, name, state) for name in "abc" for state in (1, 2)] == [None] * 5 + [b"new"]
    assert (len(shelf), shelf.held) == (1, OVERHEAD + 3)


def test_an_answer_of_a_state_that_is_over_is_not_kept(shelf):
    shelf.keep("a", 2, an_answer(b"new"))
    shelf.keep("a", 1, an_answer(b"old"))
    shelf.keep("b", 1, an_answer(b"old"))
    assert [found(shelf, name, state) for name in "ab" for state in (1, 2)] == [None, b"new", None, None]


# Time


@pytest.mark.parametrize(
    ("now", "holds"),
    [
        (NOON, True),
        (NOON + timedelta(minutes=59), True),
        (LATER - timedelta.resolution, True),
        (LATER, False),
        (LATER + timedelta(days=1), False),
        # The clock was set back: then it is a time that the answer was not made for.
        (NOON - timedelta.resolution, False),
    ],
)
def test_an_answer_holds_from_when_it_was_made_until_its_end(shelf, now, holds):
    shelf.keep("a", 1, an_answer())
    assert found(shelf, "a", now=now) == (b"[]" if holds else None)


def test_an_answer_that_ended_can_be_kept_anew(shelf):
    shelf.keep("a", 1, an_answer(b"old"))
    shelf.keep("a", 1, an_answer(b"new", made=LATER, until=LATER + timedelta(hours=1)))
    assert (found(shelf, "a", now=LATER), found(shelf, "a", now=NOON)) == (b"new", None)


# Bounds


def test_answers_go_in_the_order_of_their_last_use(shelf):
    names = [f"{number}" for number in range(8)]
    for name in names:
        shelf.keep(name, 1, an_answer(name.encode() * 10_000))
    for name in ("0", "2"):
        shelf.find(name, 1, NOON)
    gone = []
    for turn in range(4):
        shelf.keep(f"new {turn}", 1, an_answer(b"%d" % turn * 10_001))
        gone += [name for name in names if name not in gone and name not in shelf._answers]
    assert gone == ["1", "3", "4", "5"]


def test_one_that_is_looked_for_too_late_is_not_used(shelf):
    for name in "abcdefgh":
        shelf.keep(name, 1, an_answer(name.encode() * 10_000))
    assert found(shelf, "a", now=LATER) is None
    shelf.keep("new", 1, an_answer(b"n" * 10_000))
    assert found(shelf, "a") is None


@pytest.mark.parametrize(("length", "kept"), [(SIZE // 8, True), (SIZE // 8 + 1, False), (SIZE * 2, False)])
def test_one_answer_takes_an_eighth_at_most(shelf, length, kept):
    shelf.keep("small", 1, an_answer(b"small"))
    shelf.keep("large", 1, an_answer(b"x" * length))
    assert (found(shelf, "large") is not None) is kept
    assert found(shelf, "small") == b"small"


def test_headers_count_too(shelf):
    shelf.keep("a", 1, an_answer(headers=[("Link", "x" * 10_000)]))
    assert shelf.held >= 10_000 + OVERHEAD
    for number in range(50):
        shelf.keep(number, 1, an_answer(headers=[("Link", str(number).zfill(10_000))]))
    assert shelf.held <= SIZE
    assert len(shelf) < SIZE // 10_000


def test_an_answer_whose_headers_are_too_large_is_not_kept(shelf):
    shelf.keep("a", 1, an_answer(headers=[("Link", "x" * SIZE)]))
    assert (len(shelf), shelf.held) == (0, 0)


def test_a_shelf_for_nothing_keeps_nothing():
    shelf = LRUCache(10)
    shelf.keep("a", 1, an_answer(b""))
    assert (len(shelf), shelf.held, found(shelf, "a")) == (0, 0, None)


# Shared bodies


def test_a_body_that_answers_share_is_held_once(shelf):
    for name in "abc":
        shelf.keep(name, 1, an_answer(bytes(bytearray(b"x" * 10_000))))
    assert shelf.held == 3 * OVERHEAD + 10_000
    assert len({id(shelf.find(name, 1, NOON).body) for name in "abc"}) == 1


def test_a_shared_body_goes_with_the_last_answer_that_shows_it(shelf):
    for name in "ab":
        shelf.keep(name, 1, an_answer(b"x" * 10_000))
    shelf.keep("a", 1, an_answer(b"y"))
    assert (found(shelf, "b"), shelf.held) == (b"x" * 10_000, 2 * OVERHEAD + 10_001)
    shelf.keep("b", 1, an_answer(b"y"))
    assert shelf.held == 2 * OVERHEAD + 1


def test_what_is_counted_is_what_it_takes():
    shelf = LRUCache(64 * 2**20)
    names = ("Content-Type", "Content-Length", "ETag", "Allow", "Vary", "Cache-Control", "X-Total-Count")
    more = ("X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(500):
            headers = [(name, f"{number:040}") for name in (*names, *more)]
            shelf.keep(b"%032d" % number, 1, an_answer(b"%0500d" % number, headers=headers))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.6 * shelf.held < after - before < shelf.held


# Against a model

BODIES = [b"", b"a" * 100, b"b" * 4_000, b"c" * 6_000, b"d" * 12_500, b"e" * 12_501]
KEEP = st.tuples(
    st.integers(0, 9), st.integers(0, 3), st.sampled_from(BODIES), st.integers(0, 3), st.integers(0, 6)
)
FIND = st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 6))


@given(st.lists(KEEP | FIND, max_size=80))
def test_any_order_of_uses_keeps_what_a_plain_model_keeps(uses):
    shelf, model, state = LRUCache(SIZE // 4), OrderedDict(), -1
    shelf.largest = SIZE // 8
    for use in uses:
        if len(use) == 3:
            request, asked, minute = use
            now = NOON + timedelta(minutes=minute)
            body, made, until = model.get(request, (None, NOON, NOON)) if asked == state else (None, now, now)
            expected = body if made <= now < until else None
            if expected is not None:
                model.move_to_end(request)
            assert found(shelf, request, asked, now) == expected
        else:
            request, asked, body, made, until = use
            made, until = NOON + timedelta(minutes=made), NOON + timedelta(minutes=until)
            shelf.keep(request, asked, an_answer(body, made=made, until=until))
            if asked < state or len(body) > SIZE // 8:
                continue
            if asked > state:
                state = asked
                model.clear()
            model.pop(request, None)
            model[request] = (body, made, until)
            while weight(model) > SIZE // 4:
                model.popitem(last=False)
        assert (len(shelf), shelf.held) == (len(model), weight(model))


def weight(model):
    return len(model) * OVERHEAD + sum(len(body) for body in {body for body, _, _ in model.values()})


def test_threads_leave_the_count_right():
    shelf = LRUCache(SIZE)
    failures = []

    def use(seed):
        try:
            for turn in range(2000):
                number = (seed * 7919 + turn * 104_729) % 97
                shelf.keep(number, turn // 500, an_answer(b"%d" % (number % 13) * 2_000))
                body = found(shelf, number, turn // 500)
                assert body is None or body == b"%d" % (number % 13) * 2_000
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    bodies = {answer.body for answer in shelf._answers.values()}
    assert not failures
    assert shelf.held == len(shelf) * OVERHEAD + sum(map(len, bodies)) <= SIZE
    assert shelf._bodies.keys() == shelf._uses.keys() == bodies
