"""What a request says of the host, and what an answer tells caches and browsers."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, KEYS
from tests.security.conftest import told

EVIL = "evil.example"
HOSTS = [
    {"Host": EVIL},
    {"X-Forwarded-Host": EVIL},
    {"Forwarded": f"host={EVIL}"},
    {"X-Host": EVIL},
    {"Host": EVIL, "X-Forwarded-Proto": "https"},
]


@pytest.mark.parametrize("headers", HOSTS, ids=lambda headers: " ".join(headers))
def test_no_answer_repeats_a_host(as_admin, attempt, operations, headers):
    for endpoint, method, path, body in operations:
        answer = as_admin.open(path, method=method, json=body, headers=headers)
        attempt("admin", f"{method} {endpoint} with {headers}", answer)
        assert EVIL not in told(answer)
        assert answer.status_code < 500


def test_a_page_links_to_paths_alone(as_admin, make_article, attempt):
    for _ in range(3):
        make_article()
    answer = as_admin.get(f"{ARTICLES}?page=2&page_size=1", headers={"Host": EVIL})
    attempt("admin", "GET a page with another Host", answer)
    assert re.findall("<([^>]*)>", answer.headers["Link"]) and "://" not in answer.headers["Link"]


@pytest.mark.parametrize(
    "end", ["", "/", "//", "//evil.example", "/..//evil.example", "?next=//evil.example"]
)
def test_no_path_is_redirected(as_admin, attempt, operations, end):
    for endpoint, method, path, _ in operations:
        if method == "GET":
            answer = as_admin.get(f"{path.rstrip('/')}{end}")
            attempt("admin", f"GET {endpoint} with {end!r} at its end", answer)
            assert not 300 <= answer.status_code < 400 and "Location" not in answer.headers


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "/%2f%2fevil.example", "/%0d%0aX-Evil:1"]
)
def test_no_unknown_path_is_redirected(as_stranger, attempt, path):
    answer = attempt("stranger", f"GET {path}", as_stranger.get(path))
    assert answer.status_code == 404 and "X-Evil" not in answer.headers


@pytest.mark.parametrize("who", ["as_stranger", "as_reader", "as_admin", "as_login"])
def test_no_answer_is_for_a_shared_cache(request, attempt, operations, who):
    client = request.getfixturevalue(who)
    for endpoint, method, path, body in operations:
        if endpoint == "auth.logout" and who == "as_login":
            continue
        answer = client.open(path, method=method, json=body)
        attempt(who.removeprefix("as_"), f"cache {method} {endpoint}", answer)
        told_caches = answer.headers["Cache-Control"]
        assert told_caches in ("private, no-cache", "no-store"), endpoint
        assert method == "GET" or told_caches == "no-store", endpoint
        assert "Expires" not in answer.headers and "Age" not in answer.headers
        if who == "as_login" and endpoint.startswith(("articles", "tags", "auth.me")):
            assert "Cookie" in answer.headers["Vary"]


def test_secrets_are_stored_by_nobody(as_admin, blog, attempt):
    key = as_admin.post(KEYS)
    link = as_admin.post(f"{ARTICLES}{blog['draft']}/preview/")
    shown = as_admin.get(link.json["url"])
    for what, answer in (("a new key", key), ("a new preview link", link), ("a preview", shown)):
        attempt("admin", f"cache {what}", answer)
        assert (answer.status_code // 100, answer.headers["Cache-Control"]) == (2, "no-store")


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nSet-Cookie: x=1", "a%0d%0aX-Evil:%201"])
def test_nothing_that_is_sent_becomes_a_header(as_admin, attempt, value):
    answer = as_admin.get(ARTICLES, query_string={"page": "1", "page_size": "1", "slug": value})
    attempt("admin", f"GET with {value!r}", answer)
    assert "X-Evil" not in answer.headers and "Set-Cookie" not in answer.headers
