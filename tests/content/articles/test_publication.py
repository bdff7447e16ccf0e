"""The status and the publication time of an article, and their effects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES
from tests.content.articles.conftest import FUTURE, OWN
from tests.contracts.client import outcome

TRANSITIONS = [
    ("draft", {"status": "published"}, "published"),
    ("draft", {"status": "published", "published_at": FUTURE}, "scheduled"),
    ("draft", {"status": "scheduled", "published_at": FUTURE}, "scheduled"),
    ("draft", {"status": "scheduled"}, 422),
    ("draft", {"status": "scheduled", "published_at": "2020-01-01T00:00:00Z"}, 422),
    ("draft", {"status": "published", "published_at": None}, "published"),
    ("draft", {"status": "archived"}, "archived"),
    ("draft", {"status": "burnt"}, 422),
    ("published", {"status": "draft"}, "draft"),
    ("published", {"status": "archived"}, "archived"),
    ("published", {"published_at": FUTURE}, "scheduled"),
    ("published", {"status": "scheduled"}, "published"),
    ("dated draft", {"status": "published"}, "published"),
    ("dated draft", {"status": "scheduled"}, "scheduled"),
    ("dated draft", {"status": "scheduled", "published_at": None}, "scheduled"),
    ("scheduled", {"status": "published"}, "published"),
    ("scheduled", {"status": "draft"}, "draft"),
    ("scheduled", {"status": "archived"}, "archived"),
    ("archived", {"status": "draft"}, "draft"),
    ("archived", {"status": "published"}, 409),
    ("archived", {"status": "scheduled", "published_at": FUTURE}, 409),
]


@pytest.mark.parametrize(("state", "change", "expected"), TRANSITIONS)
def test_each_change_of_status_has_the_expected_result(as_admin, write, state, change, expected):
    dated = {"published_at": FUTURE} if state in ("scheduled", "dated draft") else {}
    created = write(status=state.removeprefix("dated "), **dated)
    response = as_admin.patch(f"{ARTICLES}{created['uuid']}/", json=change)
    if isinstance(expected, int):
        assert response.status_code == expected
        assert as_admin.get(f"{ARTICLES}{created['uuid']}/").json == created
    else:
        assert response.json["status"] == expected


def test_an_article_that_is_published_again_keeps_its_first_publication_time(as_admin, write, set_clock):
    set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(status='published')['uuid']}/"
    set_clock(datetime(2026, 2, 2, tzinfo=UTC))
    as_admin.patch(path, json={"status": "draft"})
    as_admin.patch(path, json={"status": "published"})
    assert as_admin.get(f"{path}?fields=published_at").json["published_at"].startswith("2026-01-01")


def test_a_scheduled_article_needs_a_publication_time_in_the_future(as_admin, write, body, set_clock):
    now = datetime(2030, 1, 1, tzinfo=UTC)
    set_clock(now)
    refused = as_admin.post(ARTICLES, json=body(status="scheduled", published_at=now.isoformat()))
    assert (refused.status_code, list(refused.json["errors"])) == (422, ["published_at"])
    soon = (now + timedelta.resolution).isoformat()
    assert write(status="scheduled", published_at=soon)["status"] == "scheduled"
    assert write(status="published", published_at=now.isoformat())["status"] == "published"


def test_an_article_is_public_from_its_exact_publication_time_on(as_admin, as_reader, write, set_clock):
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    assert as_reader.get(path).json["status"] == "published"
    # The clock does not advance in this test, but readers have already seen the slug.
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"
    assert as_admin.patch(path, json={"slug": "new"}).json["slug"] == "new"
    assert [row["old"] for row in as_reader.get("/api/v1/blog/redirects/").json] == ["old"]
    for status, expected in (("published", ["New"]), ("scheduled", []), ("draft", [])):
        listed = as_admin.get(f"{OWN}?status={status}").json
        assert [article["title"] for article in listed] == expected


def test_a_public_article_keeps_its_slug_when_the_clock_is_set_back(as_admin, write, set_clock):
    set_clock(datetime(2031, 1, 1, tzinfo=UTC))
    path = f"{ARTICLES}{write(title='Old', status='published')['uuid']}/"
    set_clock(datetime(2030, 1, 1, tzinfo=UTC))
    assert as_admin.patch(path, json={"title": "New"}).json["slug"] == "old"


def test_an_unpublished_article_keeps_its_date_until_the_date_is_set_to_null(as_admin, write):
    day = "2020-01-01T00:00:00"
    path = f"{ARTICLES}{write(status='published', published_at=day)['uuid']}/"
    for change, left in (
        ({"status": "archived"}, f"{day}.000000+00:00"),
        ({"status": "draft"}, f"{day}.000000+00:00"),
        ({"published_at": None}, None),
    ):
        as_admin.patch(path, json=change)
        assert as_admin.get(f"{path}?fields=published_at").json == {"published_at": left}


def test_every_count_includes_a_scheduled_article_from_its_publication_time_on(
    as_admin, as_reader, write, set_clock
):
    write(status="scheduled", published_at=FUTURE, title="Ahead")
    for time, number in (
        (datetime(2998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), 0),
        (datetime(2999, 1, 1, tzinfo=UTC), 1),
    ):
        set_clock(time)
        assert as_reader.get(ARTICLES).headers["X-Total-Count"] == str(number)
        assert len(as_reader.get("/api/v1/blog/changes/").json["changes"]) == 3 + 2 * number
        (tag,) = [tag for tag in as_reader.get("/api/v1/blog/tags/").json if tag["name"] == "rye"]
        assert len(as_reader.get(f"/api/v1/blog/tags/{tag['uuid']}/").json["articles"]) == number


@pytest.mark.parametrize("state", [{"status": "published"}, {"status": "scheduled", "published_at": FUTURE}])
def test_the_publication_time_of_a_published_article_cannot_be_removed(as_admin, write, state):
    response = as_admin.patch(f"{ARTICLES}{write(**state)['uuid']}/", json={"published_at": None})
    assert (response.status_code, list(response.json["errors"])) == (422, ["published_at"])


def test_a_new_publication_time_changes_the_etag(as_admin, write):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FUTURE)['uuid']}/"
    etag = as_admin.get(path).headers["ETag"]
    as_admin.patch(path, json={"published_at": "2998-01-01T00:00:00Z"})
    assert outcome(as_admin.patch(path, json={}, headers={"If-Match": etag})) == (412, "stale")


def test_a_put_without_changes_has_no_effect_on_an_article_that_became_public_by_schedule(
    as_admin, write, set_clock
):
    path = f"{ARTICLES}{write(status='scheduled', published_at=FUTURE)['uuid']}/"
    set_clock(datetime(2999, 1, 2, tzinfo=UTC))
    before = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    read = as_admin.get(path).json
    stamp = as_admin.get(f"{path}?fields=last_updated").json
    set_clock(datetime(2999, 1, 3, tzinfo=UTC))
    assert as_admin.put(path, json=read).json == read
    assert as_admin.get(f"{path}?fields=last_updated").json == stamp
    assert as_admin.get("/api/v1/blog/changes/").json["cursor"] == before
