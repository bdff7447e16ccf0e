"""Reads accept the slug of an item in place of its uuid, and redirect former slugs. Writes need the uuid."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote
from uuid import uuid4

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.contracts.client import get_stable_headers, outcome
from tests.delivery.response_cache.cached_blog import warm

READERS = ["as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin"]
# Callers that may not see hidden articles.
BLIND = ["as_reader", "as_published_member", "as_published_admin", "as_reading_member", "as_member"]
FUTURE = "2999-01-01T00:00:00Z"
HIDDEN = {
    "draft": {"status": "draft"},
    "archived": {"status": "archived"},
    "scheduled": {"published_at": FUTURE},
}


@pytest.fixture
def items(make_article, make_category, make_tag):
    """One item of each resource as (path of its list, uuid, slug)."""
    category, tag = make_category(name="Slow Food"), make_tag("sour dough")
    article = make_article(category=category, tags=(tag,), title="Bread")
    listed = ((ARTICLES, article), (CATEGORIES, category), (TAGS, tag))
    return [(path, str(item.uuid), item.slug) for path, item in listed]


@pytest.fixture
def renamed(as_admin, make_article):
    """The path of a public article whose slug was `first` and is now `second`."""
    path = f"{ARTICLES}{make_article(slug='first').uuid}/"
    assert as_admin.patch(path, json={"slug": "second"}).status_code == 200
    return path


def summarize(response):
    return response.status_code, response.data, get_stable_headers(response)


@pytest.mark.parametrize("caller", READERS)
def test_a_slug_gets_the_same_response_as_the_uuid(request, items, caller):
    client = request.getfixturevalue(caller)
    for path, uuid, slug in items:
        for query in ("", "?fields=uuid,slug"):
            by_uuid = client.get(f"{path}{uuid}/{query}")
            assert by_uuid.status_code == 200
            assert summarize(client.get(f"{path}{slug}/{query}")) == summarize(by_uuid)
            assert summarize(client.head(f"{path}{slug}/{query}")) == summarize(
                client.head(f"{path}{uuid}/{query}")
            )
            headers = {"If-None-Match": by_uuid.headers["ETag"]}
            assert client.get(f"{path}{slug}/{query}", headers=headers).status_code == 304


def test_a_slug_needs_credentials(as_stranger, items, renamed):
    for path, _, slug in [*items, (ARTICLES, "", "first"), (ARTICLES, "", "unknown")]:
        assert outcome(as_stranger.get(f"{path}{slug}/")) == (401, "key_missing")


def test_a_slug_without_a_trailing_slash_is_accepted(as_reader, items, renamed):
    for path, _, slug in items:
        assert as_reader.get(f"{path}{slug}").status_code == 200
    assert as_reader.get(f"{ARTICLES}first").headers["Location"] == f"{ARTICLES}second/"


@pytest.mark.parametrize("slug", ["日本語の題", "привет-мир", "été".replace("é", "ё")])
def test_a_slug_in_another_script_is_accepted_percent_encoded(as_admin, as_reader, make_article, slug):
    article = make_article(slug=slug)
    assert as_reader.get(f"{ARTICLES}{quote(slug)}/").json["uuid"] == str(article.uuid)
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": f"{slug}-2"})
    response = as_reader.get(f"{ARTICLES}{quote(slug)}/")
    assert (response.status_code, response.headers["Location"]) == (308, f"{ARTICLES}{quote(slug)}-2/")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_former_slug_is_redirected_to_the_current_slug(as_reader, renamed, method):
    response = as_reader.open(f"{ARTICLES}first/", method=method)
    assert (response.status_code, response.data) == (308, b"")
    assert response.headers["Location"] == f"{ARTICLES}second/"
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers["Allow"] == "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"
    assert as_reader.get(response.headers["Location"]).json["slug"] == "second"


@pytest.mark.parametrize("etag", ["*", '"x"'])
def test_a_former_slug_is_redirected_whatever_the_condition(as_reader, renamed, etag):
    assert as_reader.get(f"{ARTICLES}first/", headers={"If-None-Match": etag}).status_code == 308


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("fields=uuid,title", "fields=uuid,title"),
        ("fields=uuid%2Ctitle", "fields=uuid%2Ctitle"),
        ("fields=+title", "fields=+title"),
        ("fields=%0d%0atitle", "fields=%0d%0atitle"),
    ],
)
def test_a_redirect_keeps_the_query_string(as_reader, renamed, query, kept):
    response = as_reader.get(f"{ARTICLES}first/?{query}")
    assert (response.status_code, response.headers["Location"]) == (308, f"{ARTICLES}second/?{kept}")
    assert as_reader.get(response.headers["Location"]).json["title"]


def test_an_invalid_query_is_refused_before_the_redirect(as_reader, renamed):
    assert outcome(as_reader.get(f"{ARTICLES}first/?nonsense=1")) == (400, "invalid_query")


@pytest.mark.parametrize("state", HIDDEN)
def test_the_slugs_of_a_hidden_article_get_the_404_of_an_unknown_slug(
    request, as_admin, renamed, record_statements, state
):
    as_admin.patch(renamed, json=HIDDEN[state])
    for caller in BLIND:
        client = request.getfixturevalue(caller)
        client.get(TAGS)
        found = {}
        for slug in ("unknown", "first", "second"):
            for method in ("GET", "HEAD"):
                with record_statements() as executed:
                    response = client.open(f"{ARTICLES}{slug}/", method=method)
                found[slug, method] = summarize(response), len(executed)
        for method in ("GET", "HEAD"):
            assert found["unknown", method] == found["first", method] == found["second", method], caller
            assert found["unknown", method][0][0] == 404, caller


@pytest.mark.parametrize("state", HIDDEN)
def test_an_admin_finds_a_hidden_article_by_both_slugs(request, as_admin, renamed, state):
    as_admin.patch(renamed, json=HIDDEN[state])
    for caller in ("as_reading_admin", "as_admin", "as_login"):
        client = request.getfixturevalue(caller)
        for method in ("GET", "HEAD"):
            assert client.open(f"{ARTICLES}second/", method=method).status_code == 200, caller
            assert client.open(f"{ARTICLES}first/", method=method).status_code == 308, caller


def test_a_scheduled_article_is_found_by_its_slug_when_it_becomes_public(as_reader, make_article, set_clock):
    make_article(slug="soon", published_at=FUTURE)
    assert as_reader.get(f"{ARTICLES}soon/").status_code == 404
    set_clock(datetime(2999, 1, 1, tzinfo=UTC))
    assert as_reader.get(f"{ARTICLES}soon/").status_code == 200


def test_a_uuid_takes_precedence_over_a_slug_that_looks_like_a_uuid(as_admin, as_reader, make_article):
    unused = str(uuid4())
    first = make_article(slug=unused)
    second = make_article(slug=str(first.uuid))
    assert as_reader.get(f"{ARTICLES}{unused}/").json["uuid"] == str(first.uuid)
    assert as_reader.get(f"{ARTICLES}{first.uuid}/").json["uuid"] == str(first.uuid)
    as_admin.patch(f"{ARTICLES}{first.uuid}/", json={"slug": "new"})
    assert as_reader.get(f"{ARTICLES}{unused}/").headers["Location"] == f"{ARTICLES}new/"
    as_admin.delete(f"{ARTICLES}{first.uuid}/")
    assert as_reader.get(f"{ARTICLES}{first.uuid}/").json["uuid"] == str(second.uuid)


def test_the_path_of_the_callers_own_articles_is_not_a_slug(as_admin, make_article):
    make_article(slug="me")
    article = make_article(slug="author")
    assert isinstance(as_admin.get(f"{ARTICLES}author/me/").json, list)
    assert as_admin.get(f"{ARTICLES}author/").json["uuid"] == str(article.uuid)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_write_needs_the_uuid(as_admin, items, method):
    for path, _, slug in items:
        for name in (slug, "unknown"):
            response = as_admin.open(f"{path}{name}/", method=method, json={"title": "x", "name": "x"})
            assert outcome(response) == (404, "not_found")
            assert "send the uuid of the item, not its slug" in response.json["detail"]
        assert as_admin.get(f"{path}{slug}/").status_code == 200


@pytest.mark.parametrize("caller", ["as_reader", "as_admin"])
def test_a_slug_costs_one_more_statement_than_a_uuid(request, items, record_statements, caller):
    client = request.getfixturevalue(caller)
    for _ in range(2):
        client.get(f"{ARTICLES}?fields=uuid")
    for path, uuid, slug in items:
        counts = []
        for name in (uuid, slug):
            with record_statements() as executed:
                assert (
                    client.get(
                        f"{path}{name}/?fields=name,slug" if path != ARTICLES else f"{path}{name}/"
                    ).status_code
                    == 200
                )
            counts.append(len(executed))
        assert counts[1] == counts[0] + 1


def test_a_repeated_read_by_slug_is_replayed_and_never_stale(as_admin, as_reader, renamed, record_statements):
    for slug, status in (("second", 200), ("first", 308)):
        first = warm(as_reader, f"{ARTICLES}{slug}/")
        with record_statements() as executed:
            again = as_reader.get(f"{ARTICLES}{slug}/")
        assert (again.status_code, executed) == (status, [])
        assert summarize(again) == summarize(first)
    as_admin.patch(renamed, json={"slug": "third"})
    for slug in ("first", "second"):
        assert as_reader.get(f"{ARTICLES}{slug}/").headers["Location"] == f"{ARTICLES}third/"
    as_admin.patch(renamed, json={"slug": "first"})
    assert as_reader.get(f"{ARTICLES}first/").json["slug"] == "first"
    as_admin.patch(renamed, json={"status": "draft"})
    assert {as_reader.get(f"{ARTICLES}{slug}/").status_code for slug in ("first", "second", "third")} == {404}


def test_a_text_that_cannot_be_a_slug_gets_a_404(as_reader, renamed):
    spellings = ("First", "FIRST", "first-", "-first", "first--x", "first%20")
    for text in ("%00", "a%00", "%ed%a0%80", "a" * 256, *spellings):
        for path in (ARTICLES, CATEGORIES, TAGS):
            assert as_reader.get(f"{path}{text}/").status_code == 404, text
