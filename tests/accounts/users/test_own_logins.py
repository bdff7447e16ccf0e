"""A user's own logins and password."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from blogapi.accounts.users import service
from blogapi.storage.database import WRITE_LOCK
from tests.accounts.users.conftest import ADA, FAILED, LOGIN, ME, NOON, PASSWORD, SLOWED, WRONG, flags_of
from tests.contracts.client import outcome

LOGINS, OWN_PASSWORD = "/api/v1/auth/logins/", "/api/v1/auth/me/password/"
NEW = {"current_password": PASSWORD, "password": "another password"}


@pytest.fixture
def there(app, passwords, make_client):
    """Ada, logged in in another browser."""
    client = make_client(app)
    assert client.post(LOGIN, json=ADA, headers={"User-Agent": "Netscape"}).status_code == 200
    return client


def test_the_list_shows_the_own_logins_newest_first(there, passwords, as_stranger, as_member_login):
    as_stranger.post(LOGIN, json=ADA, headers={"User-Agent": "Mosaic\t" + "x" * 500})
    newest, oldest = as_stranger.get(LOGINS).json
    assert (newest["current"], oldest["current"], oldest["user_agent"]) == (True, False, "Netscape")
    assert newest["user_agent"] == "Mosaic" + "x" * 194
    assert [login["current"] for login in there.get(LOGINS).json] == [False, True]


def test_a_user_ends_a_login(there, as_ada, as_member_login):
    (uuid,) = (login["uuid"] for login in as_ada.get(LOGINS).json if not login["current"])
    assert outcome(as_member_login.delete(f"{LOGINS}{uuid}/")) == (404, "not_found")
    assert there.get(ME).status_code == 200
    assert as_ada.delete(f"{LOGINS}{uuid}/").status_code == 204
    assert outcome(there.get(ME)) == (401, "login_over")
    assert as_ada.get(ME).status_code == 200
    assert outcome(as_ada.delete(f"{LOGINS}{uuid}/")) == (404, "not_found")


def test_a_user_ends_all_other_logins(there, as_ada, as_member_login):
    assert as_ada.delete(LOGINS).status_code == 204
    assert [client.get(ME).status_code for client in (as_ada, there, as_member_login)] == [200, 401, 200]


def test_an_admin_ends_all_logins_of_a_user(people, as_ada, as_login, as_member_login, as_member):
    path = "/api/v1/users/{}/logins/"
    assert as_login.delete(path.format(people.member.uuid)).status_code == 204
    assert outcome(as_member_login.get(ME)) == (401, "login_over")
    assert [client.get(ME).status_code for client in (as_ada, as_login, as_member)] == [200] * 3
    assert outcome(as_login.delete(path.format(UUID(int=1)))) == (404, "not_found")


def test_the_last_use_of_a_login_is_stored_once_an_hour(
    people, passwords, as_stranger, set_clock, record_statements
):
    set_clock(NOON)
    as_stranger.post(LOGIN, json=ADA)
    user = f"/api/v1/users/{people.admin.uuid}/"

    def get_last_use(time):
        set_clock(time)
        with record_statements() as executed:
            as_stranger.get(ME)
        (login,) = as_stranger.get(LOGINS).json
        assert login["last_used"] == as_stranger.get(user).json["last_seen"]
        return login["last_used"][11:16], sum(statement.startswith("UPDATE") for statement in executed)

    hour, minute = timedelta(hours=1), timedelta(minutes=1)
    assert get_last_use(NOON + hour - minute) == ("12:00", 0)
    assert get_last_use(NOON + hour) == ("13:00", 2)
    assert get_last_use(NOON + hour + minute) == ("13:00", 0)
    # The clock was set back.
    assert get_last_use(NOON - hour) == ("11:00", 2)


def test_the_use_of_a_key_shows_that_the_user_was_seen(app, as_login, people, make_client):
    user = f"/api/v1/users/{people.member.uuid}/"
    assert as_login.get(user).json["last_seen"] is None
    make_client(app, people.key(people.member, "write", was_used=False)).get(ME)
    assert as_login.get(user).json["last_seen"] is not None


def test_a_read_does_not_wait_to_store_the_last_use(app, people, passwords, as_stranger, set_clock):
    set_clock(NOON)
    as_stranger.post(LOGIN, json=ADA)
    set_clock(NOON + timedelta(hours=2))
    with WRITE_LOCK.get(app).acquire(0.0):
        assert as_stranger.get(ME).status_code == 200
    assert as_stranger.get(LOGINS).json[0]["last_used"] is not None


def test_a_user_has_a_limited_number_of_logins(app, people, passwords, log_in, make_client, monkeypatch):
    monkeypatch.setattr(service, "MAX_LOGINS_PER_USER", 2)
    other, *clients = log_in(people.member), *(make_client(app) for _ in range(3))
    assert [client.post(LOGIN, json=ADA).status_code for client in clients] == [200] * 3
    assert [client.get(ME).status_code for client in (*clients, other)] == [401, 200, 200, 200]


def test_a_login_that_is_not_remembered_ends_with_the_browser(passwords, as_stranger, set_clock):
    set_clock(NOON)
    response = as_stranger.post(LOGIN, json=ADA | {"remember": False})
    assert flags_of(response) == {"HttpOnly", "Path=/", "SameSite=Lax"}
    set_clock(NOON + timedelta(hours=11, minutes=59))
    assert as_stranger.get(ME).status_code == 200
    set_clock(NOON + timedelta(hours=12))
    assert outcome(as_stranger.get(ME)) == (401, "login_over")


def test_behind_tls_the_cookie_can_come_only_from_this_host(passwords, as_stranger):
    secure = {"base_url": "https://localhost"}
    response = as_stranger.post(LOGIN, json=ADA, **secure)
    assert response.headers["Set-Cookie"].startswith("__Host-blogapi_session=")
    assert flags_of(response) == {"Expires", "HttpOnly", "Path=/", "SameSite=Lax", "Secure"}
    assert as_stranger.get(ME, **secure).json["username"] == "ada"
    # A cookie without the prefix could come from another host of the domain.
    value = as_stranger.get_cookie("__Host-blogapi_session").value
    as_stranger.delete_cookie("__Host-blogapi_session")
    as_stranger.set_cookie("blogapi_session", value)
    assert outcome(as_stranger.get(ME, **secure)) == (401, "key_missing")


def test_a_new_password_ends_the_other_logins(as_ada, there):
    assert as_ada.put(OWN_PASSWORD, json=NEW).status_code == 204
    assert as_ada.get(ME).status_code == 200
    assert outcome(there.get(ME)) == (401, "login_over")
    assert outcome(there.post(LOGIN, json=ADA)) == FAILED
    assert there.post(LOGIN, json=ADA | {"password": NEW["password"]}).status_code == 200


def test_a_wrong_current_password_is_refused_and_throttled(app, as_ada, make_client):
    app.config["LOGIN_ACCOUNT_LIMIT"] = "2 per minute"
    responses = [as_ada.put(OWN_PASSWORD, json=NEW | {"current_password": "wrong"}) for _ in range(3)]
    assert [outcome(response) for response in responses] == [(422, "invalid_fields")] * 2 + [SLOWED]
    assert list(responses[0].json["errors"]) == ["current_password"]
    assert as_ada.get(ME).status_code == 200
    assert outcome(make_client(app).post(LOGIN, json=WRONG)) == SLOWED
