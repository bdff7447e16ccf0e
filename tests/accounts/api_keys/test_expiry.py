"""A key that expires cannot create a key that expires later."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.accounts.api_keys.conftest import WRITE, is_valid, path_of
from tests.conftest import KEYS
from tests.contracts.client import outcome


@pytest.fixture
def expiring_key(as_admin):
    """The uuid and the request header of a key of Ada, which expires at the end of 2998."""
    created = as_admin.post(KEYS, json={"expires": "2998-12-31T00:00:00Z", "scopes": ["write"]}).json
    return created["uuid"], {"X-API-KEY": created["public_state"]}


def test_a_new_key_inherits_the_expiry_of_the_callers_key(as_stranger, as_admin, expiring_key):
    created = as_stranger.post(KEYS, headers=expiring_key[1]).json
    assert as_admin.get(f"{KEYS}{created['uuid']}/").json["expires"] == "2998-12-31T00:00:00.000000+00:00"


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_key_cannot_give_itself_or_a_new_key_a_later_expiry_than_its_own(as_stranger, expiring_key, method):
    path = KEYS if method == "POST" else f"{KEYS}{expiring_key[0]}/"
    body = {"expires": "2999-01-01T00:00:00Z"}
    assert outcome(as_stranger.open(path, method=method, json=body, headers=expiring_key[1])) == (
        403,
        "scope_missing",
    )


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_key_cannot_remove_its_own_expiry(as_stranger, expiring_key, method):
    response = as_stranger.open(
        f"{KEYS}{expiring_key[0]}/", method=method, json={"expires": None}, headers=expiring_key[1]
    )
    assert response.json["expires"] == "2998-12-31T00:00:00.000000+00:00"


def test_the_owner_may_remove_the_expiry_of_a_key(as_admin, expiring_key):
    response = as_admin.patch(f"{KEYS}{expiring_key[0]}/", json={"expires": None})
    assert (response.status_code, response.json["expires"]) == (200, None)


@pytest.mark.parametrize(
    ("expires", "status"),
    [(None, 201), (datetime(2997, 1, 1, tzinfo=UTC), 201), (datetime(2999, 1, 1, tzinfo=UTC), 403)],
)
def test_a_rotation_cannot_create_a_key_that_expires_after_the_callers_key(
    as_stranger, as_admin, make_key, people, expiring_key, expires, status
):
    key = make_key(people.admin, WRITE, expires=expires)
    created = as_stranger.post(f"{path_of(key)}rotate/", headers=expiring_key[1])
    assert created.status_code == status
    assert is_valid(as_stranger, key.value) is (status == 403)
    if status == 201:
        bound = min(expires or datetime.max.replace(tzinfo=UTC), datetime(2998, 12, 31, tzinfo=UTC))
        shown = as_admin.get(f"{KEYS}{created.json['uuid']}/").json["expires"]
        assert shown == bound.isoformat(timespec="microseconds")
