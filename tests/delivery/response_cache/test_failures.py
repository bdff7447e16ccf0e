"""A failure of the application is not cached and does not block later requests."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from blogapi.content.articles.responses import article_bodies
from blogapi.delivery.response_cache import middleware
from tests.conftest import ARTICLES, TAGS
from tests.delivery.response_cache.cached_blog import call, make_environ
from tests.delivery.response_cache.conftest import ME


@pytest.fixture
def environ(cached_blog, people):
    """A request for the empty list of tags, whose response is not cached yet."""
    key = people.key(None)
    cached_blog.get(ME, key)
    return make_environ(TAGS, key)


def test_a_500_is_not_cached(cached_blog, people, monkeypatch):
    environ = make_environ(ARTICLES, people.key(None))
    with monkeypatch.context() as patch:
        patch.setattr(article_bodies, "list_published_items", lambda *_, **__: 1 / 0)
        statuses = [call(cached_blog.middleware, environ)[0] for _ in range(2)]
    assert statuses == ["500 INTERNAL SERVER ERROR"] * 2
    assert len(cached_blog.cache) == 0
    assert call(cached_blog.middleware, environ)[0] == "200 OK"
    assert len(cached_blog.cache) == 1


@pytest.mark.parametrize("exception", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_an_exception_of_the_application_is_not_cached(cached_blog, environ, exception):
    respond = cached_blog.application.respond

    def fail(environ, start_response):
        raise exception

    cached_blog.application.respond = fail
    with pytest.raises(exception):
        call(cached_blog.middleware, environ)
    cached_blog.application.respond = respond
    assert call(cached_blog.middleware, environ)[0] == "200 OK"
    assert len(cached_blog.cache) == 1


def test_an_interrupted_response_is_not_cached(cached_blog, environ):
    respond = cached_blog.application.respond

    def break_off(environ, start_response):
        environ[middleware.CACHEABLE_UNTIL_KEY] = middleware.NO_EXPIRY
        start_response("200 OK", [])
        return half_a_body()

    def half_a_body():
        yield b"half"
        raise RuntimeError

    cached_blog.application.respond = break_off
    with pytest.raises(RuntimeError):
        call(cached_blog.middleware, environ)
    assert len(cached_blog.cache) == 0
    cached_blog.application.respond = respond
    assert call(cached_blog.middleware, environ)[2] == b"[]"


def test_a_database_failure_after_the_response_is_computed_does_not_change_the_response(
    cached_blog, environ, monkeypatch
):
    def fail(now):
        raise OperationalError("", {}, Exception("the disk is gone"))

    with monkeypatch.context() as patch:
        patch.setattr(middleware, "get_next_publication_time", fail)
        assert call(cached_blog.middleware, environ)[2] == b"[]"
    assert len(cached_blog.cache) == 0
    assert call(cached_blog.middleware, environ)[2] == b"[]"
    assert len(cached_blog.cache) == 1
