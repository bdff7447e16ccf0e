"""Where limits are counted: in memory, and in a Redis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogapi import clock
from blogapi.rate_limits import redis


@pytest.fixture(params=["memory", "redis"])
def limits_url(request: pytest.FixtureRequest) -> str:
    """The address of the Redis that counts; empty: the memory does."""
    return "" if request.param == "memory" else str(request.getfixturevalue("redis").url)


@pytest.fixture
def later(
    request: pytest.FixtureRequest, limits_url: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[float], None]:
    """Holds the clock of those who count, and lets seconds pass on it."""
    passed = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    if not limits_url:
        return lambda seconds: passed.append(passed.pop() + seconds)
    # What Redis would tell of its clock, it reads from two names here.
    told = redis._COUNT.replace("'TIME'", "'MGET', 'seconds', 'microseconds'")
    monkeypatch.setattr(redis, "_COUNT", told)
    client = request.getfixturevalue("redis").client

    def wait(seconds: float) -> None:
        passed[0] += seconds
        whole = int(passed[0])
        client.mset({"seconds": whole, "microseconds": round((passed[0] - whole) * 1_000_000)})

    wait(0)
    return wait
