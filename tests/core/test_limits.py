"""Limits on how often something may be tried."""

from __future__ import annotations

import pytest

from blogapi.core import limits
from blogapi.core.errors import CannotStart, TooManyRequests


@pytest.fixture
def limited(make_app):
    """Makes applications with a limit, inside of their context."""
    contexts = []

    def make(rate):
        context = make_app(KEY_LIMIT=rate).app_context()
        context.push()
        contexts.append(context)

    yield make
    for context in reversed(contexts):
        context.pop()


def refused(act, *whom):
    try:
        act("KEY_LIMIT", *whom)
    except TooManyRequests:
        return True
    return False


def test_counting_refuses_one_too_many(limited):
    limited("3 per minute")
    assert [refused(limits.count, "a") for _ in range(5)] == [False, False, False, True, True]


def test_checking_counts_nothing(limited):
    limited("1 per minute")
    assert [refused(limits.check, "a") for _ in range(5)] == [False] * 5
    limits.count("KEY_LIMIT", "a")
    assert refused(limits.check, "a")


def test_each_has_a_count_of_their_own(limited):
    limited("1 per minute")
    assert [refused(limits.count, whom) for whom in ("a", "b", "", "a/b", "b/a")] == [False] * 5


def test_each_setting_has_a_count_of_its_own(limited):
    limited("1 per minute")
    limits.count("KEY_LIMIT", "a")
    limits.count("LOGIN_ADDRESS_LIMIT", "a")


def test_of_two_rates_the_stricter_one_counts(limited):
    limited("5 per second; 2 per hour")
    assert [refused(limits.count, "a") for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(
    ("rate", "longest"), [("1 per second", 1), ("1 per minute", 60), ("1 per 2 hours", 7200)]
)
def test_a_refusal_says_how_long_to_wait(limited, rate, longest):
    limited(rate)
    limits.count("KEY_LIMIT", "a")
    with pytest.raises(TooManyRequests) as error:
        limits.count("KEY_LIMIT", "a")
    seconds = int(error.value.headers["Retry-After"])
    assert max(1, longest - 5) <= seconds <= longest
    assert f"wait {seconds} seconds" in error.value.detail


def test_two_applications_count_apart(limited):
    for _ in range(2):
        limited("1 per minute")
        assert not refused(limits.count, "a")


@pytest.mark.parametrize("rate", ["", "many", "5", "5 per fortnight", "-1 per minute", 5, None])
def test_an_impossible_limit_does_not_start(make_app, rate):
    with pytest.raises(CannotStart, match="KEY_LIMIT"):
        make_app(KEY_LIMIT=rate)
