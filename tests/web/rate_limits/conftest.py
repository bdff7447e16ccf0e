"""Fixtures that run a test with counters in memory and with counters in Redis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogapi import clock
from blogapi.web.rate_limits import redis


@pytest.fixture(params=["memory", "redis"])
def limits_url(request: pytest.FixtureRequest) -> str:
    """The URL of the Redis server for the counters, or an empty string for counters in memory."""
    return "" if request.param == "memory" else str(request.getfixturevalue("redis").url)


@pytest.fixture
def advance_clock(
    request: pytest.FixtureRequest, limits_url: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[float], None]:
    """Stops the clock of the counters; returns a function that advances it by a number of seconds."""
    passed = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    if not limits_url:
        return lambda seconds: passed.append(passed.pop() + seconds)
    # Instead of its clock, Redis reads two keys that the test sets.
    script = redis.COUNT_SCRIPT.replace("'TIME'", "'MGET', 'seconds', 'microseconds'")
    monkeypatch.setattr(redis, "COUNT_SCRIPT", script)
    client = request.getfixturevalue("redis").client

    def wait(seconds: float) -> None:
        passed[0] += seconds
        now = int(passed[0])
        client.mset({"seconds": now, "microseconds": round((passed[0] - now) * 1_000_000)})

    wait(0)
    return wait
