"""Authentication, access rules, and the order of errors."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from blogapi.web.errors import METHODS
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN, LOGOUT, ME = "/api/v1/auth/login/", "/api/v1/auth/logout/", "/api/v1/auth/me/"
ALL_CALLERS = ["as_stranger", "as_reader", "as_member", "as_reading_admin", "as_admin", "as_login"]


def fill_template(template):
    return re.sub(r"<[^>]+>", str(uuid4()), re.sub(r"<int[^>]+>", "1", template))


# Unknown paths


@pytest.mark.parametrize("caller", ALL_CALLERS)
def test_an_unknown_path_gets_a_404_for_every_caller(request, caller):
    assert outcome(request.getfixturevalue(caller).get("/nowhere")) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "FOO"])
@pytest.mark.parametrize(
    "path", ["/api", "/api/v1/", "/api/v2/blog/articles/", f"{TAGS}a/b/", "/.env", "/%00"]
)
def test_an_unknown_path_gets_a_404_for_every_method(as_stranger, method, path):
    assert outcome(as_stranger.open(path, method=method)) == (404, None if method == "HEAD" else "not_found")


@pytest.mark.parametrize("key", ["x", ""])
def test_an_unknown_path_gets_a_404_even_with_an_invalid_key(as_stranger, key):
    assert as_stranger.get("/nowhere", headers={"X-API-KEY": key}).json["code"] == "not_found"


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", [f"{TAGS}/", f"{TAGS}//", f"{ME}/", "/health//", "//api/v1/blog//tags/"])
def test_a_path_with_an_extra_slash_gets_a_404(app, people, method, path):
    # This is a plain client, because the path is not in the OpenAPI document.
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


def test_options_and_a_405_response_list_the_same_methods_for_every_path(app, as_admin):
    rules = [rule for rule in app.url_map.iter_rules() if not rule.build_only]
    # `/mcp` is unknown while it is closed; `tests/mcp` tries its methods.
    slashed = {fill_template(rule.rule) for rule in rules if rule.endpoint != "mcp.answer_message"}
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


# The key is checked before the method


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
def test_the_key_is_checked_before_the_method(as_stranger, as_reader, method, path):
    assert as_stranger.open(path, method=method).status_code == 401
    assert as_stranger.open(path, method=method, headers={"X-API-KEY": "x"}).status_code == 401
    response = as_reader.open(path, method=method)
    assert (response.status_code, response.json["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("method", "path"), [("DELETE", KEYS), ("GET", LOGIN), ("POST", "/health"), ("PUT", "/openapi.json")]
)
def test_a_caller_without_a_key_gets_405_if_a_method_of_the_path_needs_no_key(as_stranger, method, path):
    assert outcome(as_stranger.open(path, method=method)) == (405, "method_not_allowed")


# The access rule and the item are checked before the body


MALFORMED = {"data": b"{", "content_type": "application/json"}


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_an_unknown_item_gets_a_404_before_the_body_is_read(as_admin, method):
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
        *((method, f"{KEYS}3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d/") for method in ("GET", "DELETE", "PATCH")),
        ("GET", ME),
        ("POST", LOGIN),
        ("GET", "/health"),
        ("GET", "/openapi.json"),
    ],
)
def test_an_unknown_query_parameter_gets_a_400(as_admin, method, path):
    response = as_admin.open(f"{path}?x=1", method=method)
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")


@pytest.mark.parametrize("path", [KEYS, TAGS, CATEGORIES, ARTICLES, f"{ARTICLES}author/me/"])
@pytest.mark.parametrize("query", ["x=1", "page=1&page=2", "X-API-KEY=x"])
def test_no_query_parameter_is_ignored(as_admin, path, query):
    assert outcome(as_admin.get(f"{path}?{query}")) == (400, "invalid_query")


def test_an_empty_query_string_is_accepted(as_reader):
    assert as_reader.get(f"{ME}?").json == as_reader.get(ME).json
