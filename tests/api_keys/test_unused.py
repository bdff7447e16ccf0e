"""Anonymous keys, which anybody may make: the unused ones go, and a flood of them stays small."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from blogapi import clock
from blogapi.api_keys import policy, service
from blogapi.api_keys.models import ApiKey
from blogapi.storage.connections import BUSY_SECONDS
from blogapi.storage.database import db, transaction
from tests.conftest import KEYS, TAGS
from tests.contracts.client import outcome
from tests.engines import SERVER, elsewhere

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, DAY, MOMENT = timedelta(hours=1), timedelta(days=1), timedelta(microseconds=1)


@pytest.fixture
def lend(as_stranger, at):
    """Makes a key over HTTP at noon, and returns it as a header."""

    def make():
        at(NOON)
        return {"X-API-KEY": as_stranger.post(KEYS).json["public_state"]}

    return make


@pytest.fixture
def keys(app):
    """Counts the keys that are stored."""

    def number():
        with app.app_context():
            return db.session.scalar(select(func.count()).select_from(ApiKey))

    return number


def size(app):
    """Return how large the database is, with all that is still beside it."""
    with elsewhere(app) as other:
        if SERVER:
            return other.scalar(text("SELECT pg_database_size(current_database())"))
        other.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(str(other.engine.url.database)).stat().st_size


def test_a_key_that_is_not_used_within_a_day_ends(as_stranger, lend, at):
    header = lend()
    at(NOON + DAY)
    answer = as_stranger.get(TAGS, headers=header)
    assert (answer.status_code, answer.json["code"]) == (401, "key_expired")


def test_a_key_that_is_used_within_a_day_stays(as_stranger, lend, at):
    header = lend()
    at(NOON + DAY - MOMENT)
    assert as_stranger.get(TAGS, headers=header).json == []
    at(NOON + 3650 * DAY)
    assert as_stranger.get(TAGS, headers=header).json == []


def test_until_its_first_use_a_key_is_shown_with_its_end(as_admin, as_stranger, lend):
    header = lend()
    (waiting,) = as_admin.get(f"{KEYS}?ownerless=true").json
    assert waiting["expires"] == "2026-03-02T12:00:00.000000"
    as_stranger.get(TAGS, headers=header)
    used = as_admin.get(f"{KEYS}{waiting['uuid']}/").json
    assert (used["expires"], used["last_used"]) == (None, "2026-03-01T12:00:00.000000")


def test_an_end_that_somebody_set_stands(as_admin, as_stranger, lend, at):
    header = lend()
    uuid = as_admin.get(f"{KEYS}?ownerless=true").json[0]["uuid"]
    as_admin.patch(f"{KEYS}{uuid}/", json={"expires": "2026-03-01T18:00:00Z"})
    assert as_stranger.get(TAGS, headers=header).json == []
    at(NOON + 6 * HOUR)
    assert outcome(as_stranger.get(TAGS, headers=header)) == (401, "key_expired")


def test_the_successor_of_an_unused_key_waits_anew(as_admin, as_stranger, lend, at):
    lend()
    uuid = as_admin.get(f"{KEYS}?ownerless=true").json[0]["uuid"]
    at(NOON + 23 * HOUR)
    successor = {"X-API-KEY": as_admin.post(f"{KEYS}{uuid}/rotate/").json["public_state"]}
    at(NOON + 30 * HOUR)
    assert as_stranger.get(TAGS, headers=successor).json == []
    at(NOON + 300 * HOUR)
    assert as_stranger.get(TAGS, headers=successor).json == []


@pytest.mark.parametrize("who", ["as_member", "as_admin"])
def test_the_key_of_a_user_waits_for_its_use(request, as_stranger, at, who):
    at(NOON)
    client = request.getfixturevalue(who)
    header = {"X-API-KEY": client.post(KEYS).json["public_state"]}
    at(NOON + 3650 * DAY)
    client.post(KEYS)
    assert as_stranger.get(TAGS, headers=header).json == []


def test_a_key_of_the_command_line_waits_for_its_use(app, as_stranger, at):
    at(NOON)
    made = app.test_cli_runner().invoke(args=["key", "create"])
    at(NOON + 3650 * DAY)
    with app.app_context():
        service.delete_expired()
    header = {"X-API-KEY": made.stdout.splitlines()[-1]}
    assert as_stranger.get(TAGS, headers=header).json == []


def test_a_start_clears_away_what_is_over(make_app, make_client, lend, at, keys):
    for _ in range(3):
        lend()
    left = []
    for moment in (NOON, NOON + DAY - MOMENT, NOON + DAY):
        at(moment)
        make_app()
        left.append(keys())
    assert left == [3, 3, 0]


def test_a_key_that_was_used_is_shown_as_ended_for_a_day(make_app, as_stranger, people, lend, at, keys):
    header = lend()
    as_stranger.get(TAGS, headers=header)
    with people.app.app_context(), transaction():
        db.session.scalars(select(ApiKey)).one().expires = NOON + 6 * HOUR
    at(NOON + 30 * HOUR - MOMENT)
    make_app()
    assert as_stranger.get(TAGS, headers=header).json["code"] == "key_expired"
    at(NOON + 30 * HOUR)
    make_app()
    assert keys() == 0


def test_to_create_one_clears_away_what_is_over(app, lend, at, keys):
    for _ in range(3):
        lend()
    at(NOON + DAY)
    with app.app_context():
        for _ in range(service.SWEEP_INTERVAL):
            service.create_anonymous()
    assert keys() == service.SWEEP_INTERVAL


def test_a_start_waits_for_nobody_who_writes(app, make_app, lend, at, keys):
    lend()
    at(NOON + DAY)
    with elsewhere(app, writing=True):
        before = clock.steady()
        make_app()
        assert clock.steady() - before < BUSY_SECONDS
    assert keys() == 1


def test_a_flood_of_many_addresses_stays_under_a_megabyte(app, keys):
    before = size(app)
    # In one transaction, since each of its own takes as long as a disk does.
    with app.app_context(), transaction():
        kept = service.issue(None).uuid
        for _ in range(policy.MAX_UNUSED_KEYS + 200):
            newest = service.create_anonymous()
        assert db.session.get(ApiKey, kept) and db.session.get(ApiKey, newest.uuid)
    assert policy.MAX_UNUSED_KEYS <= keys() <= policy.MAX_UNUSED_KEYS + service.SWEEP_INTERVAL + 1
    assert size(app) - before < 1_000_000


def test_a_flood_of_one_address_ends_at_the_limit(make_app, make_client, monkeypatch, keys):
    passed = [0.0]
    monkeypatch.setattr(clock, "steady", lambda: passed[0])
    client = make_client(make_app(KEY_LIMIT="30 per minute; 100 per hour"))
    made = 0
    for _ in range(600):
        passed[0] += 1
        made += client.post(KEYS).status_code == 201
    assert made == keys() == 100
