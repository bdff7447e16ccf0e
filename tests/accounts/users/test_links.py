"""One-time links: the first admin, and forgotten passwords."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from blogapi.accounts.users import links, passwords, queries
from blogapi.accounts.users.models import OneTimeLink
from blogapi.storage.database import db
from blogapi.web import key_format
from tests.accounts.users.conftest import ADA, FAILED, LOGIN, ME, NOON, PASSWORD, SLOWED, flags_of
from tests.contracts.client import outcome

SETUP, RESET, OPTIONS, JOIN = (
    f"/api/v1/auth/{name}/" for name in ("setup", "reset-password", "login-options", "join")
)
INVALID = (401, "link_invalid")
LIN = {"username": "Lin", "password": PASSWORD}


@pytest.fixture
def make_token(app):
    """Return a function that creates a link, for a user or for the first admin, and returns its token."""

    def make(account=None):
        with app.app_context():
            link = links.create_reset_link(account.uuid) if account else links.create_setup_link()
        return link.path.partition("#")[2]

    return make


def test_the_setup_link_creates_the_first_admin_once(app, make_token, make_client):
    client, token = make_client(app), make_token()
    assert client.get(OPTIONS).json == {
        "title": "",
        "session_days": 14,
        "needs_setup": True,
        "sends_email": False,
    }
    created = client.post(SETUP, json=LIN | {"token": token})
    assert (created.status_code, created.json["username"], created.json["role"]) == (201, "lin", "admin")
    assert client.get(ME).json["username"] == "lin"
    assert client.get(OPTIONS).json["needs_setup"] is False
    for other in (token, make_token()):
        response = make_client(app).post(SETUP, json=LIN | {"token": other, "username": "eve"})
        assert response.status_code == (401 if other == token else 409)
    with app.app_context():
        assert [account.username for account in queries.list_users()] == ["lin"]


def test_the_setup_link_works_while_no_admin_has_a_password(people, make_token, as_stranger):
    token = make_token()
    taken = as_stranger.post(SETUP, json=LIN | {"token": token, "username": "ada"})
    assert outcome(taken) == (409, "conflict")
    assert as_stranger.post(SETUP, json=LIN | {"token": token}).status_code == 201


def test_the_setup_link_is_invalid_once_an_admin_can_log_in(passwords, make_token, as_stranger):
    response = as_stranger.post(SETUP, json=LIN | {"token": make_token()})
    assert outcome(response) == (409, "admin_exists")


@pytest.mark.parametrize(
    ("path", "body"),
    [(SETUP, LIN | {"password": "short", "username": "a b"}), (RESET, {"password": "short"})],
)
def test_all_invalid_fields_are_reported_and_the_link_is_kept(app, make_token, as_stranger, path, body):
    token = make_token()
    response = as_stranger.post(path, json=body | {"token": token})
    assert (response.status_code, sorted(response.json["errors"])) == (422, sorted(body))
    with app.app_context():
        assert queries.find_link(token) is not None


def test_a_reset_link_sets_the_password_once_and_ends_all_logins(people, as_ada, make_token, as_stranger):
    token, body = make_token(people.admin), {"password": "another password"}
    assert as_stranger.post(RESET, json=body | {"token": token}).json["username"] == "ada"
    assert as_stranger.get(ME).json["username"] == "ada"
    assert outcome(as_ada.get(ME)) == (401, "login_over")
    assert outcome(as_ada.post(LOGIN, json=ADA)) == FAILED
    assert as_ada.post(LOGIN, json=ADA | body).status_code == 200
    assert outcome(as_ada.post(RESET, json=body | {"token": token})) == INVALID


@pytest.mark.parametrize("path", [SETUP, RESET, JOIN])
def test_the_login_of_a_link_is_remembered(people, make_token, log_in, as_stranger, set_clock, path):
    set_clock(NOON)
    names = {} if path == RESET else {"username": "lin"}
    if path == JOIN:
        body = {"name": "Lin", "role": "author", "can_publish": False}
        as_admin = log_in(people.admin)
        token = as_admin.post("/api/v1/invitations/", json=body).json["path"].partition("#")[2]
    else:
        token = make_token(people.member if path == RESET else None)
    response = as_stranger.post(path, json={"token": token, "password": PASSWORD} | names)
    assert "Expires" in flags_of(response)
    set_clock(NOON + timedelta(hours=13))
    assert as_stranger.get(ME).status_code == 200


@pytest.mark.parametrize("end", ["a newer link", "a new password", "disabled", "expired"])
def test_a_reset_link_becomes_invalid(app, people, as_login, make_token, as_stranger, set_clock, end):
    set_clock(NOON)
    token = make_token(people.member)
    if end == "a newer link":
        make_token(people.member)
    elif end == "a new password":
        as_stranger.post(RESET, json={"token": make_token(people.member), "password": PASSWORD})
    elif end == "disabled":
        set_clock(NOON)
        with app.app_context():
            links.service.change_user(people.member.uuid, {"disabled": True})
    else:
        set_clock(NOON + links.LINK_LIFETIME)
    assert outcome(as_stranger.post(RESET, json={"token": token, "password": PASSWORD})) == INVALID


def test_a_disabled_user_cannot_use_a_link_that_was_made_later(app, people, make_token, as_stranger):
    with app.app_context():
        links.service.change_user(people.member.uuid, {"disabled": True})
    body = {"token": make_token(people.member), "password": PASSWORD}
    assert outcome(as_stranger.post(RESET, json=body)) == INVALID


def test_a_link_is_valid_only_for_its_purpose(people, make_token, as_stranger):
    setup, reset = make_token(), make_token(people.member)
    assert outcome(as_stranger.post(RESET, json={"token": setup, "password": PASSWORD})) == INVALID
    assert outcome(as_stranger.post(SETUP, json=LIN | {"token": reset})) == INVALID


@pytest.mark.parametrize("kind", ["reset", "setup", "invitation"])
def test_one_of_two_people_with_the_same_link_sets_a_password(
    app, people, make_token, make_client, as_stranger, monkeypatch, kind
):
    path = {"reset": RESET, "setup": SETUP, "invitation": JOIN}[kind]
    if kind == "invitation":
        with app.app_context():
            link = links.create_invitation({"role": "reader"}, inviter_id=people.admin.uuid)
        token = link.path.partition("#")[2]
    else:
        token = make_token(people.member if kind == "reset" else None)
    names = {} if kind == "reset" else {"username": "lin"}
    hash_password, first = passwords.hash_password, []

    def use_up_the_link(password):
        digest = hash_password(password)
        if not first:
            first.append(None)
            body = {"token": token, "password": "the first password"} | names
            first.append(make_client(app).post(path, json=body))
        return digest

    monkeypatch.setattr(passwords, "hash_password", use_up_the_link)
    second = as_stranger.post(path, json={"token": token, "password": "the second password"} | names)
    assert first[1].status_code == (200 if kind == "reset" else 201)
    assert outcome(second) == INVALID
    login = {"username": names.get("username", "mel"), "password": "the first password"}
    assert as_stranger.post(LOGIN, json=login).status_code == 200


def test_guesses_of_a_token_are_throttled(people, make_token, as_stranger, app):
    app.config["LOGIN_ADDRESS_LIMIT"] = "2 per minute"
    body = {"token": "guess", "password": PASSWORD}
    assert [outcome(as_stranger.post(RESET, json=body)) for _ in range(3)] == [INVALID, INVALID, SLOWED]
    assert outcome(as_stranger.post(SETUP, json=LIN | {"token": make_token()})) == SLOWED


@pytest.mark.parametrize("path", [SETUP, RESET])
def test_a_link_cannot_be_used_by_another_site(as_stranger, path):
    response = as_stranger.post(path, json={}, headers={"Origin": "https://evil.example"})
    assert outcome(response) == (403, "cross_origin")


def test_an_admin_gets_a_link_for_a_user(app, people, as_login, as_stranger):
    path = f"/api/v1/users/{people.member.uuid}/reset-link/"
    created = as_login.post(path).json
    assert created["url"] == created["path"]
    as_login.patch("/api/v1/blog/site/", json={"service_url": "https://api.blog.example"})
    created = as_login.post(path).json
    assert created["url"] == f"https://api.blog.example{created['path']}"
    page, _, token = created["path"].partition("#")
    assert page == "/admin/reset/"
    with app.app_context():
        (stored,) = db.session.scalars(select(OneTimeLink)).all()
        assert stored.digest == key_format.digest_token(token)
        assert stored.expires - stored.created == timedelta(days=1)
    assert as_stranger.post(RESET, json={"token": token, "password": PASSWORD}).status_code == 200


def test_the_command_prints_a_link(app, people, as_stranger):
    result = app.test_cli_runner().invoke(args=["user", "reset-link", "Mel"])
    assert result.exit_code == 0
    page, _, token = result.stdout.strip().partition("#")
    assert page == "/admin/reset/" and "Open this path" in result.stderr
    body = {"token": token, "password": PASSWORD}
    assert as_stranger.post(RESET, json=body).json["username"] == "mel"


def test_the_command_refuses_an_unknown_user(app):
    result = app.test_cli_runner().invoke(args=["user", "reset-link", "nobody"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No user is named 'nobody'" in result.stderr
