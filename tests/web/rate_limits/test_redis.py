"""Limits shared through Redis: exact while Redis responds, otherwise counted in each process separately."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle

import pytest
from redis import Redis, RedisError

from blogapi import clock
from blogapi.accounts.users import service as users
from blogapi.config import CannotStart
from blogapi.web.key_format import digest_token
from blogapi.web.rate_limits import limiter
from blogapi.web.rate_limits import redis as shared_counters
from tests.conftest import KEYS, TAGS
from tests.contracts.client import outcome
from tests.redis_servers import run_redis_server
from tests.serving.sockets import wait_until

LOGIN = "/api/v1/auth/login/"
GRACE = {"username": "grace", "password": "correct horse battery"}
WRONG = GRACE | {"password": "not the one"}
ATTEMPT = ("KEY_LIMIT", "3 per minute", "a")


@pytest.fixture
def own_redis(redis, tmp_path):
    """A Redis server for this test only, which the test may stop."""
    with run_redis_server(tmp_path) as own:
        yield own


@pytest.fixture
def make_counters(make_app):
    """Makes the counters of an application that uses the Redis server at a URL."""
    return lambda url: limiter.COUNTERS.get(make_app(LIMITS_URL=url))


@pytest.fixture
def grace_password(app, people):
    """Grace with a password."""
    with app.app_context():
        users.set_password(**GRACE)


@pytest.fixture
def steady_clock(monkeypatch):
    """The monotonic clock, as a list with one number that the test sets."""
    passed = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    return passed


@pytest.fixture
def redis_messages(caplog):
    """Returns the log messages about Redis."""
    return lambda: [line for line in caplog.messages if "Redis" in line]


@contextmanager
def silent_server():
    """Yield a server that accepts connections and never responds, and its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening, f"redis://127.0.0.1:{listening.getsockname()[1]}"


def from_address(address):
    return {"environ_base": {"REMOTE_ADDR": address}}


def log_in(client, body, address):
    return client.post(LOGIN, json=body, **from_address(address)).status_code


def read_all_keys(client):
    """Return all values in Redis by key."""
    lists = {name: client.lrange(name, 0, -1) for name in client.scan_iter(_type="list")}
    return {name: client.get(name) for name in client.scan_iter(_type="string")} | lists


def fail_with(error):
    """Return a function that raises the error."""

    def fail(*_, **__):
        raise error

    return fail


def wait_for_checks():
    """Wait until no thread checks whether Redis responds."""
    for thread in threading.enumerate():
        if thread.name == "check Redis":
            thread.join(30)


# Tests with a Redis server that responds


def test_two_servers_together_accept_exactly_as_many_requests_as_the_limit_allows(
    redis, make_app, make_client
):
    settings = {"LIMITS_URL": redis.url, "REQUEST_ADDRESS_LIMIT": "50 per hour"}
    clients = [make_client(make_app(**settings)) for _ in range(2)]
    turns = cycle(clients)
    with ThreadPoolExecutor(8) as pool:
        requests = [pool.submit(next(turns).get, TAGS, **from_address("192.0.2.1")) for _ in range(120)]
        found = [outcome(answer.result()) for answer in requests]
    assert Counter(found) == {(401, "key_missing"): 50, (429, "too_many_requests"): 70}
    assert outcome(clients[0].get(TAGS, **from_address("192.0.2.2"))) == (401, "key_missing")
    assert clients[1].get("/health").json["status"] == "ok"


def test_a_limit_that_is_used_up_on_one_server_applies_on_the_other_server(redis, make_app, make_client):
    one, other = (make_client(make_app(LIMITS_URL=redis.url, KEY_LIMIT="2 per minute")) for _ in range(2))
    assert [client.post(KEYS).status_code for client in (one, other, one, other)] == [201, 201, 429, 429]
    assert 1 <= int(other.post(KEYS).headers["Retry-After"]) <= 60


def test_a_client_that_logged_in_on_one_server_is_recognized_by_the_other_server(
    redis, make_app, make_client, grace_password
):
    settings = {"LIMITS_URL": redis.url, "LOGIN_STRANGERS_LIMIT": "2 per minute"}
    one, other = (make_client(make_app(**settings)) for _ in range(2))
    assert log_in(one, GRACE, "192.0.2.7") == 200
    assert [log_in(other, WRONG, f"198.51.100.{number}") for number in range(3)] == [401, 401, 429]
    assert [log_in(other, GRACE, address) for address in ("192.0.2.8", "192.0.2.7")] == [429, 200]


def test_two_blogs_in_one_redis_have_separate_counters(redis, make_app):
    for secret in ("x" * 32, "y" * 32):
        counted = limiter.COUNTERS.get(make_app(LIMITS_URL=redis.url, SECRET_KEY=secret))
        assert [counted.count_attempts(ATTEMPT) > 0 for _ in range(4)] == [False, False, False, True]


def test_redis_stores_only_digests_that_expire(redis, make_app, make_client, people, grace_password):
    app = make_app(LIMITS_URL=redis.url, REQUEST_KEY_LIMIT="9 per minute", REQUEST_ADDRESS_LIMIT="9 per hour")
    key = people.key(None)
    client = make_client(app, key)
    assert [log_in(client, body, "192.0.2.1") for body in (WRONG, GRACE)] == [401, 200]
    assert client.post(KEYS, **from_address("192.0.2.1")).status_code == 201
    kept = read_all_keys(redis.client)
    assert {name.split(":")[1] for name in kept} == {
        *("known", "KEY_LIMIT", "REQUEST_KEY_LIMIT", "REQUEST_ADDRESS_LIMIT"),
        *("LOGIN_ADDRESS_LIMIT", "LOGIN_ACCOUNT_LIMIT", "LOGIN_STRANGERS_LIMIT"),
    }
    for secret in ("grace", "192.0.2", key, digest_token(key), GRACE["password"], WRONG["password"]):
        assert secret not in repr(kept)
    for name in kept:
        prefix, what, *window, _ = name.split(":")
        longest = shared_counters.REMEMBER_SECONDS if what == "known" else int(window[1])
        assert prefix == "blogapi" and 0 < redis.client.ttl(name) <= longest


def test_a_window_stores_no_more_entries_than_the_limit(redis, make_counters):
    counted = make_counters(redis.url)
    counted.count_attempts(ATTEMPT)
    (name,) = redis.client.keys()
    redis.client.rpush(name, *["1"] * 2)
    assert counted.count_attempts(ATTEMPT) == 0
    assert redis.client.llen(name) == 3


def test_a_request_is_not_blocked_when_the_clock_of_redis_is_set_back(redis, make_counters):
    counted = make_counters(redis.url)
    counted.count_attempts(ATTEMPT)
    (name,) = redis.client.keys()
    redis.client.delete(name)
    redis.client.lpush(name, *[int(time.time() * 1000) + 10**9] * 3)
    assert counted.count_attempts(ATTEMPT) == 0


# Tests with a Redis server that does not respond


def test_each_process_uses_its_own_counters_until_redis_is_back(
    own_redis, make_counters, monkeypatch, redis_messages
):
    monkeypatch.setattr(shared_counters, "RETRY_SECONDS", 0)
    one, other = make_counters(own_redis.url), make_counters(own_redis.url)
    assert [each.count_attempts(ATTEMPT) > 0 for each in (one, other, one, other)] == [
        False,
        False,
        False,
        True,
    ]
    own_redis.stop()
    assert [one.count_attempts(ATTEMPT) > 0 for _ in range(4)] == [False, False, False, True]
    one.undo_attempts(ATTEMPT)
    assert [one.count_attempts(ATTEMPT) > 0 for _ in range(2)] == [False, True]
    one.remember_key("ada")
    assert (one.remembers_key("ada"), one.remembers_key("grace")) == (True, False)
    assert len(redis_messages()) == 1
    wait_for_checks()
    own_redis.start()
    # Redis restarts empty. Until the process notices this, its own counters refuse attempts.
    wait_until(lambda: one.count_attempts(ATTEMPT) == 0)
    assert [each.count_attempts(ATTEMPT) > 0 for each in (other, one)] == [False, False]
    assert one.count_attempts(ATTEMPT) > 0


def test_requests_are_served_without_redis(own_redis, make_app, make_client, people, grace_password):
    client = make_client(
        make_app(LIMITS_URL=own_redis.url, REQUEST_KEY_LIMIT="6 per minute"), people.key(None)
    )
    own_redis.stop()
    assert (client.get(TAGS).status_code, client.post(KEYS).status_code) == (200, 201)
    assert [log_in(client, body, "192.0.2.1") for body in (WRONG, GRACE)] == [401, 200]
    assert [client.get(TAGS).status_code for _ in range(3)] == [200, 200, 429]


def test_a_warning_is_logged_once_a_minute(own_redis, make_counters, steady_clock, redis_messages):
    counted = make_counters(own_redis.url)
    own_redis.stop()
    for lines, wait in ((1, 0), (1, 0.5), (1, 30), (1, 29), (2, 1), (2, 59), (3, 1)):
        steady_clock[0] += wait
        for _ in range(5):
            counted.count_attempts(ATTEMPT)
            wait_for_checks()
        assert len(redis_messages()) == lines
    assert f"127.0.0.1:{own_redis.port}" in redis_messages()[0]


def test_a_redis_that_does_not_respond_delays_only_one_request(make_counters, monkeypatch, steady_clock):
    monkeypatch.setattr(shared_counters, "TIMEOUT_SECONDS", 0.05)
    with silent_server() as (listening, url):
        counted = make_counters(url)
        assert [counted.count_attempts(ATTEMPT) > 0 for _ in range(4)] == [False, False, False, True]
        for _ in range(20):
            counted.undo_attempts(ATTEMPT)
            counted.remembers_key("ada")
        wait_for_checks()
        listening.accept()[0].close()
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_requests_do_not_wait_for_the_check_whether_redis_is_back(make_counters, monkeypatch, steady_clock):
    monkeypatch.setattr(shared_counters, "TIMEOUT_SECONDS", 0.05)
    with silent_server() as (_, url):
        counted = make_counters(url)
        counted.count_attempts(ATTEMPT)
        checks, may_return = [], threading.Event()
        monkeypatch.setattr(Redis, "ping", lambda _: checks.append(may_return.wait(30)))
        steady_clock[0] += shared_counters.RETRY_SECONDS
        assert [counted.count_attempts(ATTEMPT) > 0 for _ in range(3)] == [False, False, True]
        steady_clock[0] += 1000
        counted.count_attempts(ATTEMPT)
        may_return.set()
        wait_for_checks()
    assert checks == [True]


def test_redis_is_checked_again_after_a_check_could_not_start(
    redis, make_counters, monkeypatch, steady_clock
):
    counted = make_counters(redis.url)
    with monkeypatch.context() as patch:
        patch.setattr(counted, "_script", fail_with(RedisError("gone")))
        patch.setattr(threading.Thread, "start", fail_with(RuntimeError("can't start new thread")))
        for _ in range(3):
            assert counted.count_attempts(ATTEMPT) == 0
            steady_clock[0] += shared_counters.RETRY_SECONDS
    counted.count_attempts(ATTEMPT)
    wait_for_checks()
    assert counted.count_attempts(ATTEMPT) == 0 and len(read_all_keys(redis.client)) == 1


def test_a_full_redis_counts_as_unavailable(redis, make_counters, redis_messages):
    counted = make_counters(redis.url)
    counted.count_attempts(ATTEMPT)
    redis.client.config_set("maxmemory", "1")
    try:
        assert [counted.count_attempts(ATTEMPT) > 0 for _ in range(4)] == [False, False, False, True]
    finally:
        redis.client.config_set("maxmemory", "0")
    assert "maxmemory" in redis_messages()[0]


# Settings


@pytest.mark.parametrize(
    "url",
    [
        *(
            "127.0.0.1:6379",
            "http://127.0.0.1",
            "redis:/127.0.0.1",
            "redis://:secret@[::1",
            "redis://h:99999",
        ),
        *("redis://:secret@h:port/0", "redis://h?socket_timeout=long", "redis://h?unknown=1"),
        *("rediss://h?ssl_cert_reqs=perhaps", "redis://h?protocol=9", f"redis://{'h' * 64}", "redis://a..b"),
    ],
)
def test_an_unusable_url_prevents_the_start(make_app, url):
    with pytest.raises(CannotStart) as raised:
        make_app(LIMITS_URL=url)
    assert raised.value.message == "LIMITS_URL cannot be used; an example is redis://127.0.0.1:6379/0."


def test_a_missing_package_prevents_the_start(make_app, monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "blogapi.web.rate_limits.redis")
    with pytest.raises(CannotStart) as raised:
        make_app(LIMITS_URL="redis://127.0.0.1")
    assert raised.value.message == "LIMITS_URL needs the Python package redis; run pip install redis."
    make_app()


# The doctor command


def test_doctor_reports_whether_redis_responds(app, own_redis, make_app, instance):
    instance.chmod(0o700)
    without = app.test_cli_runner().invoke(args=["doctor"])
    assert (without.exit_code, "limits" in without.stdout) == (0, False)
    doctor = make_app(LIMITS_URL=own_redis.url).test_cli_runner().invoke
    well = doctor(args=["doctor"])
    assert (
        well.exit_code,
        "ok        limits: The rate limit counters are stored in Redis." in well.stdout,
    ) == (0, True)
    own_redis.stop()
    ill = doctor(args=["doctor"])
    assert ill.exit_code == 1
    assert "limits: Redis does not respond; each process counts requests in its own memory: " in ill.stdout
    assert "Do: start Redis, or correct LIMITS_URL." in ill.stdout
