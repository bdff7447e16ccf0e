"""The reads that are served from the cache, and the memory for their responses."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS, People
from tests.delivery.response_cache.cached_blog import call, make_environ, warm
from tests.delivery.response_cache.conftest import ME

CACHED_PATHS = [
    *(ARTICLES, f"{ARTICLES}?page=1&page_size=2", f"{ARTICLES}?q=words&fields=title"),
    *(f"{ARTICLES}{{article}}/", f"{ARTICLES}author/me/"),
    *(CATEGORIES, f"{CATEGORIES}{{category}}/", TAGS, f"{TAGS}{{tag}}/"),
]


def headers_but_request_id(response):
    return [(name, value) for name, value in response.headers if name != "X-Request-ID"]


@pytest.mark.parametrize("template", CACHED_PATHS)
def test_a_repeated_read_executes_no_sql_statement(
    as_admin, make_article, make_category, make_tag, get_counted, template
):
    category, tag = make_category(), make_tag()
    article = make_article(category=category, tags=(tag,))
    path = template.format(article=article.uuid, category=category.uuid, tag=tag.uuid)
    first = warm(as_admin, path)
    second, statements = get_counted(as_admin, path)
    assert (second.status, second.data) == (first.status, first.data)
    assert headers_but_request_id(second) == headers_but_request_id(first)
    assert (second.status_code, statements) == (200, 0)


def test_a_repeated_head_request_executes_no_sql_statement(as_reader, make_article, get_counted):
    make_article()
    get = warm(as_reader, ARTICLES)
    as_reader.head(ARTICLES)
    head, statements = get_counted(as_reader, ARTICLES, method="HEAD")
    assert (head.data, headers_but_request_id(head)) == (b"", headers_but_request_id(get))
    assert statements == 0


def test_a_repeated_304_executes_no_sql_statement(as_reader, make_article, get_counted):
    make_article()
    headers = {"If-None-Match": warm(as_reader, ARTICLES).headers["ETag"]}
    first = as_reader.get(ARTICLES, headers=headers)
    second, statements = get_counted(as_reader, ARTICLES, headers=headers)
    assert (second.status_code, second.data, statements) == (304, b"", 0)
    assert headers_but_request_id(second) == headers_but_request_id(first)
    assert as_reader.get(ARTICLES, headers={"If-None-Match": '"other"'}).status_code == 200
    assert as_reader.get(ARTICLES).status_code == 200


def test_a_body_that_several_callers_see_is_stored_once(
    as_reader, as_published_admin, as_member, make_article, cached_blog, get_counted
):
    make_article(content="x" * 10_000)
    clients = (as_reader, as_published_admin, as_member)
    for client in clients:
        client.get(ME)
    assert len({warm(client, ARTICLES).data for client in clients}) == 1
    assert len(cached_blog.cache) == 3
    assert cached_blog.cache.used_bytes < 20_000
    assert [get_counted(client, ARTICLES)[1] for client in clients] == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.once
def test_the_cache_megabytes_setting_limits_the_memory(make_app):
    app = make_app(CACHE_MEGABYTES=1)
    key, middleware = People(app).key(None), app.extensions["blogapi-response-cache"]
    cache, missing_pages = middleware.cache, middleware.missing_pages
    for number in range(200):
        # The Link header of the response repeats the query twice.
        query = f"page=1&tag={number}{f'&tag={number:0100}' * 25}"
        assert call(app.wsgi_app, make_environ(ARTICLES, key, query=query))[0] == "200 OK"
    assert cache.max_bytes + missing_pages.max_bytes == 2**20
    assert missing_pages.max_bytes == 2**20 // 10 and cache.max_response_bytes == cache.max_bytes // 8
    assert 50 < len(cache) < 199
    assert cache.used_bytes <= cache.max_bytes


def test_a_caller_that_changes_the_headers_does_not_change_the_cached_ones(cached_blog, people):
    environ = make_environ(TAGS, people.key(None))

    def add_header(status, headers, *_):
        headers.append(("X-Added", "yes"))

    for _ in range(3):
        assert b"".join(cached_blog.middleware(dict(environ), add_header)) == b"[]"
    assert "X-Added" not in dict(call(cached_blog.middleware, environ)[1])
    assert cached_blog.cache.hits > 0
