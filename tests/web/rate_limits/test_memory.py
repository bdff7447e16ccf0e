"""The counters of attempts and their sliding windows."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from logging import getLogger
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogapi.web.rate_limits import memory
from blogapi.web.rate_limits.memory import MemoryCounters, SlidingWindow
from blogapi.web.rate_limits.redis import RedisCounters


@pytest.fixture
def counters(limits_url, advance_clock):
    """Empty counters that use a clock set by the test."""
    return RedisCounters(limits_url, "secret", getLogger("test")) if limits_url else MemoryCounters()


def test_an_attempt_is_counted_either_for_all_limits_or_for_none(counters, advance_clock):
    two, four, none = ("A", "2 per minute", "a"), ("B", "4 per minute; 9 per hour", "b"), ("C", "", "c")
    assert [counters.count_attempts(two, four, none) for _ in range(3)] == [0, 0, 60]
    advance_clock(10)
    assert [counters.count_attempts(four) for _ in range(3)] == [0, 0, 50]
    assert [counters.count_attempts(none), counters.count_attempts()] == [0, 0]


def test_an_attempt_that_is_undone_is_not_counted(counters, advance_clock):
    attempts = [("A", "2 per minute; 3 per hour", "a"), ("B", "3 per minute", ("b", "c"))]
    counters.count_attempts(*attempts)
    advance_clock(10)
    counters.count_attempts(*attempts)
    counters.undo_attempts(*attempts)
    assert [counters.count_attempts(*attempts) for _ in range(2)] == [0, 50]
    counters.undo_attempts(("A", "5 per minute", "nobody"))
    assert counters.count_attempts(("A", "5 per minute", "nobody")) == 0


def test_remembers_returns_true_only_for_remembered_keys(counters):
    counters.remember_key(("ada", "192.0.2.1"))
    known = [counters.remembers_key(key) for key in (("ada", "192.0.2.1"), ("ada", "192.0.2.2"), "ada")]
    assert known == [True, False, False]


def test_the_least_recently_remembered_key_is_forgotten(monkeypatch):
    monkeypatch.setattr(memory, "MAX_TRACKED_KEYS", 2)
    counters = MemoryCounters()
    for key in ("a", "b", "a", "c"):
        counters.remember_key(key)
    assert [counters.remembers_key(key) for key in "abc"] == [True, False, True]


def test_counters_do_not_use_the_system_clock(monkeypatch):
    monkeypatch.setattr("time.time", lambda: pytest.fail("the system clock was used"))
    counters = MemoryCounters()
    assert [counters.count_attempts(("A", "1 per minute", "a")) > 0 for _ in range(2)] == [False, True]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    amount=st.integers(1, 5),
    pauses=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 9.5, 10.0]), max_size=60),
)
def test_no_window_ever_contains_more_attempts_than_the_limit(counters, advance_clock, amount, pauses):
    key, now, counted = uuid4().hex, 0.0, []
    for pause in pauses:
        now += pause
        advance_clock(pause)
        recent = [time for time in counted if time > now - 10]
        until = recent[0] + 10 if len(recent) == amount else now
        assert counters.count_attempts(("A", f"{amount} per 10 seconds", key)) == pytest.approx(until - now)
        if until == now:
            counted.append(now)


def test_concurrent_threads_do_not_exceed_the_limit(counters):
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: counters.count_attempts(("A", "50 per hour", "a")), range(400)))
    assert waits.count(0) == 50


def test_expired_keys_are_dropped():
    window = SlidingWindow(5, 60)
    for number in range(1000):
        window.add_attempt(f"192.0.2.{number}", now=number)
    assert len(window) == 60


def test_many_keys_do_not_fill_the_memory():
    window = SlidingWindow(5, 60, max_tracked=100)
    for number in range(1000):
        window.add_attempt("busy", now=0.0 if number < 3 else 1.0) if number % 50 == 0 else None
        window.add_attempt(number, now=1.0)
    assert len(window) == 100
    assert window.compute_wait("busy", 1.0) > 0


def test_one_key_needs_little_memory():
    window = SlidingWindow(100, 10)
    tracemalloc.start()
    try:
        for number in range(10_000):
            window.add_attempt("a", now=number / 10)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 20_000
