"""Addresses that anyone may read ignore unknown query parameters; the API refuses them."""

from __future__ import annotations

import pytest

from blogapi.delivery.response_cache import middleware
from tests.conftest import ARTICLES, TAGS
from tests.contracts.client import outcome
from tests.site.conftest import set_site

__all__ = ["set_site"]

PUBLIC = ["/feeds/rss.xml", "/feeds/atom.xml", "/feeds/feed.json", "/sitemap.xml", "/robots.txt"]
FEED = "/feeds/atom.xml"
# Unknown parameters, also repeated, without a name, and encoded bytes that are not UTF-8.
UNKNOWN = ["utm_source=x", "utm_source=a&utm_source=b", "page=2", "%ff=%00", "=", "&&"]


@pytest.fixture
def cache(app):
    """The response cache of the application."""
    return middleware.RESPONSE_CACHE.get(app).cache


@pytest.fixture
def blog(set_site, make_article, make_tag):
    """A site with an article that has a tag, and an article without it."""
    set_site(url="https://blog.example", service_url="https://api.example")
    make_article(title="Rye", tags=(make_tag("bread"),))
    make_article(title="Other")


@pytest.mark.parametrize("path", PUBLIC)
def test_unknown_parameters_change_nothing(as_stranger, blog, path):
    expected = as_stranger.get(path)
    for query in UNKNOWN:
        response = as_stranger.get(path, environ_overrides={"QUERY_STRING": query})
        assert (response.status_code, response.data) == (200, expected.data)
        assert response.headers["ETag"] == expected.headers["ETag"]
    assert as_stranger.head(f"{path}?fbclid=1").status_code == 200


@pytest.mark.parametrize("path", PUBLIC)
def test_unknown_parameters_are_no_part_of_the_cache_key(as_stranger, blog, cache, record_statements, path):
    assert as_stranger.get(path).status_code == 200
    before = len(cache), cache.used_bytes
    with record_statements() as statements:
        for number in range(50):
            assert as_stranger.get(f"{path}?utm_source={number}&{number}=1").status_code == 200
    assert (len(cache), cache.used_bytes, len(statements)) == (*before, 0)


def test_known_parameters_are_read_beside_unknown_ones(as_stranger, blog, cache, make_tag):
    expected = as_stranger.get(f"{FEED}?tag=bread")
    assert (b"Rye" in expected.data, b"Other" in expected.data) == (True, False)
    before = len(cache)
    for query in ("utm_x=1&tag=bread", "tag=bread&utm_x=1", "t%61g=br%65ad", "tag=bread#", "&tag=bread&"):
        assert as_stranger.get(f"{FEED}?{query}").data == expected.data
    assert len(cache) == before
    assert as_stranger.get(f"{FEED}?utm_x=1").data != expected.data
    assert outcome(as_stranger.get(f"{FEED}?utm_x=1&tag=nowhere")) == (404, "not_found")
    assert outcome(as_stranger.get(f"{FEED}?tag=a&utm_x=1&tag=b")) == (400, "invalid_query")


def test_a_slug_in_another_script_is_read_with_and_without_encoding(
    as_stranger, blog, make_article, make_tag
):
    make_article(title="Toast", tags=(make_tag("日本"),))
    for query in ("utm_x=1&tag=%E6%97%A5%E6%9C%AC", "tag=日本".encode().decode("latin-1")):
        response = as_stranger.get(FEED, environ_overrides={"QUERY_STRING": query})
        assert (response.status_code, b"Toast" in response.data) == (200, True)


@pytest.mark.parametrize("path", [ARTICLES, TAGS, "/api/v1/blog/redirects/", "/health", "/openapi.json"])
def test_the_api_refuses_unknown_parameters(as_admin, path):
    assert outcome(as_admin.get(f"{path}?utm_source=x")) == (400, "invalid_query")
