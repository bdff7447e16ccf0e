"""The endpoints with which admins manage users."""

from __future__ import annotations

import pytest

from tests.accounts.users.conftest import ADA, FAILED, LOGIN, ME, PASSWORD
from tests.conftest import TAGS
from tests.contracts.client import outcome

USERS = "/api/v1/users/"
CREDENTIALS = {"username": "lin", "password": PASSWORD}


def path_of(account):
    return f"{USERS}{account.uuid}/"


def test_the_list_shows_all_users_by_name(as_login, people, passwords):
    users = as_login.get(USERS)
    assert [(user["username"], user["role"], user["has_password"]) for user in users.json] == [
        ("ada", "admin", True),
        ("grace", "admin", False),
        ("mel", "reader", True),
    ]
    assert users.headers["X-Total-Count"] == "3"
    assert as_login.get(path_of(people.member)).json == users.json[2]


def test_a_new_user_can_log_in(as_login, as_stranger):
    created = as_login.post(USERS, json=CREDENTIALS | {"username": "LIN", "role": "admin"})
    assert created.status_code == 201
    assert (created.json["username"], created.json["role"]) == ("lin", "admin")
    assert as_stranger.post(LOGIN, json=CREDENTIALS).json["role"] == "admin"


def test_a_new_user_is_a_reader_without_a_password_by_default(as_login):
    created = as_login.post(USERS, json={"username": "lin"}).json
    assert (created["role"], created["has_password"], created["disabled"]) == ("reader", False, False)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ({"username": "mel"}, (409, "conflict")),
        ({"username": "a b", "password": "short", "role": "owner"}, (422, "invalid_fields")),
        ({}, (422, "invalid_fields")),
    ],
)
def test_an_invalid_user_is_not_created(as_login, body, result):
    response = as_login.post(USERS, json=body)
    assert outcome(response) == result
    assert len(as_login.get(USERS).json) == 3
    if result[0] == 422:
        assert sorted(response.json["errors"]) == sorted(body or ["username"])


def test_a_password_is_not_stored_with_an_idempotency_key(as_login):
    response = as_login.post(USERS, json=CREDENTIALS, headers={"Idempotency-Key": "1"})
    assert outcome(response) == (400, "malformed")


def test_an_admin_lets_an_author_publish(as_login, people, make_client, app):
    client, path = make_client(app, people.key(people.member)), path_of(people.member)
    for changes, expected in (
        ({"role": "author"}, ("author", False)),
        ({"can_publish": True}, ("author", True)),
        ({"role": "reader"}, ("reader", False)),
        ({"role": "editor", "can_publish": False}, ("editor", True)),
    ):
        assert as_login.patch(path, json=changes).json.items() >= changes.items()
        me = client.get("/api/v1/auth/me/").json
        assert (me["role"], me["can_publish"]) == expected


def test_a_new_role_counts_for_the_next_request(as_login, as_member, people):
    assert as_member.post(TAGS, json={"name": "new"}).status_code == 403
    assert as_login.patch(path_of(people.member), json={"role": "admin"}).json["role"] == "admin"
    assert as_member.post(TAGS, json={"name": "new"}).status_code == 201
    as_login.patch(path_of(people.member), json={"role": "reader"})
    assert as_member.post(TAGS, json={"name": "newer"}).status_code == 403


def test_a_disabled_user_cannot_do_anything(app, people, passwords, as_login, make_client):
    clients = [make_client(app), make_client(app, people.key(people.member))]
    credentials = ADA | {"username": "mel"}
    assert clients[0].post(LOGIN, json=credentials).status_code == 200
    assert [client.get(TAGS).status_code for client in clients] == [200, 200]
    assert as_login.patch(path_of(people.member), json={"disabled": True}).json["disabled"]
    assert [outcome(client.get(TAGS)) for client in clients] == [(401, "login_over"), (401, "key_disabled")]
    assert outcome(clients[0].post(LOGIN, json=credentials)) == FAILED
    # An enabled user can use their keys again, but must log in again.
    as_login.patch(path_of(people.member), json={"disabled": False})
    assert [client.get(ME).status_code for client in clients] == [401, 200]
    assert clients[0].post(LOGIN, json=credentials).status_code == 200


def test_a_login_that_began_before_the_user_was_disabled_is_never_valid(app, people, as_login, log_in):
    as_login.patch(path_of(people.member), json={"disabled": True})
    assert outcome(log_in(people.member).get(ME)) == (401, "login_over")


@pytest.mark.parametrize("change", [{"role": "reader"}, {"disabled": True}, None])
def test_the_last_admin_who_can_log_in_stays_an_admin(passwords, as_login, people, change):
    path = path_of(people.admin)
    response = as_login.delete(path) if change is None else as_login.patch(path, json=change)
    assert outcome(response) == (409, "last_admin")
    assert as_login.get(path).json["role"] == "admin"
    # An admin without a password is not counted.
    assert as_login.delete(path_of(people.other_admin)).status_code == 204


def test_a_user_with_content_cannot_be_deleted(as_login, people, make_tag):
    make_tag()
    assert outcome(as_login.delete(path_of(people.admin))) == (409, "user_in_use")
    assert as_login.delete(path_of(people.member)).status_code == 204
    assert [user["username"] for user in as_login.get(USERS).json] == ["ada", "grace"]


def test_a_stale_change_of_a_user_is_refused(as_login, people):
    path = path_of(people.member)
    read = as_login.get(path)
    assert as_login.patch(path, json={"role": "admin"}).status_code == 200
    response = as_login.patch(path, json={"role": "reader"}, headers={"If-Match": read.headers["ETag"]})
    assert outcome(response) == (412, "stale")
