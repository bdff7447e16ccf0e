"""Host headers, redirects and caching headers."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from tests.conftest import ARTICLES, KEYS
from tests.contracts.client import SHARED_PATHS
from tests.security.conftest import full_text

EVIL = "evil.example"
HOSTS = [
    {"Host": EVIL, "X-Forwarded-Proto": "https"},
    {"X-Forwarded-Host": EVIL, "Forwarded": f"host={EVIL}", "X-Host": EVIL},
]


@pytest.mark.parametrize("headers", HOSTS, ids=lambda headers: " ".join(headers))
def test_no_response_repeats_the_host(as_admin, record_attempt, operations, headers):
    statuses = []
    for endpoint, method, path, body in operations:
        response = as_admin.open(path, method=method, json=body, headers=headers)
        record_attempt("admin", f"{method} {endpoint} with {headers}", response)
        assert EVIL not in full_text(response)
        assert response.status_code < 500
        statuses.append(response.status_code)
    assert sum(status < 400 for status in statuses) > 50


def test_the_link_header_contains_only_paths(as_admin, make_article, record_attempt):
    for _ in range(3):
        make_article()
    response = as_admin.get(f"{ARTICLES}?page=2&page_size=1", headers={"Host": EVIL})
    record_attempt("admin", "GET a page with another Host", response)
    assert re.findall("<([^>]*)>", response.headers["Link"]) and "://" not in response.headers["Link"]


@pytest.mark.parametrize(
    "end", ["", "/", "//", "//evil.example", "/..//evil.example", "?next=//evil.example"]
)
def test_no_path_is_redirected(as_admin, record_attempt, operations, end):
    for endpoint, method, path, _ in operations:
        if method == "GET":
            response = as_admin.get(f"{path.rstrip('/')}{end}")
            record_attempt("admin", f"GET {endpoint} with {end!r} at its end", response)
            assert not 300 <= response.status_code < 400 and "Location" not in response.headers


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "/%2f%2fevil.example", "/%0d%0aX-Evil:1"]
)
def test_no_unknown_path_is_redirected(as_stranger, record_attempt, path):
    # The test client reads the beginning of `//evil.example` as a host.
    environ = {"PATH_INFO": unquote(path)}
    response = as_stranger.get("/", environ_overrides=environ, headers={"Accept": "text/html"})
    record_attempt("stranger", f"GET {path}", response)
    assert response.status_code == 404 and "X-Evil" not in response.headers


@pytest.mark.parametrize("caller", ["as_stranger", "as_reader", "as_admin", "as_login"])
def test_shared_caches_may_store_only_what_is_the_same_for_everyone(
    request, record_attempt, operations, caller
):
    client = request.getfixturevalue(caller)
    for endpoint, method, path, body in operations:
        if endpoint == "auth.logout" and caller == "as_login":
            continue
        response = client.open(path, method=method, json=body)
        record_attempt(caller.removeprefix("as_"), f"cache {method} {endpoint}", response)
        cache_control = response.headers["Cache-Control"]
        if path.startswith(SHARED_PATHS) and response.status_code == 200:
            assert cache_control == "public, max-age=0, s-maxage=60, stale-while-revalidate=30"
            continue
        assert cache_control in ("private, no-cache", "no-store"), endpoint
        assert method == "GET" or cache_control == "no-store", endpoint
        assert "Expires" not in response.headers and "Age" not in response.headers
        if caller == "as_login" and endpoint.startswith(("articles", "tags", "auth.get_me")):
            assert "Cookie" in response.headers["Vary"]


def test_responses_with_secrets_are_marked_no_store(as_admin, blog, record_attempt):
    key = as_admin.post(KEYS)
    link = as_admin.post(f"{ARTICLES}{blog['draft']}/preview/")
    shown = as_admin.get(link.json["api_url"])
    for what, response in (("a new key", key), ("a new preview link", link), ("a preview", shown)):
        record_attempt("admin", f"cache {what}", response)
        assert (response.status_code // 100, response.headers["Cache-Control"]) == (2, "no-store")


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nSet-Cookie: x=1", "a%0d%0aX-Evil:%201"])
def test_a_parameter_cannot_inject_a_header(as_admin, record_attempt, value):
    response = as_admin.get(ARTICLES, query_string={"page": "1", "page_size": "1", "slug": value})
    record_attempt("admin", f"GET with {value!r}", response)
    assert response.status_code == 200
    assert "X-Evil" not in response.headers and "Set-Cookie" not in response.headers
