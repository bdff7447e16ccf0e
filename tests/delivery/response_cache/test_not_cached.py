"""The responses that are never cached."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, KEYS, TAGS
from tests.delivery.response_cache.cached_blog import create_deleted_key, warm
from tests.delivery.response_cache.conftest import ME

NOT_CACHED = [
    *((ME, 200), (KEYS, 200), ("/api/v1/blog/changes/", 200), ("/api/v1/blog/redirects/", 200)),
    *(("/health/", 200), ("/openapi.json", 200), ("/docs/", 200)),
    *((f"{ARTICLES}{{article}}/revisions/", 200), (f"{ARTICLES}{{article}}/preview/", 200)),
    *(
        ("{link}", 200),
        ("{page}", 200),
        ("/nowhere", 404),
        (f"{ARTICLES}{KEYS.encode().hex()}/", 404),
        (f"{TAGS}x/", 404),
    ),
    *((f"{TAGS}?x=1", 400), (f"{ARTICLES}?page=0", 400), ("/api/v1/auth/login/", 405)),
]


@pytest.mark.parametrize("caller", ["as_stranger", "as_login"])
@pytest.mark.parametrize("path", [ARTICLES, TAGS, ME, "/health/", "/nowhere"])
def test_a_response_to_a_caller_without_a_key_is_not_cached(request, cached_blog, caller, path):
    client = request.getfixturevalue(caller)
    responses = [client.get(path) for _ in range(3)]
    assert len({response.status_code for response in responses}) == 1
    assert len(cached_blog.cache) == 0


def test_a_response_to_a_wrong_key_is_not_cached(app, as_stranger, cached_blog):
    for key in ("", "x", create_deleted_key(app)):
        for _ in range(3):
            assert as_stranger.get(ARTICLES, headers={"X-API-KEY": key}).status_code == 401
    assert len(cached_blog.cache) == 0


@pytest.mark.parametrize(("template", "status"), NOT_CACHED)
def test_other_resources_and_errors_are_not_cached(as_admin, make_article, cached_blog, template, status):
    article = make_article().uuid
    links = as_admin.post(f"{ARTICLES}{article}/preview/").json
    path = template.format(article=article, link=links["api_url"], page=links["url"])
    for method in ("GET", "HEAD"):
        assert {as_admin.open(path, method=method).status_code for _ in range(3)} == {status}
    assert len(cached_blog.cache) == 0


def test_a_403_is_not_cached(as_member, cached_blog):
    assert {as_member.get(f"{ARTICLES}author/me/").status_code for _ in range(3)} == {403}
    assert len(cached_blog.cache) == 0


def test_a_write_is_not_cached(as_admin, cached_blog):
    names = [as_admin.post(TAGS, json={"name": f"tag {number}"}).json["name"] for number in range(3)]
    assert (names, len(cached_blog.cache)) == (["tag 0", "tag 1", "tag 2"], 0)


def test_a_read_with_a_body_bypasses_the_cache(as_reader, cached_blog):
    warm(as_reader, TAGS)
    stored, passed = len(cached_blog.cache), len(cached_blog.application.paths)
    for _ in range(2):
        as_reader.get(TAGS, json={})
        as_reader.get(TAGS, headers={"Transfer-Encoding": "chunked"})
    assert (len(cached_blog.cache), len(cached_blog.application.paths) - passed) == (stored, 4)
