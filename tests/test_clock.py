"""A clock on the wall that is set by a day, forth and back: nothing breaks, and what is told stays true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi import clock
from blogapi.users import passwords
from blogapi.users import service as users
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN, ME = "/api/v1/auth/login/", "/api/v1/auth/me/"
CHANGES = "/api/v1/blog/changes/"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
# Where the clock stands after each step, in days; an hour passes between two steps.
STEPS = {"forth and back": (0, 1, 0, 0), "back and forth": (0, -1, 0, 0), "to and fro": (0, 1, -1, 2, -2, 0)}


@pytest.fixture
def wall(at, monkeypatch):
    """Sets the clock of the service and that of its libraries."""

    def set_clock(moment):
        at(moment)
        monkeypatch.setattr("time.time", moment.timestamp)

    set_clock(NOON)
    return set_clock


@pytest.fixture(params=STEPS.values(), ids=STEPS)
def steps(request, wall):
    """Sets the clock, step by step."""

    def stepping():
        for hours, days in enumerate(request.param):
            wall(NOON + days * DAY + hours * HOUR)
            yield hours

    return stepping


@pytest.fixture
def blog(wall, make_article, make_tag):
    """An article of yesterday's and one of tomorrow's, within what the clock is set by."""
    ago = make_article(title="Ago", published_at="2026-02-20T00:00:00Z", tags=(make_tag("t"),))
    ahead = make_article(title="Ahead", published_at="2026-03-02T00:00:00Z")
    return ago, ahead


def written(client, number):
    """Write and read all kinds of things; return every answer."""
    category = client.post(CATEGORIES, json={"name": f"C{number}"})
    article = {"title": f"A{number}", "status": "published", "category": {"uuid": category.json["uuid"]}}
    made = client.post(ARTICLES, json=article, headers={"Idempotency-Key": f"k{number}"})
    path = f"{ARTICLES}{made.json['uuid']}/"
    return [
        *(category, made, client.get(path)),
        client.patch(path, json={"title": f"B{number}"}, headers={"If-Match": made.headers["ETag"]}),
        client.put(f"{path}", json=client.get(path).json),
        *(client.get(f"{path}revisions/"), client.post(f"{path}revisions/1/restore/")),
        *(client.post(f"{path}preview/"), client.get(f"{path}preview/")),
        *(client.post(KEYS), client.get(KEYS), client.get(f"{ARTICLES}author/me/")),
        *(client.get(CHANGES), client.get(TAGS), client.get(CATEGORIES)),
    ]


def test_every_read_and_write_works(steps, blog, as_admin, as_reader):
    for number in steps():
        answers = [*written(as_admin, number), *(as_reader.get(path) for path in (ARTICLES, TAGS, CHANGES))]
        assert [outcome(answer) for answer in answers if answer.status_code >= 300] == []
        assert answers[6].json["title"] == f"A{number}"


def test_an_article_is_there_when_the_clock_says_so(steps, blog, as_reader):
    for _ in steps():
        titles = [article["title"] for article in as_reader.get(ARTICLES).json]
        later = outcome(as_reader.get(f"{ARTICLES}{blog[1].uuid}/")) != (404, "not_found")
        assert titles == (["Ahead", "Ago"] if later else ["Ago"])


def test_the_revisions_stay_in_the_order_of_the_writes(steps, blog, as_admin):
    path, number = f"{ARTICLES}{blog[0].uuid}/", -1
    for number in steps():
        assert as_admin.patch(path, json={"title": f"Version {number}"}).status_code == 200
    kept = [revision["number"] for revision in as_admin.get(f"{path}revisions/").json]
    assert sorted(kept) == list(range(1, number + 2)) and kept in (sorted(kept), sorted(kept)[::-1])


def test_the_changes_stay_in_their_order_and_none_is_missed(steps, blog, as_admin, as_reader):
    cursor, known = "0", {}
    for number in steps():
        as_admin.post(TAGS, json={"name": f"tag {number}"})
        fed = as_reader.get(f"{CHANGES}?since={cursor}").json
        assert cursor == "0" or int(fed["cursor"][1:]) > int(cursor[1:])
        cursor = fed["cursor"]
        known |= {change["uuid"]: change["action"] for change in fed["changes"]}
        # A mirror that follows the feed shows what the blog shows.
        shown = {article["uuid"] for article in as_reader.get(ARTICLES).json}
        mirrored = {str(article.uuid) for article in blog if known.get(str(article.uuid)) == "fetch"}
        assert mirrored == shown


def test_a_retry_is_not_done_twice_when_the_clock_goes_back(wall, blog, as_admin):
    category = as_admin.get(CATEGORIES).json[0]["uuid"]
    body = {"title": "Once", "category": {"uuid": category}}
    made = [as_admin.post(ARTICLES, json=body, headers={"Idempotency-Key": "k"}).json["uuid"]]
    for moment in (NOON - DAY, NOON, NOON + 23 * HOUR):
        wall(moment)
        made.append(as_admin.post(ARTICLES, json=body, headers={"Idempotency-Key": "k"}).json["uuid"])
    assert len(set(made)) == 1


def test_a_login_outlives_the_steps(app, people, as_stranger, steps):
    with app.app_context():
        users.set_password("ada", "correct horse battery")
    logged_in = False
    for _ in steps():
        if not logged_in:
            body = {"username": "ada", "password": "correct horse battery"}
            logged_in = as_stranger.post(LOGIN, json=body).status_code == 200
        assert as_stranger.get(ME).json["username"] == "ada"


def test_a_key_outlives_the_steps_and_its_use_is_told(steps, as_stranger, as_admin):
    made = as_stranger.post(KEYS).json
    header = {"X-API-KEY": made["public_state"]}
    as_stranger.get(TAGS, headers=header)
    for _ in steps():
        assert as_stranger.get(TAGS, headers=header).status_code == 200
        shown = as_admin.get(f"{KEYS}{made['uuid']}/").json
        # Noted by the hour, and never in a future that the clock knows nothing of.
        used = datetime.fromisoformat(shown["last_used"]).replace(tzinfo=UTC)
        assert timedelta() <= clock.now() - used < HOUR


def test_a_failed_login_is_limited_alike_at_every_time(make_app, make_client, wall, monkeypatch):
    monkeypatch.setattr(passwords, "verify_password", lambda digest, password: False)
    client = make_client(make_app(LOGIN_ACCOUNT_LIMIT="3 per minute"))
    found = []
    for days in (0, 1, -1, 0, 30):
        wall(NOON + days * DAY)
        found.append(client.post(LOGIN, json={"username": "ada", "password": "wrong"}).status_code)
    assert found == [401, 401, 401, 429, 429]


def test_a_limit_on_requests_is_alike_at_every_time(make_app, make_client, wall):
    client = make_client(make_app(REQUEST_ADDRESS_LIMIT="3 per minute"))
    found = []
    for days in (0, 1, -1, 0, 30):
        wall(NOON + days * DAY)
        answer = client.get("/openapi.json")
        found.append(answer.status_code)
    assert found == [200, 200, 200, 429, 429]
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
