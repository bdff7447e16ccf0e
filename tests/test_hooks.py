"""Authentication, access rules, the order of errors, and the common headers."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from flask import Blueprint
from flask.testing import FlaskClient

from blogapi import create_app, registry
from blogapi.articles import queries as articles
from blogapi.config import CannotStart
from blogapi.web.access import allow, anyone
from blogapi.web.errors import METHODS
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN, LOGOUT, ME = "/api/v1/auth/login/", "/api/v1/auth/logout/", "/api/v1/auth/me/"
ALL_CALLERS = ["as_stranger", "as_reader", "as_member", "as_reading_admin", "as_admin", "as_login"]


def fill_template(template):
    return re.sub(r"<[^>]+>", str(uuid4()), re.sub(r"<int[^>]+>", "1", template))


# Unknown paths


@pytest.mark.parametrize("caller", ALL_CALLERS)
def test_an_unknown_path_is_a_404_for_every_caller(request, caller):
    assert outcome(request.getfixturevalue(caller).get("/nowhere")) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "FOO"])
@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/v1/", "/api/v2/blog/articles/", f"{TAGS}a/b/", "/.env", "/%00", "//"]
)
def test_an_unknown_path_is_a_404_for_every_method(as_stranger, method, path):
    assert outcome(as_stranger.open(path, method=method)) == (404, None if method == "HEAD" else "not_found")


@pytest.mark.parametrize("key", ["x", ""])
def test_an_unknown_path_is_a_404_even_with_an_invalid_key(as_stranger, key):
    assert as_stranger.get("/nowhere", headers={"X-API-KEY": key}).json["code"] == "not_found"


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", [f"{TAGS}/", f"{TAGS}//", f"{ME}/", "/health//", "//api/v1/blog//tags/"])
def test_a_path_with_an_extra_slash_is_a_404(app, people, method, path):
    # A plain client, as the path is not in the OpenAPI document.
    response = FlaskClient(app, app.response_class).open(path, method=method)
    assert (response.status_code, response.content_type) == (404, "application/problem+json")


# OPTIONS

ALLOWED = {
    KEYS: "GET, POST, HEAD, OPTIONS",
    f"{KEYS}x/": "GET, PUT, PATCH, DELETE, HEAD, OPTIONS",
    f"{KEYS}x/rotate/": "POST, OPTIONS",
    LOGIN: "POST, OPTIONS",
    ME: "GET, HEAD, OPTIONS",
    "/health/": "GET, HEAD, OPTIONS",
    "/openapi.json": "GET, HEAD, OPTIONS",
}


@pytest.mark.parametrize(("path", "allowed"), ALLOWED.items())
@pytest.mark.parametrize("headers", [{}, {"X-API-KEY": "x"}])
def test_options_needs_no_key_and_lists_the_supported_methods(as_stranger, path, allowed, headers):
    for spelling in (path, path.rstrip("/")):
        response = as_stranger.options(spelling, headers=headers)
        assert (response.status_code, response.data, response.headers["Allow"]) == (204, b"", allowed)


def test_options_and_405_agree_on_every_path(app, as_admin):
    slashed = {fill_template(rule.rule) for rule in app.url_map.iter_rules()}
    for path in slashed | {path.rstrip("/") for path in slashed}:
        allowed = as_admin.options(path).headers["Allow"].split(", ")
        assert allowed == [method for method in METHODS if method in allowed], path
        assert set(allowed) - {"OPTIONS"}, path
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - set(allowed):
            response = as_admin.open(path, method=method)
            assert (response.status_code, response.headers["Allow"].split(", ")) == (405, allowed), (
                method,
                path,
            )


# 401 before 405


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"{KEYS}x/"),
        ("GET", f"{KEYS}x/rotate/"),
        ("GET", LOGOUT),
        ("POST", ME),
        ("FOO", TAGS),
        ("POST", ME.rstrip("/")),
        ("PUT", f"{ARTICLES}author/me"),
        ("TRACE", f"{ARTICLES}author/me/"),
        ("DELETE", f"{ARTICLES}author/me/"),
    ],
)
def test_a_stranger_gets_401_before_405(as_stranger, as_reader, method, path):
    assert as_stranger.open(path, method=method).status_code == 401
    assert as_stranger.open(path, method=method, headers={"X-API-KEY": "x"}).status_code == 401
    response = as_reader.open(path, method=method)
    assert (response.status_code, response.json["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", KEYS), ("GET", LOGIN), ("POST", "/health"), ("PUT", "/openapi.json")]
)
def test_a_stranger_gets_405_if_a_method_of_the_path_needs_no_key(as_stranger, method, path):
    assert outcome(as_stranger.open(path, method=method)) == (405, "method_not_allowed")


# 403 and 404 before the body

MALFORMED = {"data": b"{", "content_type": "application/json"}


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_an_unknown_item_is_a_404_before_the_body_is_read(as_admin, method):
    assert outcome(as_admin.open(f"{KEYS}{uuid4()}/", method=method, **MALFORMED)) == (404, "not_found")


@pytest.mark.parametrize(
    ("caller", "status"), [("as_stranger", 401), ("as_reader", 403), ("as_member", 403), ("as_admin", 200)]
)
def test_the_access_rule_is_checked_before_body_and_query(request, caller, status):
    client = request.getfixturevalue(caller)
    code = {401: "key_missing", 403: "forbidden", 200: None}[status]
    assert outcome(client.get(f"{ARTICLES}author/me/", **MALFORMED)) == (status, code)
    response = client.get(f"{ARTICLES}author/me/?x=1")
    assert outcome(response) == ((status, code) if code else (400, "invalid_query"))


@pytest.mark.parametrize("key", ["x", None])
def test_the_key_is_checked_before_the_body(as_stranger, key):
    headers = {"X-API-KEY": key} if key else {}
    response = as_stranger.patch(f"{KEYS}{uuid4()}/", headers=headers, **MALFORMED)
    assert outcome(response) == (401, "key_invalid" if key else "key_missing")


# Query parameters


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", KEYS),
        ("GET", f"{KEYS}x/"),
        ("DELETE", f"{KEYS}x/"),
        ("PATCH", f"{KEYS}x/"),
        ("GET", ME),
        ("POST", LOGIN),
        ("GET", "/health"),
        ("GET", "/openapi.json"),
    ],
)
def test_an_unknown_query_parameter_is_a_400(as_admin, method, path):
    response = as_admin.open(f"{path}?x=1", method=method)
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")


@pytest.mark.parametrize("path", [KEYS, TAGS, CATEGORIES, ARTICLES, f"{ARTICLES}author/me/"])
@pytest.mark.parametrize("query", ["x=1", "page=1&page=2", "X-API-KEY=x"])
def test_no_query_parameter_is_ignored(as_admin, path, query):
    assert outcome(as_admin.get(f"{path}?{query}")) == (400, "invalid_query")


def test_an_empty_query_string_is_accepted(as_reader):
    assert as_reader.get(f"{ME}?").json == as_reader.get(ME).json


# Internal errors


@pytest.fixture
def broken_view(monkeypatch):
    """Make the list of articles raise an error."""

    def fail(*args, **kwargs):
        raise RuntimeError("an internal secret")

    monkeypatch.setattr(articles, "list_published", fail)


def test_a_500_names_an_incident_that_only_the_log_explains(as_reader, broken_view, caplog):
    response = as_reader.get(ARTICLES)
    assert response.status_code == 500
    assert list(response.json) == ["type", "title", "status", "detail", "code"]
    incident = re.fullmatch(
        r"Something went wrong on the server\. The log explains it under incident ([0-9a-f]{16})\.",
        response.json["detail"],
    )[1]
    assert "secret" not in response.text and "RuntimeError" not in response.text
    assert incident in caplog.text
    assert "Traceback" in caplog.text and "an internal secret" in caplog.text


def test_two_failures_are_two_incidents(as_reader, broken_view):
    assert as_reader.get(ARTICLES).json["detail"] != as_reader.get(ARTICLES).json["detail"]


def test_a_key_is_never_logged(app, people, make_client, broken_view, caplog):
    key = people.key(None)
    make_client(app, key).get(ARTICLES)
    assert key not in caplog.text


# Headers: CheckedClient checks them on every response; here their values are spelled out.

RESPONSES = {
    "200": ("GET", TAGS, 200),
    "201": ("POST", KEYS, 201),
    "204": ("OPTIONS", TAGS, 204),
    "400": ("GET", f"{TAGS}?x=1", 400),
    "403": ("GET", f"{ARTICLES}author/me/", 403),
    "404 path": ("GET", "/nowhere", 404),
    "404 item": ("GET", f"{TAGS}{uuid4()}/", 404),
    "405": ("PUT", ME, 405),
    "500": ("GET", ARTICLES, 500),
    "HEAD 404": ("HEAD", "/nowhere", 404),
    "HEAD 500": ("HEAD", ARTICLES, 500),
}


@pytest.mark.parametrize(("method", "path", "status"), RESPONSES.values(), ids=RESPONSES)
def test_every_response_carries_the_constant_headers(as_reader, broken_view, method, path, status):
    response = as_reader.open(path, method=method)
    assert response.status_code == status
    shared = (
        "Vary",
        "X-Frame-Options",
        "X-Content-Type-Options",
        "Referrer-Policy",
        "Cross-Origin-Opener-Policy",
    )
    assert [response.headers.getlist(name) for name in shared] == [
        ["Accept, origin"],
        ["DENY"],
        ["nosniff"],
        ["same-origin"],
        ["same-origin"],
    ]
    assert "Server" not in response.headers and "Set-Cookie" not in response.headers


# CORS


@pytest.fixture
def allow_origins(make_app, make_client):
    """Return a function that returns a client of a blog with allowed origins."""
    return lambda *origins: make_client(make_app(CORS_ORIGINS=origins))


def test_no_origin_is_allowed_by_default(as_reader):
    response = as_reader.get(TAGS, headers={"Origin": "https://front.example"})
    assert not [name for name, _ in response.headers if name.lower().startswith("access-control-")]


def test_an_allowed_origin_can_send_keys_and_read_the_headers(people, allow_origins):
    client = allow_origins("https://front.example")
    headers = {"Origin": "https://front.example", "X-API-KEY": people.key(None)}
    response = client.get(TAGS, headers=headers)
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"
    assert (
        response.headers["Access-Control-Expose-Headers"]
        == "ETag, Link, Location, Retry-After, X-Request-ID, X-Total-Count"
    )
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert response.headers.getlist("Vary") == ["Accept, origin"]


def test_a_preflight_needs_no_key(allow_origins):
    headers = {
        "Origin": "https://front.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "x-api-key, if-none-match",
    }
    response = allow_origins("https://front.example").options(TAGS, headers=headers)
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"
    assert response.headers["Access-Control-Allow-Headers"].lower() == "if-none-match, x-api-key"


def test_a_preflight_allows_every_header_that_the_api_reads(allow_origins):
    names = ["content-type", "idempotency-key", "if-match", "if-none-match", "x-api-key"]
    headers = {
        "Origin": "https://front.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ", ".join([*names, "x-unknown"]),
    }
    response = allow_origins("https://front.example").options(TAGS, headers=headers)
    assert response.headers["Access-Control-Allow-Headers"].lower().split(", ") == names


@pytest.mark.parametrize(
    ("named", "others"),
    [
        (
            "https://front.example",
            ["https://front.example0", "https://frontxexample", "https://front.example."],
        ),
        ("http://[::1]:3000", ["http://[::1]:30000", "http://1:3000", "http://::3000", "http://[::1]"]),
    ],
)
def test_an_origin_must_match_exactly(allow_origins, named, others):
    client = allow_origins(named)
    for origin in (named, *others):
        response = client.get(TAGS, headers={"Origin": origin})
        allowed = response.headers.getlist("Access-Control-Allow-Origin")
        assert allowed == ([named] if origin == named else []), origin


@pytest.mark.parametrize("path", [TAGS, "/nowhere"])
def test_an_allowed_origin_can_read_errors(allow_origins, path):
    response = allow_origins("https://front.example").get(path, headers={"Origin": "https://front.example"})
    assert response.status_code in (401, 404)
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"


@pytest.mark.parametrize("origin", ["https://evil.example", "https://front.example.evil", "null"])
def test_another_origin_is_not_allowed(allow_origins, origin):
    response = allow_origins("https://front.example").get(TAGS, headers={"Origin": origin})
    assert "Access-Control-Allow-Origin" not in response.headers


# The registry


def register_view(monkeypatch, view):
    pages = Blueprint("bare", __name__)
    pages.add_url_rule("/bare", view_func=view)
    monkeypatch.setattr(registry, "PAGES", (*registry.PAGES, pages))


def test_a_view_without_a_rule_is_refused_at_the_start(monkeypatch):
    def bare():
        return "public by mistake"

    register_view(monkeypatch, bare)
    with pytest.raises(CannotStart, match=r"bare\.bare"):
        create_app()


def test_a_view_with_a_rule_is_accepted(monkeypatch, make_app, make_client):
    @allow(anyone)
    def bare():
        return "public on purpose"

    register_view(monkeypatch, bare)
    assert make_client(make_app()).get("/bare").text == "public on purpose"


def test_routes_prints_every_operation_with_its_rule(app):
    result = app.test_cli_runner().invoke(args=["routes"])
    lines = [re.split(r"\s{2,}", line.strip()) for line in result.stdout.splitlines()]
    printed = {tuple(line[:4]) for line in lines}
    operations = list(registry.list_operations(app))
    assert result.exit_code == 0
    assert {
        (path, method, access.rule.name, access.scope) for path, method, _, access in operations
    } <= printed
    assert len(operations) == len(set(operations)) >= 20


def test_the_documented_operations_have_their_rules(app):
    rules = {(method, path): access.rule.name for path, method, _, access in registry.list_operations(app)}
    expected = {
        ("POST", KEYS): "guest",
        ("DELETE", f"{KEYS}<id:id>/"): "reader",
        ("GET", CATEGORIES): "reader",
        ("GET", f"{CATEGORIES}<id:id>/"): "reader",
        ("GET", TAGS): "reader",
        ("GET", f"{TAGS}<id:id>/"): "reader",
        ("GET", ARTICLES): "reader",
        ("GET", f"{ARTICLES}<id:id>/"): "reader",
        ("GET", f"{ARTICLES}author/me/"): "admin",
    }
    assert {operation: rules[operation] for operation in expected} == expected
