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
    "/docs/",
    "/health/",
    "/docs/docs.js",
]


@pytest.mark.parametrize("path", READS)
def test_an_unchanged_answer_is_a_304(as_reader, path):
    first = as_reader.get(path)
    again = as_reader.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert "Content-Type" not in again.headers


@pytest.mark.parametrize("template", ["*", "W/{}", '"other", {}', '{}, "other"'])
def test_every_form_of_the_condition_counts(as_reader, template):
    etag = as_reader.get(ARTICLES).headers["ETag"]
    answer = as_reader.get(ARTICLES, headers={"If-None-Match": template.format(etag)})
    assert (answer.status_code, answer.data, answer.headers["ETag"]) == (304, b"", etag)


@pytest.mark.parametrize("garbage", ['"', '""', "x", "W/", '"a', ",,,", "\x7f", '"' * 500, "é", "* *"])
def test_a_garbled_condition_is_no_condition(as_reader, garbage):
    answer = as_reader.get(ARTICLES, headers={"If-None-Match": garbage})
    assert (answer.status_code, answer.json) == (200, [])


def test_a_change_gives_another_etag(as_reader, make_article):
    before = as_reader.get(ARTICLES).headers["ETag"]
    made = make_article()
    answer = as_reader.get(ARTICLES, headers={"If-None-Match": before})
    assert [article["uuid"] for article in answer.json] == [str(made.uuid)]
    assert answer.headers["ETag"] != before


def test_an_error_is_never_a_304(as_reader):
    path = f"{ARTICLES}00000000-0000-4000-8000-000000000000/"
    assert outcome(as_reader.get(path, headers={"If-None-Match": "*"})) == (404, "not_found")


@pytest.mark.parametrize("path", READS)
def test_head_is_get_without_the_body(as_reader, path):
    named = {"X-Request-ID": "same"}
    get, head = as_reader.get(path, headers=named), as_reader.head(path, headers=named)
    assert (head.status_code, head.data) == (200, b"")
    assert dict(head.headers) == dict(get.headers)


def test_other_sites_are_shut_out_by_default(as_stranger):
    answer = as_stranger.options(ARTICLES, headers={"Origin": "https://front.example"})
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


@pytest.fixture
def open_blog(make_app, make_client):
    """A blog whose API the pages of one site may call."""
    return make_client(make_app(CORS_ORIGINS="https://front.example"))


def test_a_named_site_may_ask_beforehand_without_a_key(open_blog):
    answer = open_blog.options(
        ARTICLES,
        headers={
            "Origin": "https://front.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "X-API-KEY, If-None-Match",
        },
    )
    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "https://front.example"
    allowed = answer.headers["Access-Control-Allow-Headers"].lower()
    assert "x-api-key" in allowed and "if-none-match" in allowed
    assert answer.headers["Vary"] == "Accept, origin"
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_a_named_site_reads_the_paging_headers(open_blog):
    key = open_blog.post("/api/v1/auth/api-key/").json["public_state"]
    answer = open_blog.get(ARTICLES, headers={"Origin": "https://front.example", "X-API-KEY": key})
    exposed = answer.headers["Access-Control-Expose-Headers"]
    assert all(name in exposed for name in ("ETag", "Link", "X-Total-Count"))


@pytest.mark.parametrize("path", [ARTICLES, "/nowhere"])
def test_a_named_site_reads_errors_too(open_blog, path):
    answer = open_blog.get(path, headers={"Origin": "https://front.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://front.example"


def test_another_site_is_not_let_in(open_blog):
    answer = open_blog.get(ARTICLES, headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers
