"""The service works while the system clock is set forward and back by a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi import clock
from blogapi.accounts.users import passwords
from blogapi.accounts.users import service as users
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN, ME = "/api/v1/auth/login/", "/api/v1/auth/me/"
CHANGES = "/api/v1/blog/changes/"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
# The offset of the clock after each change, in days; an hour passes between two changes.
OFFSETS = {
    "forward and back": (0, 1, 0, 0),
    "back and forward": (0, -1, 0, 0),
    "several times": (0, 1, -1, 2, -2, 0),
}


@pytest.fixture
def set_system_clock(set_clock, monkeypatch):
    """Return a function that sets the clock of the service and of its libraries."""

    def set_to(time):
        set_clock(time)
        monkeypatch.setattr("time.time", time.timestamp)

    set_to(NOON)
    return set_to


@pytest.fixture(params=OFFSETS.values(), ids=OFFSETS)
def clock_changes(request, set_system_clock):
    """Return an iterator that changes the clock and yields the number of each change."""

    def apply_changes():
        for hours, days in enumerate(request.param):
            set_system_clock(NOON + days * DAY + hours * HOUR)
            yield hours

    return apply_changes


@pytest.fixture
def blog(set_system_clock, make_article, make_tag):
    """An article in the past and one within the range of the clock changes."""
    past = make_article(title="Ago", published_at="2026-02-20T00:00:00Z", tags=(make_tag("t"),))
    future = make_article(title="Ahead", published_at="2026-03-02T00:00:00Z")
    return past, future


def write_and_read(client, number):
    """Write and read items of all resources; return the responses."""
    category = client.post(CATEGORIES, json={"name": f"C{number}"})
    article = {"title": f"A{number}", "status": "published", "category": {"uuid": category.json["uuid"]}}
    created = client.post(ARTICLES, json=article, headers={"Idempotency-Key": f"k{number}"})
    path = f"{ARTICLES}{created.json['uuid']}/"
    return [
        *(category, created, client.get(path)),
        client.patch(path, json={"title": f"B{number}"}, headers={"If-Match": created.headers["ETag"]}),
        client.put(f"{path}", json=client.get(path).json),
        *(client.get(f"{path}revisions/"), client.post(f"{path}revisions/1/restore/")),
        *(client.post(f"{path}preview/"), client.get(f"{path}preview/")),
        *(client.post(KEYS), client.get(KEYS), client.get(f"{ARTICLES}author/me/")),
        *(client.get(CHANGES), client.get(TAGS), client.get(CATEGORIES)),
    ]


def test_every_read_and_write_succeeds(clock_changes, blog, as_admin, as_reader):
    for number in clock_changes():
        responses = [
            *write_and_read(as_admin, number),
            *(as_reader.get(path) for path in (ARTICLES, TAGS, CHANGES)),
        ]
        assert [outcome(response) for response in responses if response.status_code >= 300] == []
        assert responses[6].json["title"] == f"A{number}"


def test_a_scheduled_article_becomes_visible_at_its_publication_time(clock_changes, blog, as_reader):
    for _ in clock_changes():
        titles = [article["title"] for article in as_reader.get(ARTICLES).json]
        later = outcome(as_reader.get(f"{ARTICLES}{blog[1].uuid}/")) != (404, "not_found")
        assert titles == (["Ahead", "Ago"] if later else ["Ago"])


def test_revisions_keep_the_order_of_the_writes(clock_changes, blog, as_admin):
    path, number = f"{ARTICLES}{blog[0].uuid}/", -1
    for number in clock_changes():
        assert as_admin.patch(path, json={"title": f"Version {number}"}).status_code == 200
    kept = [revision["number"] for revision in as_admin.get(f"{path}revisions/").json]
    assert sorted(kept) == list(range(1, number + 2)) and kept in (sorted(kept), sorted(kept)[::-1])


def get_position(cursor):
    return int(cursor.partition("-p")[2].split(".")[0])


def test_changes_keep_their_order_and_no_change_is_missed(clock_changes, blog, as_admin, as_reader):
    cursor, known = "0", {}
    for number in clock_changes():
        as_admin.post(TAGS, json={"name": f"tag {number}"})
        fed = as_reader.get(f"{CHANGES}?since={cursor}").json
        assert cursor == "0" or get_position(fed["cursor"]) > get_position(cursor)
        cursor = fed["cursor"]
        known |= {change["uuid"]: change["action"] for change in fed["changes"]}
        # A client that follows the feed has all articles of the blog. The client can also have an article
        # that was visible before the clock was set back.
        listed = {article["uuid"] for article in as_reader.get(ARTICLES).json}
        mirrored = {str(article.uuid) for article in blog if known.get(str(article.uuid)) == "fetch"}
        assert listed <= mirrored


def test_a_retry_is_idempotent_when_the_clock_is_set_back(set_system_clock, blog, as_admin):
    category = as_admin.get(CATEGORIES).json[0]["uuid"]
    body = {"title": "Once", "category": {"uuid": category}}
    created = [as_admin.post(ARTICLES, json=body, headers={"Idempotency-Key": "k"}).json["uuid"]]
    for time in (NOON - DAY, NOON, NOON + 23 * HOUR):
        set_system_clock(time)
        created.append(as_admin.post(ARTICLES, json=body, headers={"Idempotency-Key": "k"}).json["uuid"])
    assert len(set(created)) == 1


def test_a_login_stays_valid_during_clock_changes(app, people, as_stranger, clock_changes):
    with app.app_context():
        users.set_password("ada", "correct horse battery")
    logged_in = False
    for _ in clock_changes():
        if not logged_in:
            body = {"username": "ada", "password": "correct horse battery"}
            logged_in = as_stranger.post(LOGIN, json=body).status_code == 200
        assert as_stranger.get(ME).json["username"] == "ada"


def test_a_key_stays_valid_during_clock_changes_and_its_use_is_recorded(clock_changes, as_stranger, as_admin):
    created = as_stranger.post(KEYS).json
    header = {"X-API-KEY": created["public_state"]}
    as_stranger.get(TAGS, headers=header)
    for _ in clock_changes():
        assert as_stranger.get(TAGS, headers=header).status_code == 200
        key = as_admin.get(f"{KEYS}{created['uuid']}/").json
        # The use is recorded at most once an hour, and never in the future.
        used = datetime.fromisoformat(key["last_used"])
        assert timedelta() <= clock.now() - used < HOUR


def test_the_login_limit_does_not_depend_on_the_clock(make_app, make_client, set_system_clock, monkeypatch):
    monkeypatch.setattr(passwords, "verify_password", lambda digest, password: False)
    client = make_client(make_app(LOGIN_ACCOUNT_LIMIT="3 per minute"))
    found = []
    for days in (0, 1, -1, 0, 30):
        set_system_clock(NOON + days * DAY)
        found.append(client.post(LOGIN, json={"username": "ada", "password": "wrong"}).status_code)
    assert found == [401, 401, 401, 429, 429]


def test_the_request_limit_does_not_depend_on_the_clock(make_app, make_client, set_system_clock):
    client = make_client(make_app(REQUEST_ADDRESS_LIMIT="3 per minute"))
    found = []
    for days in (0, 1, -1, 0, 30):
        set_system_clock(NOON + days * DAY)
        response = client.get("/openapi.json")
        found.append(response.status_code)
    assert found == [200, 200, 200, 429, 429]
    assert 1 <= int(response.headers["Retry-After"]) <= 60
