"""Inner requests to the API, and the bearer token of clients of other protocols."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from werkzeug.test import Client, create_environ, run_wsgi_app

from blogapi.storage.database import db
from blogapi.web import inner_requests, request_environ
from tests.conftest import ARTICLES


@pytest.fixture
def send(app, people):
    """A function that sends an inner request from a request with a key and a cookie."""

    def send(method, path, *args, key, **values):
        headers = {"X-API-KEY": key} if key else {}
        headers |= {"Cookie": "blogapi_session=x", "Host": "evil.example", "Origin": "https://evil.example"}
        with app.test_request_context("/mcp", method="POST", headers=headers):
            response = inner_requests.send_request(method, path, *args, **values)
        return response.status_code, response.get_json(silent=True)

    return send


def test_a_request_has_the_key_of_the_caller_and_nothing_else(send, people, make_article):
    draft = make_article(status="draft", title="Draft").uuid
    path = f"{ARTICLES}{draft}/"
    assert send("GET", path, [("fields", "title")], key=people.key(people.admin))[1] == {"title": "Draft"}
    assert send("GET", path, key=people.key(None))[0] == 404
    status, body = send("GET", path, key=None)
    assert (status, body["code"]) == (401, "key_missing")


def test_a_write_sends_its_body_and_its_headers(send, people, make_article):
    path, key = f"{ARTICLES}{make_article().uuid}/", people.key(people.admin, "write")
    assert send("PATCH", path, headers={"If-Match": '"no"'}, body={"title": "New"}, key=key)[0] == 412
    assert send("PATCH", path, body={"title": "New"}, key=key)[1]["title"] == "New"


def test_a_former_slug_is_followed(send, as_admin, people, make_article):
    article = make_article(slug="old")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "new"})
    key = people.key(None)
    assert send("GET", f"{ARTICLES}old/", [("fields", "slug")], key=key) == (200, {"slug": "new"})


def test_the_outer_request_holds_no_connection(send, app, people, monkeypatch):
    pooled, open_ = [], Client.open

    def open_inner(client, **request):
        pooled.append(db.engine.pool.checkedout())
        return open_(client, **request)

    monkeypatch.setattr(Client, "open", open_inner)
    headers = {"X-API-KEY": people.key(None)}
    with app.test_request_context("/mcp", method="POST", headers=headers):
        db.session.connection()
        inner_requests.send_request("GET", ARTICLES)
    assert pooled == [0]


def seen(path, **headers):
    """Return the key and the cookie that the application sees."""
    environ = create_environ(path, headers=headers)

    def application(environ, start_response):
        start_response("200 OK", [])
        names = ("HTTP_X_API_KEY", "HTTP_COOKIE")
        return [json.dumps([environ.get(name) for name in names]).encode()]

    app = SimpleNamespace(wsgi_app=application)
    request_environ.init_app(app, {}, lambda path: None)
    return tuple(json.loads(b"".join(run_wsgi_app(app.wsgi_app, environ)[0])))


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ({"Authorization": "Bearer k"}, "k"),
        ({"Authorization": "bearer  k "}, "k"),
        ({"Authorization": "Bearer"}, ""),
        ({"Authorization": "Bearer k", "X-API-KEY": "own"}, "own"),
        ({"Authorization": "Basic k"}, None),
        ({"X-API-KEY": "own"}, "own"),
        ({}, None),
    ],
)
def test_a_bearer_token_is_a_key_and_a_cookie_is_dropped(path, headers, key):
    assert seen(path, Cookie="blogapi_session=x", **headers) == (key, None)


@pytest.mark.parametrize("path", ["/", "/mcpx", "/api/v1/mcp", "/MCP"])
def test_other_paths_know_no_bearer_token(path):
    headers = {"Authorization": "Bearer k", "Cookie": "c=1"}
    assert seen(path, **headers) == (None, "c=1")
