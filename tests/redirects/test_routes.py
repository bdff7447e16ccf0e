"""Former slugs of articles and the list of redirects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

ARTICLES = "/api/v1/blog/articles/"
REDIRECTS = "/api/v1/blog/redirects/"


@pytest.fixture
def renamed_article(as_admin, make_article):
    """A public article whose slug was `first` and is now `second`."""
    article = make_article(slug="first")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    return article


def test_a_former_slug_still_finds_its_article(as_reader, renamed_article):
    for slug in ("first", "second"):
        assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug={slug}").json] == ["second"]


def test_the_list_shows_each_former_slug_with_the_current_slug(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"slug": "third"})
    expected = [(row["old"], row["new"], row["article"]) for row in as_reader.get(REDIRECTS).json]
    assert expected == [
        ("first", "third", str(renamed_article.uuid)),
        ("second", "third", str(renamed_article.uuid)),
    ]
    assert as_reader.get(f"{REDIRECTS}?page=2&page_size=1&fields=old").json == [{"old": "second"}]


def test_a_former_slug_that_the_article_uses_again_is_not_a_redirect(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"slug": "first"})
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["second"]


def test_a_draft_cannot_take_a_former_slug(as_admin, as_reader, renamed_article):
    body = {"title": "x", "slug": "first", "category": {"uuid": str(renamed_article.category_id)}}
    response = as_admin.post(ARTICLES, json=body)
    assert (response.status_code, response.json["code"]) == (409, "slug_taken")
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=first").json] == ["second"]


def test_a_derived_slug_gets_a_number_if_it_equals_a_former_slug(as_admin, renamed_article, make_article):
    assert make_article(title="First").slug == "first-2"


def test_a_derived_slug_with_a_number_also_differs_from_former_slugs(as_admin, as_reader, make_article):
    article = make_article(slug="first-2")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    assert [make_article(title="First").slug for _ in range(2)] == ["first", "first-3"]
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=first-2").json] == ["second"]


def test_a_renamed_draft_makes_no_redirect(as_admin, as_reader, make_article):
    article = make_article(slug="secret", status="draft")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "other"})
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"status": "published"})
    assert as_reader.get(REDIRECTS).json == []


def test_an_article_that_is_no_longer_public_has_no_redirects(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"status": "archived"})
    assert as_reader.get(REDIRECTS).json == []
    assert as_reader.get(f"{ARTICLES}?slug=first").json == []


def test_a_scheduled_article_has_no_redirects_before_its_publication_time(
    as_admin, as_reader, renamed_article, set_clock
):
    time = datetime(2999, 1, 1, tzinfo=UTC)
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"published_at": time.isoformat()})
    for now, expected in ((time - timedelta.resolution, []), (time, ["first"])):
        set_clock(now)
        assert [row["old"] for row in as_reader.get(REDIRECTS).json] == expected
        assert len(as_reader.get(f"{ARTICLES}?slug=first").json) == len(expected)


def test_redirects_are_ordered_by_former_slug_and_show_the_time_of_the_change(
    as_admin, as_reader, make_article, set_clock
):
    for year, slug in ((2031, "b"), (2032, "c"), (2033, "a")):
        set_clock(datetime(year, 1, 1, tzinfo=UTC))
        path = f"{ARTICLES}{make_article(slug=slug).uuid}/"
        as_admin.patch(path, json={"slug": f"new-{slug}"})
    listed = as_reader.get(REDIRECTS).json
    assert [(row["old"], row["new"], row["created"][:4]) for row in listed] == [
        *(("a", "new-a", "2033"), ("b", "new-b", "2031"), ("c", "new-c", "2032")),
    ]
    assert as_reader.get(f"{REDIRECTS}?page=2&page_size=2").headers["X-Total-Count"] == "3"


def test_the_former_slugs_of_a_deleted_article_can_be_used_again(
    as_admin, as_reader, renamed_article, make_article
):
    as_admin.delete(f"{ARTICLES}{renamed_article.uuid}/")
    assert as_reader.get(REDIRECTS).json == []
    assert make_article(title="First").slug == "first"
