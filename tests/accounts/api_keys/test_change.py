"""Changing the name and the expiry of a key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.accounts.api_keys.conftest import NOON, READ, WRITE, is_valid, path_of
from tests.contracts.client import outcome


@pytest.mark.parametrize("method", ["PATCH", "PUT", "POST"])
@pytest.mark.parametrize(
    ("owner", "scopes", "status"),
    [
        pytest.param("other_admin", WRITE, 404, id="hidden"),
        pytest.param("member", READ, 403, id="narrow"),
    ],
)
def test_access_is_checked_before_the_body_is_read(
    app, make_client, make_key, people, method, owner, scopes, status
):
    key = make_key(getattr(people, owner), WRITE)
    client = make_client(app, make_key(people.member, scopes).value)
    path = path_of(key) + ("rotate/" if method == "POST" else "")
    response = client.open(path, method=method, data=b"{", content_type="application/json")
    assert outcome(response) == (status, {403: "scope_missing", 404: "not_found"}[status])


def test_patch_changes_only_the_given_fields(as_stranger, make_key, people):
    key = make_key(people.member, name="old", expires=datetime(2999, 1, 1, tzinfo=UTC))
    headers = {"X-API-KEY": make_key(people.member, WRITE).value}
    named = as_stranger.patch(path_of(key), json={"name": "new"}, headers=headers).json
    assert (named["name"], named["expires"]) == ("new", "2999-01-01T00:00:00.000000+00:00")
    endless = as_stranger.patch(path_of(key), json={"expires": None}, headers=headers).json
    assert (endless["name"], endless["expires"]) == ("new", None)
    assert as_stranger.patch(path_of(key), json={}, headers=headers).json == endless


def test_put_resets_absent_fields_to_their_defaults(as_stranger, make_key, people):
    key = make_key(people.member, name="old", expires=datetime(2999, 1, 1, tzinfo=UTC))
    headers = {"X-API-KEY": make_key(people.member, WRITE).value}
    response = as_stranger.put(path_of(key), json={}, headers=headers).json
    assert (response["name"], response["expires"]) == ("", None)


@pytest.mark.parametrize("expires", [None, "2999-01-01T00:00:00.000001Z", "2000-01-01T00:00:00Z"])
def test_the_response_of_get_is_a_valid_body_for_put(as_admin, make_key, people, expires):
    key = make_key(people.member, WRITE, name="n", expires=expires and datetime.fromisoformat(expires))
    shown = as_admin.get(path_of(key)).json
    response = as_admin.put(path_of(key), json=shown)
    assert (response.status_code, response.json) == (200, shown)
    assert as_admin.get(path_of(key)).json == shown


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"name": None}, ["name"]),
        ({"name": "x" * 101, "expires": "never"}, ["expires", "name"]),
        ({"expires": "2020-01-01T00:00:00Z"}, ["expires"]),
        ({"public_state": "blogapi_x"}, ["public_state"]),
        ([], ["body"]),
    ],
)
def test_patch_and_put_report_all_invalid_fields(as_member, make_key, people, method, body, wrong):
    response = as_member.open(path_of(make_key(people.member)), method=method, json=body)
    assert (response.status_code, sorted(response.json["errors"])) == (422, wrong)


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_the_scopes_of_a_key_never_change(as_member, make_key, people, method):
    path = path_of(make_key(people.member))
    response = as_member.open(path, method=method, json={"scopes": ["write"]})
    assert response.status_code == (422 if method == "PATCH" else 200)
    assert as_member.get(path).json["scopes"] == ["published", "read"]


def test_a_key_may_set_its_own_expiry_to_an_earlier_time(as_stranger, make_key, people, set_clock):
    key, end = make_key(people.member, WRITE), NOON + timedelta(hours=1)
    set_clock(NOON)
    as_stranger.patch(path_of(key), json={"expires": end.isoformat()}, headers={"X-API-KEY": key.value})
    set_clock(end)
    assert not is_valid(as_stranger, key.value)
