"""Login sessions: how a session begins and ends, and the Vary header of the responses."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from tests.accounts.users.conftest import ADA, LOGIN, LOGOUT, ME, NOON, PASSWORD, cookie_of
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome


def test_the_me_endpoint_returns_401_without_a_key_or_a_login(as_stranger):
    response = as_stranger.get(ME)
    assert (response.status_code, response.json["code"]) == (401, "key_missing")


@pytest.mark.parametrize(
    ("owner", "scope", "name", "role", "scopes"),
    [
        (None, "published", "", "reader", ["published"]),
        ("member", "published", "mel", "reader", ["published"]),
        ("member", "read", "mel", "reader", ["published", "read"]),
        ("member", "write", "mel", "reader", ["published", "read", "drafts", "write"]),
        ("admin", "published", "ada", "admin", ["published"]),
        ("admin", "read", "ada", "admin", ["published", "read"]),
        ("admin", "write", "ada", "admin", ["published", "read", "drafts", "write"]),
    ],
)
def test_the_me_endpoint_shows_the_owner_and_scopes_of_the_key(
    app, people, make_client, owner, scope, name, role, scopes
):
    account = owner and getattr(people, owner)
    with app.app_context():
        key = api_keys.issue_key(account and account.uuid, scope)
    assert make_client(app, key.value).get(ME).json == {
        "user": account and str(account.uuid),
        "username": name,
        "role": role,
        "can_publish": role == "admin",
        "key": None if scope == "published" else str(key.uuid),
        "scopes": scopes,
    }


def test_the_me_endpoint_shows_the_logged_in_user(as_ada, people):
    assert as_ada.get(ME).json == {
        "user": str(people.admin.uuid),
        "username": "ada",
        "role": "admin",
        "can_publish": True,
        "key": None,
        "scopes": ["published", "read", "drafts", "write"],
    }


def test_a_login_session_has_the_read_access_of_its_user(as_ada):
    assert as_ada.get(f"{ARTICLES}author/me/").json == []


def test_every_login_gets_a_new_token(as_ada):
    before = cookie_of(as_ada)
    as_ada.post(LOGIN, json=ADA)
    assert cookie_of(as_ada) != before


def test_a_login_discards_the_data_of_the_previous_session(passwords, as_stranger, with_cookie):
    with as_stranger.session_transaction() as session:
        session["token"] = "planted"
        session["else"] = "planted"
    planted = cookie_of(as_stranger)
    as_stranger.post(LOGIN, json=ADA)
    with as_stranger.session_transaction() as session:
        assert session["token"] != "planted" and "else" not in session
    assert with_cookie(planted).get(ME).status_code == 401


def test_logout_also_invalidates_copies_of_the_cookie(as_ada, with_cookie):
    copied = cookie_of(as_ada)
    response = as_ada.post(LOGOUT)
    assert (response.status_code, response.data) == (204, b"")
    assert cookie_of(as_ada) is None
    cacheable = with_cookie(copied).get(ME)
    assert (cacheable.status_code, cacheable.json["code"]) == (401, "login_over")


def test_a_login_keeps_the_sessions_of_other_browsers(as_ada, passwords, app, make_client):
    there = make_client(app)
    assert there.post(LOGIN, json=ADA).status_code == 200
    assert [client.get(ME).status_code for client in (as_ada, there)] == [200, 200]


def test_logout_keeps_other_sessions(as_ada, passwords, app, make_client):
    other = make_client(app)
    other.post(LOGIN, json=ADA)
    as_ada.post(LOGOUT)
    assert other.get(ME).json["username"] == "ada"


def test_logout_without_a_login_session_is_refused(as_stranger, as_reader, as_admin):
    assert outcome(as_stranger.post(LOGOUT)) == (401, "key_missing")
    for client in (as_reader, as_admin):
        assert outcome(client.post(LOGOUT)) == (403, "forbidden")
        assert client.get(ME).status_code == 200


def test_a_new_password_ends_the_session(app, as_ada):
    with app.app_context():
        users.set_password("ada", "another password")
    assert outcome(as_ada.get(ME)) == (401, "login_over")


def test_a_deleted_user_is_logged_out(app, people, passwords, make_client):
    client = make_client(app)
    client.post(LOGIN, json=ADA | {"username": "mel"})
    with app.app_context():
        users.delete_user_by_name("mel")
    assert outcome(client.get(ME)) == (401, "login_over")


def test_a_login_session_expires(passwords, as_stranger, set_clock):
    set_clock(NOON)
    as_stranger.post(LOGIN, json=ADA)
    set_clock(NOON + timedelta(days=14) - timedelta(seconds=1))
    assert as_stranger.get(ME).status_code == 200
    set_clock(NOON + timedelta(days=14))
    assert outcome(as_stranger.get(ME)) == (401, "login_over")


def test_the_cookie_of_an_ended_session_is_deleted(app, as_ada):
    with app.app_context():
        users.set_password("ada", PASSWORD)
    assert as_ada.get(ME).json["code"] == "login_over"
    assert cookie_of(as_ada) is None
    assert as_ada.post(KEYS).status_code == 201


@pytest.mark.parametrize("value", ["", "x", "e30.x.y", "e30", "é"])
def test_a_forged_cookie_gets_a_401(with_cookie, value):
    response = with_cookie(value).get(TAGS)
    assert (response.status_code, response.json["code"]) == (401, "login_over")


def test_a_cookie_signed_with_another_secret_gets_a_401(as_ada, make_app, make_client):
    other = make_client(make_app(SECRET_KEY="y" * 32))
    other.set_cookie("blogapi_session", cookie_of(as_ada))
    assert outcome(other.get(ME)) == (401, "login_over")


def test_vary_contains_cookie_only_if_the_session_was_used(as_ada, as_reader, as_stranger):
    varies = [client.get(TAGS).headers["Vary"] for client in (as_ada, as_reader, as_stranger)]
    assert varies == ["Accept, origin, Cookie", "Accept, origin", "Accept, origin"]


def test_vary_also_contains_cookie_if_the_session_has_ended(with_cookie):
    assert with_cookie("x").get(TAGS).headers["Vary"] == "Accept, origin, Cookie"


@pytest.mark.parametrize("path", ["/health", "/openapi.json", "/nowhere"])
def test_public_paths_do_not_read_the_session(as_ada, path):
    assert as_ada.get(path).headers["Vary"] == "Accept, origin"


def test_a_key_takes_precedence_over_a_login_session(as_ada, people, record_statements):
    header = {"X-API-KEY": people.key(None)}
    as_ada.get(CATEGORIES, headers=header)
    with record_statements() as seen:
        response = as_ada.get(ME, headers=header)
    assert (response.json["role"], response.headers["Vary"]) == ("reader", "Accept, origin")
    assert not any("web_session" in statement for statement in seen)


def test_an_invalid_key_gets_a_401_despite_a_login_session(as_ada):
    response = as_ada.get(ME, headers={"X-API-KEY": "x"})
    assert (response.status_code, response.headers["Vary"]) == (401, "Accept, origin")
    assert as_ada.get(ME).status_code == 200


def test_a_new_login_ends_the_previous_session_of_the_browser(as_ada, with_cookie):
    first = cookie_of(as_ada)
    as_ada.post(LOGIN, json=ADA)
    assert outcome(with_cookie(first).get(ME)) == (401, "login_over")
    assert as_ada.get(ME).status_code == 200
