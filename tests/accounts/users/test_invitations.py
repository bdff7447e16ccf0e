"""Invitations: a link with which a new user chooses a user name and a password."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogapi.accounts.users import links, queries, service
from tests.accounts.users.conftest import LOGIN, ME, NOON, PASSWORD, SLOWED
from tests.accounts.users.test_links import INVALID
from tests.contracts.client import outcome

INVITATIONS, INVITED, JOIN = "/api/v1/invitations/", "/api/v1/auth/invitation/", "/api/v1/auth/join/"
HENRIK = {"name": "Henrik Berg", "role": "author", "can_publish": True}


def token_of(invitation):
    page, _, token = invitation["path"].partition("#")
    assert page == "/admin/join/"
    return token


@pytest.fixture
def token(as_login):
    """The token of an invitation of Henrik, made by Ada."""
    return token_of(as_login.post(INVITATIONS, json=HENRIK).json)


@pytest.fixture
def join(as_stranger):
    """Return a function that accepts an invitation."""

    def accept(token, **fields):
        body = {"token": token, "username": "Henrik", "password": PASSWORD} | fields
        return as_stranger.post(JOIN, json=body)

    return accept


def test_an_invited_person_becomes_a_user(as_login, as_stranger, token, join):
    shown = as_stranger.post(INVITED, json={"token": token}).json
    assert (shown["name"], shown["role"], shown["can_publish"]) == ("Henrik Berg", "author", True)
    created = join(token)
    assert (created.status_code, created.json["username"], created.json["role"]) == (201, "henrik", "author")
    me = as_stranger.get(ME).json
    assert (me["username"], me["can_publish"]) == ("henrik", True)
    assert as_stranger.post(LOGIN, json={"username": "henrik", "password": PASSWORD}).status_code == 200
    (author,) = (one for one in as_login.get("/api/v1/blog/authors/").json if one["user"] == me["user"])
    assert (author["name"], author["slug"]) == ("Henrik Berg", "henrik-berg")


def test_an_invitation_works_once(as_stranger, token, join):
    assert join(token).status_code == 201
    assert outcome(join(token, username="other")) == INVALID
    assert outcome(as_stranger.post(INVITED, json={"token": token})) == INVALID


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ({"username": "mel"}, (409, "conflict")),
        ({"username": "a b", "password": "short"}, (422, "invalid_fields")),
        ({"role": "admin"}, (422, "invalid_fields")),
    ],
)
def test_a_refused_person_can_try_again(token, join, fields, result):
    response = join(token, **fields)
    assert outcome(response) == result
    if result[0] == 422:
        assert sorted(response.json["errors"]) == sorted(fields)
    assert join(token).status_code == 201


def test_the_list_shows_open_invitations_newest_first(as_login, people, set_clock):
    for days, name in enumerate(("Henrik", "Jo")):
        set_clock(NOON + timedelta(days=days))
        as_login.post(INVITATIONS, json=HENRIK | {"name": name})
    jo, henrik = as_login.get(INVITATIONS).json
    assert (jo["name"], jo["role"], henrik["name"]) == ("Jo", "author", "Henrik")
    assert jo["inviter"] == {"uuid": str(people.admin.uuid), "username": "ada"}
    assert henrik["expires"] == "2026-03-08T12:00:00.000000+00:00"
    assert not {"path", "url", "digest"} & henrik.keys()


def test_an_invitation_expires_after_seven_days(as_login, people, log_in, join, set_clock):
    set_clock(NOON)
    token = token_of(as_login.post(INVITATIONS, json=HENRIK).json)
    set_clock(NOON + timedelta(days=7))
    assert outcome(join(token)) == INVALID
    assert log_in(people.admin).get(INVITATIONS).json == []


def test_a_revoked_invitation_is_invalid(as_login, token, join):
    (invitation,) = as_login.get(INVITATIONS).json
    path = f"{INVITATIONS}{invitation['uuid']}/"
    assert as_login.delete(path).status_code == 204
    assert outcome(as_login.delete(path)) == (404, "not_found")
    assert outcome(join(token)) == INVALID


def test_a_reset_link_is_no_invitation(app, people, as_login, join):
    with app.app_context():
        link = links.create_reset_link(people.member.uuid)
    assert outcome(join(link.path.partition("#")[2])) == INVALID
    assert outcome(as_login.delete(f"{INVITATIONS}{link.uuid}/")) == (404, "not_found")


@pytest.mark.parametrize("change", [{"disabled": True}, {"role": "editor"}, None])
def test_the_invitations_of_a_former_admin_end(app, people, log_in, passwords, join, change):
    token = token_of(log_in(people.other_admin).post(INVITATIONS, json=HENRIK).json)
    with app.app_context():
        if change is None:
            service.delete_user(people.other_admin.uuid)
        else:
            service.change_user(people.other_admin.uuid, change)
    assert outcome(join(token)) == INVALID


def test_there_is_a_limited_number_of_invitations(as_login, monkeypatch):
    monkeypatch.setattr(links, "MAX_INVITATIONS", 2)
    results = [as_login.post(INVITATIONS, json=HENRIK).status_code for _ in range(3)]
    assert results == [201, 201, 409]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"role": "owner"},
        {"role": None},
        {"can_publish": "yes"},
        *({"email": text} for text in ("henrik", "a@b", "a,b@c.example", "a@b.example, c@d.example", 5)),
        {"email": f"{'x' * 250}@b.example"},
        {"email": "a@b.example\r\nBcc: c@d.example"},
    ],
)
def test_an_invalid_invitation_is_refused(as_login, fields):
    response = as_login.post(INVITATIONS, json=HENRIK | fields)
    assert (outcome(response), list(response.json["errors"])) == ((422, "invalid_fields"), list(fields))


def test_guesses_of_a_token_are_throttled(app, as_stranger, join):
    app.config["LOGIN_ADDRESS_LIMIT"] = "2 per minute"
    assert outcome(as_stranger.post(INVITED, json={"token": "guess"})) == INVALID
    assert [outcome(join("guess")) for _ in range(2)] == [INVALID, SLOWED]


@pytest.mark.parametrize("path", [INVITED, JOIN])
def test_an_invitation_cannot_be_used_by_another_site(as_stranger, path):
    response = as_stranger.post(path, json={}, headers={"Origin": "https://evil.example"})
    assert outcome(response) == (403, "cross_origin")


def test_the_command_prints_an_invitation(app, join):
    result = app.test_cli_runner().invoke(args=["user", "invite", "Henrik", "--role", "editor"])
    assert result.exit_code == 0 and "Open this path" in result.stderr
    with app.app_context():
        assert queries.list_invitations()[0].inviter is None
    assert join(result.stdout.strip().partition("#")[2]).json["role"] == "editor"


def test_the_command_refuses_an_empty_name(app):
    result = app.test_cli_runner().invoke(args=["user", "invite", " "])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Must not be empty" in result.stderr
