"""Counting attempts against limits."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from blogapi.config import CannotStart
from blogapi.web.errors import NotFound, TooManyRequests, Unauthorized
from blogapi.web.rate_limits import limiter
from blogapi.web.rate_limits.limiter import get_address_key


@pytest.fixture
def make_limited_app(make_app, limits_url):
    """Makes applications with a limit, and pushes their application contexts."""
    contexts = []

    def make(rate):
        context = make_app(KEY_LIMIT=rate, LIMITS_URL=limits_url).app_context()
        context.push()
        contexts.append(context)

    yield make
    for context in reversed(contexts):
        context.pop()


IN_MEMORY = pytest.mark.parametrize("limits_url", ["memory"], indirect=True)


def is_refused(*key):
    try:
        limiter.count_attempts(("KEY_LIMIT", *key))
    except TooManyRequests:
        return True
    return False


def test_an_attempt_beyond_the_limit_is_refused(make_limited_app):
    make_limited_app("3 per minute")
    assert [is_refused("a") for _ in range(5)] == [False, False, False, True, True]


def test_each_key_has_its_own_count(make_limited_app):
    make_limited_app("1 per minute")
    keys = [("a",), ("b",), ("",), ("a/b",), ("b/a",), ("a", "b")]
    assert [is_refused(*key) for key in keys] == [False] * 6


def test_each_setting_has_its_own_count(make_limited_app):
    make_limited_app("1 per minute")
    limiter.count_attempts(("KEY_LIMIT", "a"))
    limiter.count_attempts(("LOGIN_ADDRESS_LIMIT", "a"))


def test_the_stricter_of_two_rates_applies(make_limited_app):
    make_limited_app("5 per second; 2 per hour")
    assert [is_refused("a") for _ in range(3)] == [False, False, True]


def test_if_one_of_several_attempts_is_refused_none_is_counted(make_limited_app):
    make_limited_app("2 per minute")
    limiter.count_attempts(("KEY_LIMIT", "a"))
    limiter.count_attempts(("KEY_LIMIT", "a"))
    for _ in range(5):
        with pytest.raises(TooManyRequests):
            limiter.count_attempts(("KEY_LIMIT", "b"), ("KEY_LIMIT", "a"))
    assert [is_refused("b") for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("error", [None, NotFound])
def test_an_attempt_that_does_not_fail_is_not_counted(make_limited_app, error):
    make_limited_app("1 per minute")
    for _ in range(5):
        with suppress(NotFound), limiter.count_failures(("KEY_LIMIT", "a")):
            if error:
                raise error("Nothing there.")
    assert not is_refused("a")


def test_a_failed_attempt_is_counted(make_limited_app):
    make_limited_app("1 per minute")
    with suppress(Unauthorized), limiter.count_failures(("KEY_LIMIT", "a")):
        raise Unauthorized("Nobody we know.")
    assert is_refused("a")


def test_an_attempt_in_progress_counts_as_failed(make_limited_app):
    make_limited_app("1 per minute")
    with limiter.count_failures(("KEY_LIMIT", "a")):
        assert is_refused("a")
    assert not is_refused("a")


@pytest.mark.parametrize(
    ("rate", "longest"), [("1 per 20 seconds", 20), ("1 per minute", 60), ("1 per 2 hours", 7200)]
)
def test_the_error_of_a_refused_attempt_contains_the_time_to_wait(
    make_limited_app, advance_clock, rate, longest
):
    make_limited_app(rate)
    limiter.count_attempts(("KEY_LIMIT", "a"))
    with pytest.raises(TooManyRequests) as error:
        limiter.count_attempts(("KEY_LIMIT", "a"))
    assert int(error.value.headers["Retry-After"]) == longest
    assert f"wait {longest} seconds" in error.value.detail
    advance_clock(longest)
    assert not is_refused("a")


@IN_MEMORY
def test_two_applications_have_separate_counters(make_limited_app):
    for _ in range(2):
        make_limited_app("1 per minute")
        assert not is_refused("a")


@IN_MEMORY
@pytest.mark.parametrize("days", [-1, 1])
def test_a_change_of_the_system_clock_does_not_affect_the_limits(
    make_limited_app, advance_clock, set_clock, days
):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    make_limited_app("2 per minute")
    set_clock(noon)
    assert [is_refused("a") for _ in range(3)] == [False, False, True]
    set_clock(noon + timedelta(days=days))
    assert is_refused("a")
    advance_clock(60)
    set_clock(noon)
    assert [is_refused("a") for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("", "", True),
        ("", "192.0.2.1", False),
    ],
)
def test_addresses_of_one_ipv6_network_share_a_key(one, other, same):
    assert (get_address_key(one) == get_address_key(other)) is same


@pytest.mark.parametrize("rate", ["", "many", "5", "5 per fortnight", "-1 per minute", "0 per day", 5, None])
def test_an_invalid_limit_prevents_the_start(make_app, rate):
    with pytest.raises(CannotStart, match="KEY_LIMIT"):
        make_app(KEY_LIMIT=rate)
