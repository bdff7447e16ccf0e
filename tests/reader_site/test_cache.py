"""Stored pages: they are the same for everyone, and none is out of date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi.site import service
from tests.conftest import ARTICLES
from tests.delivery.response_cache.cached_blog import add_cache, call, make_environ
from tests.reader_site.conftest import BROWSER

SITE = "/api/v1/blog/site/"


@pytest.fixture
def blog(app, turn_on, make_article, monkeypatch):
    """The site with an article, behind an empty cache."""
    turn_on()
    make_article(title="Hello")
    return add_cache(app, monkeypatch)


def get(blog, path, **headers):
    path, _, query = path.partition("?")
    return blog.get(path, query=query, **(BROWSER | headers))


def get_status(response):
    return response[0][:3]


def test_pages_and_missing_pages_are_stored(blog):
    for path in ("/", "/hello/", "/archive/", "/category/shelf/", "/search/", "/zzz/", "/hello"):
        found = [get(blog, path) for _ in range(3)]
        assert found[0][2] == found[1][2] == found[2][2]
    assert blog.application.paths.count("/zzz/") == blog.application.paths.count("/") == 1
    assert len(blog.application.paths) == 7


def test_a_cookie_does_not_change_a_page_and_a_key_is_not_stored(blog, people):
    key, plain = people.key(people.admin), get(blog, "/")
    for headers in ({"Cookie": "blogapi_session=forged"}, {"X-API-KEY": key}, {"X-API-KEY": "wrong"}):
        assert get(blog, "/", **headers)[2] == plain[2]
    assert len(blog.application.paths) == 3, "only the requests with a key were computed again"
    assert len(blog.cache) == 1


def test_searches_are_neither_stored_nor_looked_up(blog):
    for _ in range(2):
        assert "1 result" in get(blog, "/search/?q=hello")[2].decode()
    assert len(blog.application.paths) == 2 and len(blog.cache) == 0


def test_the_root_is_stored_in_each_form(blog):
    for _ in range(2):
        home, paths = get(blog, "/"), blog.get("/", Accept="application/json")
        assert home[2].startswith(b"<!DOCTYPE html>") and paths[2].startswith(b"{")


def test_a_page_over_tls_has_its_own_policy(blog):
    for scheme, upgrades in [("http", False), ("https", True)] * 2:
        environ = make_environ("/", **BROWSER)
        environ["wsgi.url_scheme"] = scheme
        headers = dict(call(blog.middleware, environ)[1])
        assert ("upgrade-insecure-requests" in headers["Content-Security-Policy"]) is upgrades
    assert len(blog.application.paths) == 2


@pytest.mark.no_database
def test_missing_pages_take_a_tenth_of_the_cache(blog, monkeypatch):
    missing, others = blog.middleware.missing_pages, blog.cache
    assert missing.max_bytes == pytest.approx((missing.max_bytes + others.max_bytes) / 10, abs=10)
    monkeypatch.setattr(missing, "max_bytes", 50_000)
    get(blog, "/")
    for number in range(100):
        assert get_status(get(blog, f"/missing-{number}/")) == "404"
    assert 0 < missing.used_bytes <= 50_000 and 0 < len(missing) < 100
    assert len(others) == 1


def test_a_path_that_was_never_asked_for_costs_four_statements(blog, record_statements):
    get(blog, "/missing/")
    with record_statements() as executed:
        assert get_status(get(blog, "/another/")) == "404"
    assert len(executed) <= 4


def test_no_page_is_out_of_date(blog, as_admin, as_login, make_article, make_tag, set_clock):
    """Each change of the blog shows in the next answer."""

    def change(method, path, body, shown, where):
        assert shown not in get(blog, where)[2].decode(), "not before the change"
        answer = method(path, json=body)
        assert answer.status_code in (200, 201, 204), answer.text
        assert shown in get(blog, where)[2].decode()
        return answer

    article = change(as_admin.post, ARTICLES, {"title": "New", "status": "published"}, ">New<", "/").json
    own = f"{ARTICLES}{article['uuid']}/"
    change(as_admin.patch, own, {"title": "Newer"}, ">Newer<", "/")
    change(as_admin.patch, own, {"content": "Rye bread"}, "Rye bread", "/new/")
    change(as_login.patch, SITE, {"navigation": [{"label": "Menu card", "url": "/m/"}]}, "Menu card", "/zzz/")
    tag = change(as_admin.post, "/api/v1/blog/tags/", {"name": "Rye"}, ">Rye<", "/tag/rye/").json
    change(as_admin.patch, f"/api/v1/blog/tags/{tag['uuid']}/", {"description": "Dark"}, "Dark", "/tag/rye/")
    page = {"title": "About", "status": "published"}
    change(as_admin.post, "/api/v1/blog/pages/", page, ">About<", "/hello/")
    redirect = {"path": "/old/", "status": 410}
    change(as_login.post, "/api/v1/blog/redirects/own/", redirect, "This page is gone", "/old/")
    assert ">Newer<" in get(blog, "/")[2].decode()
    assert as_admin.delete(own).status_code == 204
    assert ">Newer<" not in get(blog, "/")[2].decode() and get_status(get(blog, "/new/")) == "404"
    later = datetime.now(UTC) + timedelta(hours=1)
    make_article(title="Tomorrow", status="published", published_at=later.isoformat())
    assert "Tomorrow" not in get(blog, "/")[2].decode() and "Tomorrow" not in get(blog, "/zzz/")[2].decode()
    set_clock(later + timedelta(seconds=1))
    assert "Tomorrow" in get(blog, "/")[2].decode() and "Tomorrow" in get(blog, "/zzz/")[2].decode()
    assert as_login.patch(SITE, json={"built_in": False}).status_code == 200
    assert get_status(get(blog, "/")) == "302" and get_status(get(blog, "/archive/")) == "404"


def test_a_write_that_readers_cannot_see_keeps_the_pages(blog, as_admin, make_article):
    draft = f"{ARTICLES}{make_article(title='Secret', status='draft').uuid}/"
    for title in ("Other", "Another"):
        assert as_admin.patch(draft, json={"title": title}).status_code == 200
        assert [get_status(get(blog, path)) for path in ("/", "/zzz/")] == ["200", "404"]
    assert blog.application.paths.count("/") == blog.application.paths.count("/zzz/") == 1


def test_an_answer_of_the_api_never_comes_from_a_page(make_app, monkeypatch, log_in, people):
    """With PUBLIC_READS and the site on, a login gets its own answers, and a stranger theirs."""
    app = make_app(PUBLIC_READS=True)
    with app.app_context():
        service.change_site({"url": "https://blog.example", "built_in": True})
    client = log_in(people.admin)
    cookie = {"Cookie": f"blogapi_session={client.get_cookie('blogapi_session').value}"}
    blog = add_cache(app, monkeypatch)
    lists = ("articles", "pages", "categories", "tags", "authors", "site", "redirects", "archive", "changes")
    paths = [*(f"/api/v1/blog/{name}/" for name in lists), "/preview/x", "/api/v1/auth/me/"]
    requests = [(path, {"Accept": accept}) for path in paths for accept in ("*/*", "application/json")]
    requests += [("/", {"Accept": accept}) for accept in ("*/*", "text/html", "application/json", "")]
    for path, headers in requests:
        for own in ({}, cookie, {}):
            found = blog.get(path, **headers, **own)
            direct = call(blog.application.respond, make_environ(path, **headers, **own))
            assert (found[0], found[2]) == (direct[0], direct[2]), (path, headers, own)
