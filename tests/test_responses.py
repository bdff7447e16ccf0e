"""Internal errors, the common headers of all responses, and CORS."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from blogapi.content.articles.responses import article_bodies
from tests.conftest import ARTICLES, KEYS, TAGS

ME = "/api/v1/auth/me/"


@pytest.fixture
def broken_view(monkeypatch):
    """Make the list of articles raise an error."""

    def fail(*args, **kwargs):
        raise RuntimeError("an internal secret")

    monkeypatch.setattr(article_bodies, "list_published_items", fail)


def test_a_500_response_contains_an_incident_id_and_only_the_log_contains_the_cause(
    as_reader, broken_view, caplog
):
    response = as_reader.get(ARTICLES)
    assert response.status_code == 500
    assert list(response.json) == ["type", "title", "status", "detail", "code"]
    incident = re.fullmatch(
        r"Something went wrong on the server\. The log has the details under incident ([0-9a-f]{16})\.",
        response.json["detail"],
    )[1]
    assert "secret" not in response.text and "RuntimeError" not in response.text
    assert incident in caplog.text
    assert "Traceback" in caplog.text and "an internal secret" in caplog.text


def test_two_internal_errors_have_different_incident_ids(as_reader, broken_view):
    assert as_reader.get(ARTICLES).json["detail"] != as_reader.get(ARTICLES).json["detail"]


def test_a_key_is_never_logged(app, people, make_client, broken_view, caplog):
    key = people.key(None)
    assert make_client(app, key).get(ARTICLES).status_code == 500
    assert "an internal secret" in caplog.text
    assert key not in caplog.text


# CheckedClient checks the headers on every response; this table contains the expected values.
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


@pytest.fixture
def allow_origins(make_app, make_client):
    """Return a function that returns a client of a blog with allowed origins."""
    return lambda *origins: make_client(make_app(CORS_ORIGINS=origins))


def test_no_origin_is_allowed_by_default(as_reader):
    response = as_reader.get(TAGS, headers={"Origin": "https://front.example"})
    assert response.status_code == 200
    assert not [name for name, _ in response.headers if name.lower().startswith("access-control-")]


def test_an_allowed_origin_can_send_keys_and_read_the_headers(people, allow_origins):
    client = allow_origins("https://front.example")
    headers = {"Origin": "https://front.example", "X-API-KEY": people.key(None)}
    response = client.get(TAGS, headers=headers)
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"
    assert (
        response.headers["Access-Control-Expose-Headers"]
        == "ETag, Link, Location, Retry-After, X-Request-ID, X-Total-Count"
    )
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert response.headers.getlist("Vary") == ["Accept, origin"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (TAGS, 204),
        (f"{TAGS}not-an-id/", 204),
        ("/health", 204),
        ("/nowhere", 404),
        (f"{TAGS}/", 404),
        ("/api/v1/blog/unknown/", 404),
        ("/media/nowhere.png", 404),
        ("/admin/nowhere/", 404),
    ],
)
def test_a_preflight_of_an_allowed_origin_is_answered_for_every_path(allow_origins, path, status):
    client = allow_origins("https://front.example")
    asks = {"Access-Control-Request-Method": "GET"}
    response = client.options(path, headers=asks | {"Origin": "https://front.example"})
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"
    assert response.headers["X-Frame-Options"] == "DENY"
    # Any other OPTIONS request of a path that does not exist gets 404.
    for headers in ({}, asks, {"Origin": "https://front.example"}, asks | {"Origin": "https://evil.example"}):
        assert client.options(path, headers=headers).status_code == status


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
    assert response.status_code == 401
    assert "Access-Control-Allow-Origin" not in response.headers
