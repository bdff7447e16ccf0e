"""The feed of changes names the authors that readers can see, and those that they can no longer see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES, AUTHORS

CHANGES = "/api/v1/blog/changes/"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def guest(make_guest):
    return make_guest("Jo")


@pytest.fixture
def read_changes(as_reader, guest):
    """Return a function that reads what happened to the guest since its last call, as a reader."""
    cursor = "0"

    def read():
        nonlocal cursor
        response = as_reader.get(f"{CHANGES}?since={cursor}").json
        cursor = response["cursor"]
        authors = [change for change in response["changes"] if change["kind"] == "author"]
        assert all(change["uuid"] == str(guest.uuid) for change in authors)
        return [change["action"] for change in authors]

    return read


@pytest.fixture
def make(make_article, guest):
    """Return a function that creates an article of the guest."""
    return lambda **fields: f"{ARTICLES}{make_article(authors=[{'uuid': str(guest.uuid)}], **fields).uuid}/"


def test_an_author_is_fetched_with_the_first_public_article_and_dropped_with_the_last(
    as_admin, make, read_changes
):
    assert read_changes() == []
    first = make()
    assert read_changes() == ["fetch"]
    second = make()
    assert read_changes() == []
    as_admin.patch(first, json={"status": "draft"})
    assert read_changes() == []
    as_admin.delete(second)
    assert read_changes() == ["drop"]
    as_admin.patch(first, json={"status": "published"})
    assert read_changes() == ["fetch"]


def test_a_change_of_the_byline_shows_and_hides_authors(as_admin, as_reader, make, guest):
    path = make()
    cursor = as_reader.get(CHANGES).json["cursor"]
    as_admin.patch(path, json={"authors": [{"slug": "grace"}]})
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert {(change["kind"], change["action"]) for change in changes} == {
        *(("author", "fetch"), ("author", "drop"), ("article", "fetch"))
    }


def test_a_change_of_a_profile_is_reported_only_while_it_is_visible(as_admin, guest, make, read_changes):
    profile = f"{AUTHORS}{guest.uuid}/"
    as_admin.patch(profile, json={"bio": "One."})
    make(status="draft")
    assert read_changes() == []
    make()
    read_changes()
    as_admin.patch(profile, json={"bio": "Two."})
    assert read_changes() == ["fetch"]


def test_writes_of_hidden_authors_do_not_move_the_cursor_of_a_reader(as_admin, as_reader, make, guest):
    before = as_reader.get(CHANGES).json
    draft = make(status="draft")
    as_admin.patch(f"{AUTHORS}{guest.uuid}/", json={"bio": "One."})
    as_admin.patch(draft, json={"authors": [{"slug": "grace"}]})
    as_admin.delete(f"{AUTHORS}{guest.uuid}/")
    as_admin.post(AUTHORS, json={"name": "Other"})
    after = as_reader.get(CHANGES).json
    assert {change["kind"] for change in after["changes"]} == {"category"}
    # The category of the article is public.
    assert int(after["cursor"].rpartition("p")[2]) == 1 and before["changes"] == []


def test_an_author_with_a_scheduled_article_is_fetched_when_it_is_due(
    as_admin, make, read_changes, set_clock
):
    set_clock(NOON)
    late, early = (make(published_at=(NOON + hours * HOUR).isoformat()) for hours in (3, 2))
    assert read_changes() == []
    set_clock(NOON + HOUR)
    as_admin.patch(late, json={"published_at": (NOON + 4 * HOUR).isoformat()})
    assert read_changes() == []
    set_clock(NOON + 2 * HOUR)
    assert read_changes() == ["fetch"]
    set_clock(NOON + 3 * HOUR)
    as_admin.patch(early, json={"status": "archived"})
    assert read_changes() == ["drop"]
    set_clock(NOON + 4 * HOUR)
    assert read_changes() == ["fetch"]


def test_a_schedule_that_is_moved_forward_shows_the_author_earlier(as_admin, make, read_changes, set_clock):
    set_clock(NOON)
    path = make(published_at=(NOON + 3 * HOUR).isoformat())
    as_admin.patch(path, json={"published_at": (NOON + HOUR).isoformat()})
    assert read_changes() == []
    set_clock(NOON + HOUR)
    assert read_changes() == ["fetch"]


def test_a_bulk_delete_drops_each_author_once(as_admin, make, read_changes):
    paths = [make() for _ in range(3)]
    read_changes()
    query = "&".join(f"uuid={path.split('/')[-2]}" for path in paths)
    assert as_admin.delete(f"{ARTICLES}?{query}").status_code == 204
    assert read_changes() == ["drop"]


def test_a_bulk_change_drops_no_author_whose_other_article_it_changes(as_admin, make, read_changes):
    hidden, kept = (make().split("/")[-2] for _ in range(2))
    read_changes()
    items = [{"uuid": hidden, "status": "draft"}, {"uuid": kept, "title": "Still"}]
    assert as_admin.patch(ARTICLES, json=items).status_code == 200
    assert read_changes() == []
