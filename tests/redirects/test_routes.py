"""Former slugs."""

from __future__ import annotations

import pytest

ARTICLES = "/api/v1/blog/articles/"
REDIRECTS = "/api/v1/blog/redirects/"


@pytest.fixture
def renamed(as_admin, make_article):
    """A public article that was called first, then second."""
    article = make_article(slug="first")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    return article


def test_a_former_slug_still_finds_its_article(as_reader, renamed):
    for slug in ("first", "second"):
        assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug={slug}").json] == ["second"]


def test_the_list_leads_from_old_to_new(as_admin, as_reader, renamed):
    as_admin.patch(f"{ARTICLES}{renamed.uuid}/", json={"slug": "third"})
    told = [(row["old"], row["new"], row["article"]) for row in as_reader.get(REDIRECTS).json]
    assert told == [("first", "third", str(renamed.uuid)), ("second", "third", str(renamed.uuid))]
    assert as_reader.get(f"{REDIRECTS}?page=2&page_size=1&fields=old").json == [{"old": "second"}]


def test_a_slug_taken_back_is_no_redirect(as_admin, as_reader, renamed):
    as_admin.patch(f"{ARTICLES}{renamed.uuid}/", json={"slug": "first"})
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["second"]


def test_no_draft_takes_a_former_slug_away(as_admin, as_reader, renamed):
    body = {"title": "x", "slug": "first", "category": {"uuid": str(renamed.category_id)}}
    answer = as_admin.post(ARTICLES, json=body)
    assert (answer.status_code, answer.json["code"]) == (409, "slug_taken")
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=first").json] == ["second"]


def test_a_derived_slug_steps_around_a_former_one(as_admin, renamed, make_article):
    assert make_article(title="First").slug == "first-2"


def test_a_draft_leaves_no_trace(as_admin, as_reader, make_article):
    article = make_article(slug="secret", status="draft")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "other"})
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"status": "published"})
    assert as_reader.get(REDIRECTS).json == []


def test_what_is_public_no_longer_has_no_redirects(as_admin, as_reader, renamed):
    as_admin.patch(f"{ARTICLES}{renamed.uuid}/", json={"status": "archived"})
    assert as_reader.get(REDIRECTS).json == []
    assert as_reader.get(f"{ARTICLES}?slug=first").json == []
