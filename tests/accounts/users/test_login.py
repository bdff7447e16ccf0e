"""Logging in: the cookie, invalid bodies and failed logins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from werkzeug import security

from tests.accounts.users.conftest import ADA, LOGIN, PASSWORD, WRONG, flags_of
from tests.contracts.client import outcome
from tests.shortcuts import CHEAP_METHOD


def test_the_response_to_a_login_shows_the_user(passwords, people, as_stranger):
    response = as_stranger.post(LOGIN, json=ADA)
    assert response.status_code == 200
    assert response.json == {"uuid": str(people.admin.uuid), "username": "ada", "role": "admin"}


@pytest.mark.parametrize("name", ["ADA", "ａｄａ"])  # noqa: RUF001
def test_login_accepts_any_spelling_of_the_name(passwords, as_stranger, name):
    assert as_stranger.post(LOGIN, json=ADA | {"username": name}).json["username"] == "ada"


def test_the_cookie_is_httponly_and_samesite(passwords, as_stranger):
    assert flags_of(as_stranger.post(LOGIN, json=ADA)) == {"Expires", "HttpOnly", "Path=/", "SameSite=Lax"}


def test_the_cookie_is_secure_if_the_request_used_https(passwords, as_stranger):
    response = as_stranger.post(LOGIN, json=ADA, base_url="https://localhost")
    assert flags_of(response) == {"Expires", "HttpOnly", "Path=/", "SameSite=Lax", "Secure"}


def test_the_session_days_setting_determines_the_expiry_of_the_cookie(passwords, make_app, make_client):
    client = make_client(make_app(SESSION_DAYS=3))
    client.post(LOGIN, json=ADA)
    left = client.get_cookie("blogapi_session").expires - datetime.now(UTC)
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, ["password", "username"]),
        ({"username": "ada"}, ["password"]),
        ({"password": PASSWORD}, ["username"]),
        ({"username": "", "password": ""}, ["password", "username"]),
        ({"username": None, "password": 5}, ["password", "username"]),
        ({"username": ["ada"], "password": {"$ne": ""}}, ["password", "username"]),
        ({"username": "x" * 201, "password": "x" * 1025}, ["password", "username"]),
        ({"username": "ada\x00", "password": PASSWORD}, ["username"]),
        ({"username": "ada", "password": "\ud800" * 10}, ["password"]),
        (ADA | {"admin": True}, ["admin"]),
        ([ADA], ["body"]),
    ],
)
def test_login_reports_all_invalid_fields(as_stranger, body, wrong):
    response = as_stranger.post(LOGIN, json=body)
    assert (response.status_code, sorted(response.json["errors"])) == (422, wrong)
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"username=ada&password=x", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b'{"username": "ada", "username": "mel"}', "application/json", 400),
    ],
)
def test_login_refuses_an_unreadable_body(as_stranger, body, content_type, status):
    code = {400: "malformed", 415: "unsupported_media_type"}[status]
    assert outcome(as_stranger.post(LOGIN, data=body, content_type=content_type)) == (status, code)


FAILURES = {
    "wrong password": WRONG,
    "unknown user": ADA | {"username": "nobody"},
    "impossible name": ADA | {"username": "a b"},
    "no password set": ADA | {"username": "grace"},
}


@pytest.mark.parametrize("body", FAILURES.values(), ids=FAILURES)
def test_a_failed_login_does_not_reveal_the_reason(passwords, as_stranger, monkeypatch, body):
    hashed = []
    real = security._hash_internal

    def counting(method, salt, password):
        hashed.append(method)
        return real(method, salt, password)

    monkeypatch.setattr(security, "_hash_internal", counting)
    response = as_stranger.post(LOGIN, json=body)
    assert (response.status_code, response.json) == (
        401,
        {
            "type": "about:blank",
            "title": "Unauthorized",
            "status": 401,
            "detail": "The user name or the password is wrong.",
            "code": "login_failed",
        },
    )
    assert response.headers["WWW-Authenticate"] == "ApiKey"
    assert "Set-Cookie" not in response.headers
    assert hashed == [CHEAP_METHOD]
