"""Cached responses to requests without a key, with the setting PUBLIC_READS."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi import clock
from tests.conftest import ARTICLES, TAGS, People
from tests.delivery.response_cache.cached_blog import add_cache, call, create_deleted_key, make_environ

PUBLIC, PRIVATE = "public, max-age=0, s-maxage=60, stale-while-revalidate=30", "private, no-cache"


@pytest.fixture
def public_blog(make_app, monkeypatch):
    return add_cache(make_app(PUBLIC_READS=True), monkeypatch)


def get_caching(response):
    return response[0][:3], dict(response[1])["Cache-Control"]


def test_responses_without_a_key_are_cached(public_blog):
    for path in (TAGS, TAGS.rstrip("/"), ARTICLES):
        found = [public_blog.get(path) for _ in range(3)]
        assert found[0] == found[1] == found[2]
        assert get_caching(found[0]) == ("200", PUBLIC)
    assert public_blog.application.paths == [TAGS, TAGS.rstrip("/"), ARTICLES]


def test_each_caller_gets_their_own_response(public_blog, log_in):
    people = People(public_blog.app)
    key, deleted = people.key(None), create_deleted_key(public_blog.app)
    cookie = {"Cookie": "blogapi_session=forged"}
    requests = [
        (None, {}, ("200", PUBLIC)),
        (key, {}, ("200", PRIVATE)),
        (deleted, {}, ("401", PRIVATE)),
        (None, {"X-API-KEY": ""}, ("401", PRIVATE)),
        (None, cookie, ("401", PRIVATE)),
        (key, cookie, ("200", PRIVATE)),
        (None, {"Cookie": "theme=dark"}, ("200", PUBLIC)),
    ]
    for _ in range(2):
        for order in (requests, requests[::-1]):
            for value, headers, expected in order:
                found = public_blog.get(TAGS, value, **headers)
                assert get_caching(found) == expected
                direct = call(public_blog.application.respond, make_environ(TAGS, value, **headers))
                assert found == direct


def test_a_login_is_never_answered_from_the_cache(public_blog, log_in):
    people = People(public_blog.app)
    client = log_in(people.admin)
    public_blog.get(TAGS)
    for _ in range(2):
        response = client.get(TAGS, base_url="http://localhost")
        assert response.headers["Cache-Control"] == PRIVATE


def test_without_the_setting_nothing_is_cached_without_a_key(make_app, monkeypatch):
    blog = add_cache(make_app(), monkeypatch)
    assert [get_caching(blog.get(TAGS)) for _ in range(2)] == [("401", PRIVATE)] * 2
    assert blog.application.paths == [TAGS, TAGS] and not len(blog.cache)


def test_an_error_is_not_cached(public_blog):
    path = f"{ARTICLES}missing/"
    assert [get_caching(public_blog.get(path)) for _ in range(2)] == [("404", PRIVATE)] * 2
    assert public_blog.application.paths == [path, path]


def test_only_a_write_that_readers_can_see_drops_a_response(public_blog):
    people, client = People(public_blog.app), public_blog.app.test_client()
    headers = {"X-API-KEY": people.key(people.admin, "write")}
    draft = client.post(ARTICLES, json={"title": "A"}, headers=headers).headers["Location"]
    public_blog.get(TAGS)
    for status, requests in (("draft", 1), ("published", 2)):
        changed = client.patch(draft, json={"title": "B", "status": status}, headers=headers)
        assert changed.status_code == 200
        assert get_caching(public_blog.get(TAGS)) == ("200", PUBLIC)
        assert public_blog.application.paths.count(TAGS) == requests


def test_an_article_appears_when_it_is_due(public_blog, set_clock):
    people, start = People(public_blog.app), datetime(2026, 5, 1, tzinfo=UTC)
    set_clock(start)
    client = public_blog.app.test_client()
    body = {"title": "A", "status": "published", "published_at": "2026-05-01T01:00:00Z"}
    headers = {"X-API-KEY": people.key(people.admin, "write")}
    path = client.post(ARTICLES, json=body, headers=headers).headers["Location"]
    for _ in range(2):
        assert public_blog.get(ARTICLES)[2] == b"[]"
        assert public_blog.get(path)[0].startswith("404")
    set_clock(clock.now() + timedelta(hours=1))
    assert public_blog.get(path)[0].startswith("200") and public_blog.get(ARTICLES)[2] != b"[]"
