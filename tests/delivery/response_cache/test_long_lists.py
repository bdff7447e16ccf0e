"""Lists that are streamed without a Content-Length header."""

from __future__ import annotations

from itertools import product

from tests.conftest import ARTICLES
from tests.delivery.response_cache.cached_blog import call, make_environ, open_response
from tests.delivery.response_cache.sockets import format_request, send_all
from tests.live_server import serve


def test_a_streamed_list_is_cached_if_it_is_small_enough(make_long_list):
    blog, key = make_long_list(content_length=1)
    responses = [blog.get(ARTICLES, key) for _ in range(3)]
    assert "Content-Length" not in dict(responses[0][1])
    assert len(responses[0][2]) < 2**17
    assert responses[0] == responses[1] == responses[2]
    assert len(blog.application.paths) == 1


def test_a_streamed_list_is_not_cached_if_it_is_too_large(make_long_list):
    blog, key = make_long_list(content_length=20_000)
    responses = [blog.get(ARTICLES, key) for _ in range(3)]
    assert len(responses[0][2]) > 2**17
    assert responses[0] == responses[1] == responses[2]
    assert (len(blog.application.paths), len(blog.cache)) == (3, 0)


def test_a_list_that_is_too_large_for_the_cache_is_computed_again(make_long_list):
    blog, key = make_long_list(content_length=20_000)
    environ = make_environ(ARTICLES, key)
    chunks = open_response(blog.middleware, environ)
    next(chunks), next(chunks)
    assert call(blog.middleware, environ)[0] == "200 OK"
    chunks.close()


def test_a_cached_response_has_the_same_headers_on_a_socket(make_long_list):
    blog, key = make_long_list(content_length=1)
    paths, conditions = (ARTICLES, f"{ARTICLES}?page=1"), ((), ("If-None-Match: *",))
    with serve(blog.app) as port:
        for path, condition, method in product(paths, conditions, ("GET", "HEAD")):
            blog.cache._evict_all()
            blog.application.paths.clear()
            request = format_request(method, path, key, "Connection: close", *condition)
            heads = [send_all(port, request).partition("\r\n\r\n")[0].split("\r\n") for _ in range(3)]
            # The framing of a streamed list, the date and the id of the request may differ.
            has_body = method == "GET" and not condition
            differing = (
                "Transfer-Encoding",
                "Date",
                "X-Request-Id",
                *(["Content-Length"] if has_body else []),
            )
            first, *others = [[line for line in head if not line.startswith(differing)] for head in heads]
            assert others == [first, first], request
            assert len(blog.application.paths) == 1, request
