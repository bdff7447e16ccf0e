"""Slugs are derived from titles or given in requests. A new title does not change a slug that was public."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.conftest import ARTICLES
from tests.content.articles.conftest import FUTURE


def test_a_slug_is_derived_from_the_title_unless_the_request_contains_a_slug(as_admin, write, body):
    assert [write(title="Été à Łódź")["slug"] for _ in range(3)] == [
        f"ete-a-lodz{end}" for end in ("", "-2", "-3")
    ]
    assert write(title="日本語の題")["slug"] == "日本語の題"
    assert write(title="🎉")["slug"]
    assert write(slug="my-own")["slug"] == "my-own"
    taken = as_admin.post(ARTICLES, json=body(slug="my-own"))
    assert (taken.status_code, taken.json["code"]) == (409, "slug_taken")
    wrong = as_admin.post(ARTICLES, json=body(slug="Not a Slug"))
    assert (wrong.status_code, list(wrong.json["errors"])) == (422, ["slug"])


def test_the_slug_of_a_draft_follows_the_title_until_the_draft_is_published(as_admin, write):
    path = f"{ARTICLES}{write(title='One')['uuid']}/"
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "two"
    as_admin.patch(path, json={"status": "published"})
    assert as_admin.patch(path, json={"title": "Three"}).json["slug"] == "two"
    as_admin.patch(path, json={"status": "draft"})
    assert as_admin.patch(path, json={"title": "Four"}).json["slug"] == "two"


def test_a_given_slug_does_not_follow_the_title(as_admin, write):
    path = f"{ARTICLES}{write(title='One', slug='mine')['uuid']}/"
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "mine"


@pytest.mark.parametrize("day", ["2020-01-01T00:00:00Z", None, FUTURE])
def test_a_slug_given_in_a_later_change_does_not_follow_the_title(as_admin, write, day):
    path = f"{ARTICLES}{write(title='One', published_at=day)['uuid']}/"
    # A PUT with the slug from the preceding GET does not count as setting the slug.
    as_admin.put(path, json=as_admin.get(path).json)
    assert as_admin.patch(path, json={"title": "Two"}).json["slug"] == "two"
    assert as_admin.patch(path, json={"slug": "mine", "title": "Three"}).json["slug"] == "mine"
    assert as_admin.patch(path, json={"title": "Four"}).json["slug"] == "mine"


def test_a_put_without_a_slug_keeps_the_slug_of_a_public_article(as_admin, write, body):
    path = f"{ARTICLES}{write(title='One', status='published')['uuid']}/"
    replaced = as_admin.put(path, json=body(title="Two", status="published")).json
    assert (replaced["slug"], replaced["title"]) == ("one", "Two")


@pytest.mark.parametrize("slug", ["a" * 255, "a" * 240 + "-2", "report-2024"])
def test_a_slug_given_in_a_request_is_never_changed(as_admin, write, slug):
    created = write(title="Report", slug=slug)
    path = f"{ARTICLES}{created['uuid']}/"
    assert as_admin.patch(path, json={"title": "Annual"}).json["slug"] == slug
    read = as_admin.get(path).json
    as_admin.delete(path)
    assert as_admin.put(path, json=read).json["slug"] == slug


def test_a_new_title_of_a_draft_with_a_date_changes_the_slug_and_makes_no_redirect(
    as_admin, as_reader, write
):
    path = f"{ARTICLES}{write(title='Secret codename', published_at=FUTURE)['uuid']}/"
    assert as_admin.patch(path, json={"title": "Launch"}).json["slug"] == "launch"
    published = as_admin.patch(path, json={"status": "published", "published_at": "2020-01-01T00:00:00Z"})
    assert published.json["status"] == "published"
    assert as_reader.get("/api/v1/blog/redirects/").json == []


def test_an_article_is_still_found_by_its_former_public_slug_after_a_rename(as_admin, as_reader, write):
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    as_admin.patch(path, json={"status": "draft", "published_at": None})
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new", "status": "published"})
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=old").json] == ["new"]


def test_an_article_that_became_public_by_schedule_keeps_its_slug(as_admin, as_reader, write, set_clock):
    path = f"{ARTICLES}{write(title='Old', status='scheduled', published_at=FUTURE)['uuid']}/"
    set_clock(datetime(2999, 1, 2, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    as_admin.patch(path, json={"slug": "new"})
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]
