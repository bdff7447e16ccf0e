"""Unused anonymous keys expire, so that creating many keys needs little disk space."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from blogapi import clock
from blogapi.accounts.api_keys import permissions, service
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.storage.database import db, transaction
from tests.conftest import KEYS, TAGS
from tests.contracts.client import outcome
from tests.databases import SERVER_URL, other_connection

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, DAY, MICROSECOND = timedelta(hours=1), timedelta(days=1), timedelta(microseconds=1)


@pytest.fixture
def create_key(as_stranger, set_clock):
    """Creates an anonymous key over HTTP at noon and returns the request header with the key."""

    def make():
        set_clock(NOON)
        return {"X-API-KEY": as_stranger.post(KEYS).json["public_state"]}

    return make


@pytest.fixture
def count_keys(app):
    """Counts the stored keys."""

    def count():
        with app.app_context():
            return db.session.scalar(select(func.count()).select_from(ApiKey))

    return count


def database_size(app):
    """Return the size of the database in bytes, with its write-ahead log."""
    with other_connection(app) as other:
        if SERVER_URL:
            return other.scalar(text("SELECT pg_database_size(current_database())"))
        other.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(str(other.engine.url.database)).stat().st_size


def test_a_key_that_is_not_used_within_a_day_expires(as_stranger, create_key, set_clock):
    header = create_key()
    set_clock(NOON + DAY)
    response = as_stranger.get(TAGS, headers=header)
    assert (response.status_code, response.json["code"]) == (401, "key_expired")


def test_a_key_that_is_used_within_a_day_does_not_expire(as_stranger, create_key, set_clock):
    header = create_key()
    set_clock(NOON + DAY - MICROSECOND)
    assert as_stranger.get(TAGS, headers=header).json == []
    set_clock(NOON + 3650 * DAY)
    assert as_stranger.get(TAGS, headers=header).json == []


def test_an_unused_key_shows_an_expiry_until_its_first_use(as_admin, as_stranger, create_key):
    header = create_key()
    (waiting,) = as_admin.get(f"{KEYS}?ownerless=true").json
    assert waiting["expires"] == "2026-03-02T12:00:00.000000+00:00"
    as_stranger.get(TAGS, headers=header)
    used = as_admin.get(f"{KEYS}{waiting['uuid']}/").json
    assert (used["expires"], used["last_used"]) == (None, "2026-03-01T12:00:00.000000+00:00")


def test_the_first_use_of_a_key_does_not_remove_an_expiry_set_by_an_admin(
    as_admin, as_stranger, create_key, set_clock
):
    header = create_key()
    uuid = as_admin.get(f"{KEYS}?ownerless=true").json[0]["uuid"]
    as_admin.patch(f"{KEYS}{uuid}/", json={"expires": "2026-03-01T18:00:00Z"})
    assert as_stranger.get(TAGS, headers=header).json == []
    set_clock(NOON + 6 * HOUR)
    assert outcome(as_stranger.get(TAGS, headers=header)) == (401, "key_expired")


def test_a_first_use_within_a_day_of_the_rotation_keeps_the_successor_of_an_unused_key_valid(
    as_admin, as_stranger, create_key, set_clock
):
    create_key()
    uuid = as_admin.get(f"{KEYS}?ownerless=true").json[0]["uuid"]
    set_clock(NOON + 23 * HOUR)
    successor = {"X-API-KEY": as_admin.post(f"{KEYS}{uuid}/rotate/").json["public_state"]}
    set_clock(NOON + 30 * HOUR)
    assert as_stranger.get(TAGS, headers=successor).json == []
    set_clock(NOON + 300 * HOUR)
    assert as_stranger.get(TAGS, headers=successor).json == []


@pytest.mark.parametrize("caller", ["as_member", "as_admin"])
def test_an_unused_key_of_a_user_does_not_expire(request, as_stranger, set_clock, caller):
    set_clock(NOON)
    client = request.getfixturevalue(caller)
    header = {"X-API-KEY": client.post(KEYS).json["public_state"]}
    set_clock(NOON + 3650 * DAY)
    client.post(KEYS)
    assert as_stranger.get(TAGS, headers=header).json == []


def test_an_unused_key_created_on_the_command_line_does_not_expire(app, as_stranger, set_clock):
    set_clock(NOON)
    created = app.test_cli_runner().invoke(args=["key", "create"])
    set_clock(NOON + 3650 * DAY)
    with app.app_context():
        service.delete_expired_anonymous_keys()
    header = {"X-API-KEY": created.stdout.splitlines()[-1]}
    assert as_stranger.get(TAGS, headers=header).json == []


def test_starting_the_application_deletes_expired_keys(
    make_app, make_client, create_key, set_clock, count_keys
):
    for _ in range(3):
        create_key()
    left = []
    for time in (NOON, NOON + DAY - MICROSECOND, NOON + DAY):
        set_clock(time)
        make_app()
        left.append(count_keys())
    assert left == [3, 3, 0]


def test_an_expired_key_that_was_used_is_deleted_a_day_after_its_expiry(
    make_app, as_stranger, people, create_key, set_clock, count_keys
):
    header = create_key()
    as_stranger.get(TAGS, headers=header)
    with people.app.app_context(), transaction():
        db.session.scalars(select(ApiKey)).one().expires = NOON + 6 * HOUR
    set_clock(NOON + 30 * HOUR - MICROSECOND)
    make_app()
    assert as_stranger.get(TAGS, headers=header).json["code"] == "key_expired"
    set_clock(NOON + 30 * HOUR)
    make_app()
    assert count_keys() == 0


def test_creating_keys_deletes_expired_keys(app, create_key, set_clock, count_keys):
    for _ in range(3):
        create_key()
    set_clock(NOON + DAY)
    with app.app_context():
        service.create_anonymous_key()
    assert count_keys() == 1


def test_starting_the_application_does_not_wait_for_a_writer(
    app, make_app, create_key, set_clock, count_keys, lock_timeouts
):
    create_key()
    set_clock(NOON + DAY)
    lock_timeouts.clear()
    with other_connection(app, writing=True):
        make_app()
    assert set(lock_timeouts) == {0}
    assert count_keys() == 1


@pytest.mark.slow
def test_unused_keys_need_less_than_a_megabyte_of_disk_space(app, count_keys):
    before = database_size(app)
    # All keys are created in one transaction, because every commit waits for the disk.
    with app.app_context(), transaction():
        kept = service.issue_key(None).uuid
        for _ in range(permissions.MAX_UNUSED_KEYS + 200):
            newest = service.create_anonymous_key()
        assert db.session.get(ApiKey, kept) and db.session.get(ApiKey, newest.uuid)
    # The key that does not expire, and the newest one, which was created after the others were deleted.
    assert count_keys() == permissions.MAX_UNUSED_KEYS + 2
    assert database_size(app) - before < 1_000_000


def test_one_address_cannot_create_more_keys_than_the_limit(make_app, make_client, monkeypatch, count_keys):
    passed = [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    client = make_client(make_app(KEY_LIMIT="30 per minute; 100 per hour"))
    created = 0
    for _ in range(600):
        passed[0] += 1
        created += client.post(KEYS).status_code == 201
    assert created == count_keys() == 100
