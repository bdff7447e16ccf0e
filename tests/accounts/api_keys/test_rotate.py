"""Rotating a key: the settings of the new key, and how long the old key stays valid."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.accounts.api_keys.conftest import NOON, WRITE, is_valid, path_of
from tests.conftest import KEYS


def test_a_successor_has_the_settings_of_the_old_key(as_stranger, make_key, people):
    end = datetime(2999, 1, 1, tzinfo=UTC)
    key = make_key(people.member, WRITE, name="front end", expires=end)
    created = as_stranger.post(f"{path_of(key)}rotate/", headers={"X-API-KEY": key.value}).json
    assert list(created) == ["public_state", "uuid", "created"]
    header = {"X-API-KEY": created["public_state"]}
    shown = as_stranger.get(f"{KEYS}{created['uuid']}/", headers=header).json
    assert (shown["name"], shown["scopes"], shown["user"]) == (
        "front end",
        ["published", "read", "drafts", "write"],
        str(people.member.uuid),
    )
    assert shown["expires"] == "2999-01-01T00:00:00.000000+00:00"
    assert shown["uuid"] != str(key.uuid)


def test_the_old_key_is_valid_until_the_overlap_ends(as_stranger, make_key, people, set_clock):
    key = make_key(people.member, WRITE)
    set_clock(NOON)
    body, headers = {"overlap_seconds": 60}, {"X-API-KEY": key.value}
    new = as_stranger.post(f"{path_of(key)}rotate/", json=body, headers=headers).json["public_state"]
    set_clock(NOON + timedelta(seconds=59))
    assert (is_valid(as_stranger, key.value), is_valid(as_stranger, new)) == (True, True)
    set_clock(NOON + timedelta(seconds=60))
    assert (is_valid(as_stranger, key.value), is_valid(as_stranger, new)) == (False, True)


def test_an_expired_key_cannot_be_rotated(as_member, make_key, people):
    response = as_member.post(f"{path_of(make_key(people.member, expires=NOON))}rotate/")
    assert (response.status_code, response.json["code"]) == (403, "key_expired")


@pytest.mark.parametrize("overlap", [-1, 2_592_001, 1.5, "60", True, None, 10**30])
def test_rotate_refuses_an_invalid_overlap(as_stranger, make_key, people, overlap):
    key = make_key(people.member, WRITE)
    response = as_stranger.post(
        f"{path_of(key)}rotate/", json={"overlap_seconds": overlap}, headers={"X-API-KEY": key.value}
    )
    assert (response.status_code, list(response.json["errors"])) == (422, ["overlap_seconds"])
    assert is_valid(as_stranger, key.value)
