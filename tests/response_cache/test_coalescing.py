"""Concurrent identical requests share one computation, and never wait for a slow client."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from blogapi import clock
from blogapi.response_cache import middleware
from blogapi.response_cache.lru_cache import GIVE_UP_KEY
from tests.conftest import ARTICLES, TAGS
from tests.databases import write_from_other_process
from tests.response_cache.cached_blog import (
    call,
    call_without_waiting,
    create_deleted_key,
    make_environ,
    open_response,
)
from tests.response_cache.conftest import ME

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
CLIENTS = 16


@pytest.fixture
def environ(cached_blog, people):
    """A request for the empty list of tags, whose response is not cached yet."""
    key = people.key(None)
    # This request stores the use of the key, so that no later request changes the database.
    cached_blog.get(ME, key)
    cached_blog.application.paths.clear()
    return make_environ(TAGS, key)


def call_from_all_clients(cached_blog, environ):
    """Send the request from many threads at the same time; return the distinct responses."""
    barrier = threading.Barrier(CLIENTS)

    def send(_):
        barrier.wait(60)
        return call(cached_blog.middleware, environ)

    with ThreadPoolExecutor(CLIENTS) as pool:
        responses = list(pool.map(send, range(CLIENTS), timeout=60))
    assert len(responses) == CLIENTS
    return {(status, tuple(headers), body) for status, headers, body in responses}


# Concurrent requests


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_concurrent_identical_requests_are_computed_once(cached_blog, people, make_article, delay):
    key = people.key(None)
    environ = make_environ(f"{ARTICLES}{make_article().uuid}/", key)
    cached_blog.get(ME, key)
    cached_blog.application.delay = delay
    for turn in range(10):
        write_from_other_process(
            cached_blog.app, "UPDATE account SET username = username || :turn", turn=str(turn)
        )
        cached_blog.application.paths.clear()
        assert len(call_from_all_clients(cached_blog, environ)) == 1
        assert len(cached_blog.application.paths) == 1


def test_concurrent_identical_requests_execute_statements_only_once(
    cached_blog, people, make_article, record_statements
):
    key = people.key(None)
    environ = make_environ(f"{ARTICLES}{make_article().uuid}/", key)
    cached_blog.get(ME, key)
    with record_statements() as seen:
        call_from_all_clients(cached_blog, environ)
    # The statements read the caller, the article, and the next publication time.
    assert len(seen) == 3


def test_requests_that_are_refused_do_not_wait_for_each_other(cached_blog):
    environ, respond = (
        make_environ(TAGS, create_deleted_key(cached_blog.app)),
        cached_blog.application.respond,
    )
    first, others, deadline = threading.Lock(), threading.Barrier(CLIENTS - 1), time.monotonic() + 60

    def respond_when_all_have_arrived(environ, start_response):
        if first.acquire(blocking=False):
            while cached_blog.middleware.waits < CLIENTS - 1 and time.monotonic() < deadline:
                time.sleep(0.001)
        else:
            others.wait(60)
        return respond(environ, start_response)

    cached_blog.application.respond = respond_when_all_have_arrived
    statuses = {status for status, *_ in call_from_all_clients(cached_blog, environ)}
    assert statuses == {"401 UNAUTHORIZED"}
    assert len(cached_blog.application.paths) == CLIENTS


def test_a_request_that_arrives_after_the_clock_was_set_back_gets_the_shared_response(
    cached_blog, people, set_clock
):
    set_clock(NOON)
    key = people.key(None)
    cached_blog.get(ME, key)
    respond, computing, may_respond = cached_blog.application.respond, threading.Event(), threading.Event()

    def respond_when_released(environ, start_response):
        computing.set()
        may_respond.wait(60)
        return respond(environ, start_response)

    cached_blog.application.respond = respond_when_released
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cached_blog.get, TAGS, key)
        assert computing.wait(60)
        set_clock(NOON - MINUTE)
        second = pool.submit(cached_blog.get, TAGS, key)
        time.sleep(0.1)
        set_clock(NOON)
        may_respond.set()
        assert second.result(60) == first.result(60)
    assert cached_blog.application.paths == [ME, TAGS]


def test_a_request_that_finds_a_response_in_the_cache_does_not_block_identical_requests(
    cached_blog, environ, make_article, monkeypatch, set_clock
):
    set_clock(NOON)
    make_article(status="scheduled", published_at=(NOON + MINUTE).isoformat())
    for _ in range(2):
        call(cached_blog.middleware, environ)
    cached_blog.application.paths.clear()
    # The first call of the clock returns an earlier time, as if the response had been computed later.
    times = iter([NOON - MINUTE])
    monkeypatch.setattr(clock, "now", lambda: next(times, NOON))
    assert call(cached_blog.middleware, environ)[2] == b"[]"
    assert cached_blog.application.paths == []
    monkeypatch.setattr(middleware, "WAIT_SECONDS", 0.01)
    set_clock(NOON + MINUTE)
    for _ in range(3):
        assert call(cached_blog.middleware, environ)[2] == b"[]"
    assert len(cached_blog.application.paths) == 1


# Slow clients


def test_a_client_that_disconnects_before_the_first_byte_does_not_block_other_requests(cached_blog, environ):
    open_response(cached_blog.middleware, environ).close()
    assert len(cached_blog.cache) == 0
    assert call_without_waiting(cached_blog.middleware, environ)[2] == b"[]"


def test_a_client_that_disconnects_during_a_streamed_response_does_not_block_other_requests(
    cached_blog, environ
):
    respond = cached_blog.application.respond

    def stream(environ, start_response):
        status, headers, body = call(respond, environ)
        start_response(status, [header for header in headers if header[0] != "Content-Length"])
        environ[middleware.CACHEABLE_UNTIL_KEY] = middleware.NO_EXPIRY
        return iter([body, b" ", b" "])

    cached_blog.application.respond = stream
    chunks = open_response(cached_blog.middleware, environ)
    assert next(chunks) == b"[]"
    chunks.close()
    assert len(cached_blog.cache) == 0
    assert b"".join(open_response(cached_blog.middleware, environ)) == b"[]  "


def test_a_client_that_reads_slowly_does_not_block_other_requests(cached_blog, environ):
    chunks = open_response(cached_blog.middleware, environ)
    assert next(chunks) == b"[]"
    assert call_without_waiting(cached_blog.middleware, environ)[2] == b"[]"
    chunks.close()


def test_a_client_that_the_server_considers_too_slow_does_not_block_other_requests(cached_blog, environ):
    slow = dict(environ)
    chunks = cached_blog.middleware(slow, lambda status, headers, *_: None)
    slow[GIVE_UP_KEY]()
    assert call_without_waiting(cached_blog.middleware, environ)[2] == b"[]"
    chunks.close()


def test_a_client_that_never_reads_blocks_other_requests_only_for_a_limited_time(
    cached_blog, environ, monkeypatch
):
    monkeypatch.setattr(middleware, "WAIT_SECONDS", 0.2)
    chunks = open_response(cached_blog.middleware, environ)
    assert call(cached_blog.middleware, environ)[2] == b"[]"
    assert cached_blog.middleware.waits == 1
    chunks.close()
