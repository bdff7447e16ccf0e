"""The differences between requests that the cache takes into account."""

from __future__ import annotations

from werkzeug.http import parse_accept_header

from blogapi.delivery.response_cache import middleware
from tests.conftest import ARTICLES, TAGS, People
from tests.contracts.client import outcome
from tests.delivery.response_cache.cached_blog import add_cache, call, make_environ, warm

FRONT, EVIL = "https://front.example", "https://evil.example"


def test_a_different_order_of_parameters_is_cached_separately(as_reader, make_article, get_counted):
    make_article()
    first = warm(as_reader, f"{ARTICLES}?page=1&page_size=5")
    other, statements = get_counted(as_reader, f"{ARTICLES}?page_size=5&page=1")
    assert (other.data, statements > 0) == (first.data, True)


def test_a_path_without_its_slash_is_cached_separately(as_reader, make_article, get_counted):
    make_article()
    with_slash = warm(as_reader, f"{TAGS}?page=1")
    without = warm(as_reader, f"{TAGS[:-1]}?page=1")
    assert f"<{TAGS}?" in with_slash.headers["Link"]
    assert f"<{TAGS[:-1]}?" in without.headers["Link"]
    assert get_counted(as_reader, f"{TAGS[:-1]}?page=1")[0].headers["Link"] == without.headers["Link"]


def test_headers_that_the_application_ignores_do_not_change_the_cache_key(as_reader, get_counted):
    warm(as_reader, TAGS)
    for headers in ({"Accept": "text/html"}, {"User-Agent": "x"}, {"Cookie": "a=b"}, {"Range": "bytes=0-1"}):
        response, statements = get_counted(as_reader, TAGS, headers=headers)
        assert (response.status_code, response.json, statements) == (200, [], 0)


def test_a_very_long_accept_header_is_not_parsed(as_stranger, monkeypatch):
    lengths = []

    def parse(value, *rest):
        lengths.append(len(value or ""))
        return parse_accept_header(value, *rest)

    monkeypatch.setattr(middleware, "parse_accept_header", parse)
    assert as_stranger.get("/", headers={"Accept": "text/html"}).status_code == 302
    for filler, status in ((10, 302), (5_000, 200)):
        header = f"text/html,{'a,' * filler}b"
        assert as_stranger.get("/", headers={"Accept": header}).status_code == status
    assert lengths and max(lengths) <= 1_000


def test_each_origin_gets_its_own_response(make_app, monkeypatch):
    app = make_app(CORS_ORIGINS=FRONT)
    key, cached = People(app).key(None), add_cache(app, monkeypatch)
    for _ in range(3):
        for headers, allowed in (({"Origin": FRONT}, FRONT), ({"Origin": EVIL}, None), ({}, FRONT)):
            response = cached.get(TAGS, key, **headers)
            assert dict(response[1]).get("Access-Control-Allow-Origin") == allowed
            assert response == call(cached.application.respond, make_environ(TAGS, key, **headers))
    assert len(cached.application.paths) == 3


def test_each_host_gets_its_own_response(cached_blog, people):
    key = people.key(None)
    for _ in range(3):
        for host in ("a.example", "b.example"):
            assert cached_blog.get(TAGS, key, Host=host)[0] == "200 OK"
    assert len(cached_blog.application.paths) == 2


def test_a_key_takes_precedence_over_a_login(as_login, people):
    headers = {"X-API-KEY": people.key(people.member)}
    own = f"{ARTICLES}author/me/"
    assert as_login.get(own).status_code == 200
    assert [as_login.get(own, headers=headers).status_code for _ in range(2)] == [403, 403]
    assert warm(as_login, TAGS, headers=headers).headers.getlist("Set-Cookie") == []


def test_no_caller_gets_the_response_of_another_caller(
    as_reader, as_published_admin, as_member, as_admin, as_stranger, make_article
):
    draft = f"{ARTICLES}{make_article(status='draft').uuid}/"
    others = (as_reader, as_published_admin, as_member, as_stranger)
    for _ in range(3):
        assert as_admin.get(draft).status_code == 200
        assert [client.get(draft).status_code for client in others] == [404, 404, 404, 401]
        assert as_admin.get(f"{ARTICLES}author/me/").status_code == 200
        assert outcome(as_member.get(f"{ARTICLES}author/me/")) == (403, "forbidden")
        assert outcome(as_published_admin.get(f"{ARTICLES}author/me/"))[0] == 403
