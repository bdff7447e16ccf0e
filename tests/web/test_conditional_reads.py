"""Conditional reads, HEAD and CORS."""

from __future__ import annotations

import pytest

from tests.contracts.client import outcome

ARTICLES = "/api/v1/blog/articles/"
READS = [
    ARTICLES,
    "/api/v1/blog/tags/",
    "/api/v1/auth/me/",
    "/openapi.json",
    "/",
    "/docs/",
    "/docs/api/",
    "/docs/search.json",
    "/health/",
    "/docs/static/api.js",
]


@pytest.mark.parametrize("path", READS)
def test_a_request_with_the_current_etag_returns_304(as_reader, path):
    first = as_reader.get(path)
    again = as_reader.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert "Content-Type" not in again.headers


@pytest.mark.parametrize("template", ["*", "W/{}", '"other", {}', '{}, "other"'])
def test_every_form_of_if_none_match_is_understood(as_reader, template):
    etag = as_reader.get(ARTICLES).headers["ETag"]
    response = as_reader.get(ARTICLES, headers={"If-None-Match": template.format(etag)})
    assert (response.status_code, response.data, response.headers["ETag"]) == (304, b"", etag)


@pytest.mark.parametrize("garbage", ['"', '""', "x", "W/", '"a', ",,,", "\x7f", '"' * 500, "é", "* *"])
def test_a_malformed_if_none_match_is_ignored(as_reader, garbage):
    response = as_reader.get(ARTICLES, headers={"If-None-Match": garbage})
    assert (response.status_code, response.json) == (200, [])


def test_a_change_gives_a_new_etag(as_reader, make_article):
    before = as_reader.get(ARTICLES).headers["ETag"]
    article = make_article()
    response = as_reader.get(ARTICLES, headers={"If-None-Match": before})
    assert [item["uuid"] for item in response.json] == [str(article.uuid)]
    assert response.headers["ETag"] != before


def test_an_error_response_is_never_replaced_with_a_304(as_reader):
    path = f"{ARTICLES}00000000-0000-4000-8000-000000000000/"
    assert outcome(as_reader.get(path, headers={"If-None-Match": "*"})) == (404, "not_found")


@pytest.mark.parametrize("path", READS)
def test_a_head_response_equals_the_get_response_without_the_body(as_reader, path):
    named = {"X-Request-ID": "same"}
    get, head = as_reader.get(path, headers=named), as_reader.head(path, headers=named)
    assert (head.status_code, head.data) == (200, b"")
    assert dict(head.headers) == dict(get.headers)


def test_cors_is_off_by_default(as_stranger):
    response = as_stranger.options(ARTICLES, headers={"Origin": "https://front.example"})
    assert response.status_code == 204
    assert not [name for name, _ in response.headers if name.startswith("Access-Control")]


@pytest.fixture
def cors_client(make_app, make_client):
    """A client of a blog with one allowed origin."""
    return make_client(make_app(CORS_ORIGINS="https://front.example"))


def test_a_preflight_of_an_allowed_origin_needs_no_key(cors_client):
    response = cors_client.options(
        ARTICLES,
        headers={
            "Origin": "https://front.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "X-API-KEY, If-None-Match",
        },
    )
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"
    allowed = response.headers["Access-Control-Allow-Headers"].lower()
    assert "x-api-key" in allowed and "if-none-match" in allowed
    assert response.headers["Vary"] == "Accept, origin"
    assert "Access-Control-Allow-Credentials" not in response.headers


def test_an_allowed_origin_can_read_the_paging_headers(cors_client):
    key = cors_client.post("/api/v1/auth/api-key/").json["public_state"]
    response = cors_client.get(ARTICLES, headers={"Origin": "https://front.example", "X-API-KEY": key})
    exposed = response.headers["Access-Control-Expose-Headers"]
    assert all(name in exposed for name in ("ETag", "Link", "X-Total-Count"))


@pytest.mark.parametrize("path", [ARTICLES, "/nowhere"])
def test_an_allowed_origin_can_read_errors(cors_client, path):
    response = cors_client.get(path, headers={"Origin": "https://front.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "https://front.example"


def test_another_origin_is_not_allowed(cors_client):
    key = cors_client.post("/api/v1/auth/api-key/").json["public_state"]
    response = cors_client.get(ARTICLES, headers={"Origin": "https://evil.example", "X-API-KEY": key})
    assert response.status_code == 200
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("{etag}", 304),
        ("W/{etag}", 304),
        ('"other", {etag}', 304),
        ("*", 304),
        ('"other"', 200),
        ("", 200),
        ('"', 200),
        ("garbage, \\ \t;;=,,", 200),
        ('"a' * 500, 200),
        ("{etag}x", 200),
        ("é", 200),
    ],
)
def test_a_matching_if_none_match_returns_304_and_a_malformed_if_none_match_returns_200(
    as_stranger, sent, status
):
    etag = as_stranger.get("/openapi.json").headers["ETag"]
    response = as_stranger.get("/openapi.json", headers={"If-None-Match": sent.format(etag=etag)})
    assert (response.status_code, response.headers["ETag"]) == (status, etag)
    assert bool(response.data) is (status == 200)
