"""Servers that share a database send cached responses, and none that is too old."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from blogapi.accounts.api_keys import service as api_keys
from blogapi.delivery.response_cache.middleware import RESPONSE_CACHE
from blogapi.serving.limits import Limits
from blogapi.site.queries import get_site
from blogapi.storage.database import db, transaction
from tests.conftest import TAGS
from tests.databases import SERVER_URL
from tests.delivery.feeds.conftest import site
from tests.live_server import start_server
from tests.site.conftest import set_site
from tests.storage.test_commit_counter import TERMINATE_OTHERS

__all__ = ["set_site", "site"]

FEED, MINUTE = "/feeds/feed.json", 60_000

on_postgresql = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")


@pytest.fixture
def start(make_app: Callable[..., Any]) -> Iterator[Any]:
    """Starts a server of the blog; the writes of the fixtures are those of another server."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Any:
            app = make_app(**settings)
            server = stack.enter_context(start_server(app, limits=Limits(sweep=0.05)))
            connection = HTTPConnection("127.0.0.1", server.effective_port, timeout=60)
            stack.enter_context(closing(connection))

            def get(path: str, key: str | None = None) -> Any:
                connection.request("GET", path, headers={"X-API-KEY": key} if key else {})
                response = connection.getresponse()
                return SimpleNamespace(status=response.status, json=json.loads(response.read()))

            return SimpleNamespace(app=app, get=get)

        yield start


def get_from_cache(blog: Any, *arguments: Any) -> Any:
    """Repeat a request until its response comes from the cache; return it."""
    cache, deadline = RESPONSE_CACHE.get(blog.app).cache, time.monotonic() + 60
    while time.monotonic() < deadline:
        hits = cache.hits
        response = blog.get(*arguments)
        if cache.hits > hits:
            return response
    raise AssertionError("No response came from the cache.")


def test_a_key_that_another_server_deletes_is_refused_at_once(app, start, site, people):
    blog, key = start(CACHE_STALENESS_MS=MINUTE), people.key(None)
    assert get_from_cache(blog, TAGS, key).status == 200
    get_from_cache(blog, FEED)
    with app.app_context():
        api_keys.delete_key_unchecked(UUID(people.uuid(key)))
    assert blog.get(TAGS, key).status == 401


@pytest.mark.parametrize("staleness", [0, pytest.param(MINUTE, marks=pytest.mark.sqlite("is always strict"))])
def test_a_strict_server_shows_the_writes_of_others_at_once(start, site, set_site, staleness):
    blog = start(CACHE_STALENESS_MS=staleness)
    for title in ("One", "Two", "Three"):
        set_site(title=title)
        assert blog.get(FEED).json["title"] == title
        assert get_from_cache(blog, FEED).json["title"] == title


@on_postgresql
def test_with_staleness_the_writes_of_others_are_seen_later(start, site, set_site):
    blog = start(CACHE_STALENESS_MS=MINUTE)
    set_site(title="One")
    assert get_from_cache(blog, FEED).json["title"] == "One"
    set_site(title="Two")
    assert blog.get(FEED).json["title"] == "One"


@on_postgresql
def test_with_staleness_own_writes_are_seen_at_once(start, site):
    blog = start(CACHE_STALENESS_MS=MINUTE)
    get_from_cache(blog, FEED)
    for title in ("One", "Two"):
        with blog.app.app_context(), transaction():
            get_site().title = title
        assert blog.get(FEED).json["title"] == title


@on_postgresql
def test_a_version_is_read_again_when_it_is_too_old(start, site, set_site):
    blog = start(CACHE_STALENESS_MS=2)
    for title in ("One", "Two"):
        set_site(title=title)
        deadline = time.monotonic() + 60
        while blog.get(FEED).json["title"] != title:
            assert time.monotonic() < deadline


@on_postgresql
def test_a_lost_connection_is_replaced(app, start, people):
    blog, key = start(), people.key(None)
    get_from_cache(blog, TAGS, key)
    with app.app_context(), db.engine.connect() as connection:
        connection.execute(text(TERMINATE_OTHERS))
    assert blog.get(TAGS, key).status == 200
    assert get_from_cache(blog, TAGS, key).status == 200
