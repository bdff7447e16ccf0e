"""A scheduled article takes the edits of those who may publish it when they are saved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi.web.access import Role
from tests.contracts.client import outcome

BLOG = "/api/v1/blog/"
DUE = datetime(2030, 5, 1, 12, tzinfo=UTC)
BEFORE = DUE - timedelta(days=1)
KINDS = [("articles", "scheduled"), ("articles", "unlisted"), ("pages", "scheduled"), ("pages", "unlisted")]


@pytest.fixture(autouse=True)
def before(people, set_clock):
    """It is the day before the time of publication."""
    set_clock(BEFORE)


@pytest.fixture
def schedule(as_admin):
    """Return a function that creates a scheduled item and returns its path."""

    def make(kind="articles", status="scheduled", **fields):
        times = {"status": status, "published_at": DUE.isoformat()}
        body = {"title": "One", "content": "first", **times, **fields}
        created = as_admin.post(f"{BLOG}{kind}/", json=body)
        assert (created.status_code, created.json["status"]) == (201, "scheduled"), created.json
        return f"{BLOG}{kind}/{created.json['uuid']}/"

    return make


@pytest.fixture
def as_grace(app, people, make_client):
    """Another admin."""
    return make_client(app, people.key(people.other_admin, "write"))


def save(client, path, *, etag=None, **fields):
    """Save a working copy, and return the response."""
    headers = {"If-Match": etag} if etag else {}
    answer = client.put(
        f"{path}working-copy/", json={"title": "Two", "content": "x"} | fields, headers=headers
    )
    assert answer.status_code in (200, 201, 412), answer.json
    return answer


def read(client, path, names="title,status,working_copy"):
    return client.get(path, query_string={"fields": names}).json


def titles(client, path):
    """Return the titles of the versions in the history, the oldest first."""
    rows = client.get(f"{path}revisions/").json
    return [row["title"] for row in reversed(rows)]


def is_copy(client, path):
    status = client.get(f"{path}working-copy/").status_code
    assert status in (200, 404)
    return status == 200


@pytest.mark.parametrize(("kind", "status"), KINDS)
def test_what_is_saved_goes_live_at_the_time(as_admin, as_reader, schedule, set_clock, kind, status):
    path = schedule(kind, status)
    saved = save(as_admin, path, content="second", seo={"description": "Written"})
    item = as_admin.get(path)
    assert (saved.status_code, saved.headers["ETag"]) == (200, item.headers["ETag"])
    expected = {"version": 2, "base_version": 2, "not_live": [], "slug": "two", "content": "second"}
    assert {name: saved.json[name] for name in expected} == expected
    assert (saved.json["seo"]["title"], saved.json["seo"]["description"]) == ("", "Written")
    assert saved.json["user"]["username"] == "ada"
    assert saved.json["article"] == item.json["uuid"]
    assert not is_copy(as_admin, path)
    assert read(as_admin, path) == {
        "title": "Two",
        "status": "scheduled",
        "working_copy": None,
    }
    assert as_reader.get(path).status_code == 404
    set_clock(DUE)
    shown = as_reader.get(path).json
    assert (shown["title"], shown["content"]) == ("Two", "second")
    assert shown["status"] == ("unlisted" if status == "unlisted" else "published")
    # From now on, a save is a working copy again.
    late = save(as_admin, path, title="Late", etag=as_admin.get(path).headers["ETag"])
    assert (late.status_code, late.json["not_live"], late.json["base_version"]) == (201, None, 2)
    assert as_reader.get(path).json["title"] == "Two"


def test_the_answer_is_the_body_of_a_save_that_changes_nothing(as_admin, as_grace, schedule):
    path = schedule()
    saved = save(as_admin, path, subtitle="s")
    again = as_grace.put(f"{path}working-copy/", json=saved.json)
    assert (again.status_code, again.json) == (200, saved.json)
    assert again.headers["ETag"] == saved.headers["ETag"]
    assert titles(as_admin, path) == ["One"]


def test_the_saves_of_one_user_in_ten_minutes_add_one_version(as_admin, schedule, set_clock):
    path = schedule()
    for minutes, title in ((0, "a"), (4, "b"), (9, "c"), (10, "d"), (19, "e"), (20, "f")):
        set_clock(BEFORE + timedelta(minutes=minutes))
        saved = save(as_admin, path, title=title)
        assert saved.json["title"] == title
    assert saved.json["version"] == 7
    assert titles(as_admin, path) == ["One", "c", "e"]


def test_a_save_by_somebody_else_ends_the_saves(as_admin, as_grace, schedule):
    path = schedule()
    for client, title in (
        (as_admin, "a"),
        (as_admin, "b"),
        (as_grace, "c"),
        (as_grace, "d"),
        (as_admin, "e"),
    ):
        save(client, path, title=title)
    assert titles(as_admin, path) == ["One", "b", "d"]


def test_a_named_version_ends_the_saves(as_admin, schedule):
    path = schedule()
    for title in "ab":
        save(as_admin, path, title=title)
    assert as_admin.post(f"{path}revisions/", json={"name": "Kept"}).status_code == 201
    for title in "cde":
        save(as_admin, path, title=title)
    assert titles(as_admin, path) == ["One", "b"]
    assert as_admin.patch(f"{path}revisions/6/", json={"name": "Kept too"}).status_code == 200
    for title in "fg":
        save(as_admin, path, title=title)
    assert titles(as_admin, path) == ["One", "b", "e"]


@pytest.mark.parametrize(
    "fields", [{"status": "unlisted", "published_at": DUE.isoformat()}, {"subtitle": "changed"}]
)
def test_another_write_ends_the_saves(as_admin, schedule, fields):
    path = schedule()
    for title in "ab":
        save(as_admin, path, title=title)
    assert as_admin.patch(path, json=fields).status_code == 200
    assert titles(as_admin, path) == ["One", "b"]
    for title in "cd":
        save(as_admin, path, title=title)
    # The first "b" was replaced by that write, and the second one by the save of "c".
    assert titles(as_admin, path) == ["One", "b", "b"]


def test_a_publication_keeps_what_was_saved_last(as_admin, as_reader, schedule):
    path = schedule()
    etag = [save(as_admin, path, title=title) for title in "ab"][-1].headers["ETag"]
    published = as_admin.post(
        f"{path}working-copy/publish/", json={"status": "published"}, headers={"If-Match": etag}
    )
    assert (published.status_code, published.json["status"]) == (200, "published")
    assert as_reader.get(path).json["title"] == "b"
    assert titles(as_admin, path) == ["One", "b"]


def test_a_save_and_a_publication_are_refused_after_a_change_of_somebody_else(as_admin, as_grace, schedule):
    path = schedule()
    first = as_admin.get(path).headers["ETag"]
    hers = save(as_grace, path, title="Hers", etag=first)
    assert hers.status_code == 200
    stale = save(as_admin, path, title="Mine", etag=first)
    assert (outcome(stale), stale.headers["ETag"]) == ((412, "stale"), hers.headers["ETag"])
    publish = f"{path}working-copy/publish/"
    assert outcome(as_admin.post(publish, headers={"If-Match": first})) == (412, "stale")
    assert read(as_admin, path, "title,status") == {"title": "Hers", "status": "scheduled"}
    mine = save(as_admin, path, title="Mine", etag=hers.headers["ETag"])
    again = save(as_admin, path, title="Mine too", etag=mine.headers["ETag"])
    assert again.status_code == 200
    as_grace.patch(path, json={"subtitle": "hers"})
    assert outcome(as_admin.post(publish, headers={"If-Match": again.headers["ETag"]})) == (412, "stale")


def test_a_save_without_if_match_can_be_refused(as_admin, schedule, app, monkeypatch):
    path = schedule()
    monkeypatch.setitem(app.config, "REQUIRE_IF_MATCH", True)
    refused = as_admin.put(f"{path}working-copy/", json={"title": "Two"})
    assert outcome(refused) == (428, "if_match_required")
    assert save(as_admin, path, etag=as_admin.get(path).headers["ETag"]).status_code == 200


# What does not go live


def test_the_edits_of_an_author_who_may_not_publish_stay_edits(as_admin, as_author, as_reader, set_clock):
    created = as_author.post(f"{BLOG}articles/", json={"title": "One", "content": "first"})
    path = f"{BLOG}articles/{created.json['uuid']}/"
    as_admin.patch(path, json={"status": "scheduled", "published_at": DUE.isoformat()})
    saved = save(as_author, path)
    assert (saved.status_code, saved.json["not_live"]) == (201, None)
    # An editor does not publish them by correcting a word.
    assert save(as_admin, path, title="Corrected").json["not_live"] is None
    assert read(as_admin, path, "title") == {"title": "One"}
    set_clock(DUE)
    assert as_reader.get(path).json["title"] == "One"


def test_an_author_who_may_publish_writes_into_own_articles_only(as_admin, as_role, schedule):
    publisher = as_role(Role.AUTHOR, can_publish=True)
    created = publisher.post(
        f"{BLOG}articles/", json={"title": "One", "status": "scheduled", "published_at": DUE.isoformat()}
    )
    path = f"{BLOG}articles/{created.json['uuid']}/"
    assert save(publisher, path).json["not_live"] == []
    assert read(publisher, path, "title") == {"title": "Two"}
    other = schedule()
    assert publisher.put(f"{other}working-copy/", json={"title": "Two"}).status_code == 404
    guest = as_admin.post(f"{BLOG}authors/", json={"name": "Guest"}).json["uuid"]
    byline = publisher.put(f"{path}working-copy/", json={"title": "Three", "authors": [guest]})
    assert outcome(byline) == (403, "forbidden")


@pytest.mark.parametrize("kind", ["articles", "pages"])
def test_a_copy_that_exists_when_the_item_is_scheduled_stays_one(as_admin, schedule, kind):
    path = schedule(kind)
    as_admin.patch(path, json={"status": "draft"})
    assert save(as_admin, path).status_code == 201
    as_admin.patch(path, json={"status": "scheduled", "published_at": DUE.isoformat()})
    saved = save(as_admin, path, title="Three")
    assert (saved.status_code, saved.json["not_live"]) == (200, None)
    assert read(as_admin, path, "title,status") == {"title": "One", "status": "scheduled"}
    # Its publication takes it, and the next save goes into the article.
    as_admin.post(f"{path}working-copy/publish/", json={"status": "scheduled"})
    assert read(as_admin, path, "title,status") == {"title": "Three", "status": "scheduled"}
    assert save(as_admin, path, title="Four").json["not_live"] == []


def test_a_taken_slug_stays_a_working_copy_until_it_is_corrected(as_admin, schedule, make_article):
    path = schedule()
    make_article(slug="taken")
    refused = save(as_admin, path, slug="taken", etag=as_admin.get(path).headers["ETag"])
    assert refused.status_code == 201
    assert refused.json["not_live"] == ["The slug 'taken' is taken; choose another."]
    shown = as_admin.get(f"{path}working-copy/")
    assert (shown.json, shown.headers["ETag"]) == (refused.json, refused.headers["ETag"])
    assert read(as_admin, path, "title,slug") == {"title": "One", "slug": "one"}
    # The slug still follows the title of a scheduled article.
    corrected = save(as_admin, path, title="Three", etag=refused.headers["ETag"])
    assert (corrected.status_code, corrected.json["not_live"]) == (200, [])
    assert read(as_admin, path, "title,slug") == {"title": "Three", "slug": "three"}
    assert not is_copy(as_admin, path)
    assert titles(as_admin, path) == ["One"]


def test_a_missing_field_stays_a_working_copy(as_admin, as_login, schedule):
    definition = {
        "name": "rating",
        "label": "Rating",
        "type": "number",
        "required": True,
        "kinds": ["article"],
    }
    assert as_login.post(f"{BLOG}fields/", json=definition).status_code == 201
    path = schedule(custom={"rating": 3})
    refused = save(as_admin, path, custom={"rating": None})
    assert refused.json["not_live"] == ["Rating is missing; a published article needs it."]
    assert read(as_admin, path, "title,custom") == {"title": "One", "custom": {"rating": 3}}
    assert save(as_admin, path, custom={"rating": 4}).json["not_live"] == []
    assert read(as_admin, path, "custom") == {"custom": {"rating": 4}}


def test_refused_edits_do_not_overwrite_a_later_change(as_admin, as_grace, schedule, make_article):
    path = schedule()
    make_article(slug="taken")
    refused = save(as_admin, path, slug="taken").headers["ETag"]
    as_grace.patch(path, json={"title": "Hers"})
    late = save(as_admin, path, title="Mine", etag=refused)
    assert late.json["not_live"][0].startswith("The article has changed since the version")
    assert read(as_admin, path, "title") == {"title": "Hers"}
    both = f"{late.headers['ETag']}, {as_admin.get(path).headers['ETag']}"
    assert save(as_admin, path, title="Mine", etag=both).json["not_live"] == []
    assert titles(as_admin, path) == ["One", "Hers"]


def test_an_author_takes_over_edits_that_were_refused(as_admin, as_author, make_article):
    created = as_author.post(f"{BLOG}articles/", json={"title": "One", "content": "first"})
    path = f"{BLOG}articles/{created.json['uuid']}/"
    as_admin.patch(path, json={"status": "scheduled", "published_at": DUE.isoformat()})
    make_article(slug="taken")
    assert len(save(as_admin, path, slug="taken").json["not_live"]) == 1
    assert save(as_author, path).json["not_live"] is None
    assert save(as_admin, path).json["not_live"] is None
    assert read(as_admin, path, "title") == {"title": "One"}


# Who is told


@pytest.mark.parametrize("kind", ["articles", "pages"])
def test_nobody_is_told_of_a_save_before_the_time(as_admin, as_reader, schedule, set_clock, kind):
    path = schedule(kind)
    changes = f"{BLOG}changes/?since=0"
    before = as_reader.get(changes)
    assert before.status_code == 200
    save(as_admin, path)
    after = as_reader.get(changes)
    assert (after.data, after.headers["ETag"]) == (before.data, before.headers["ETag"])
    set_clock(DUE + timedelta(seconds=1))
    told = as_reader.get(changes).json["changes"]
    due = [(one["kind"], one["action"]) for one in told if one["uuid"] in path]
    assert due == [(kind.removesuffix("s"), "fetch")]
