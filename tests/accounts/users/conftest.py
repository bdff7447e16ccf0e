"""Fixtures: passwords, and clients that are logged in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.accounts.users import passwords as rules
from blogapi.accounts.users import queries
from blogapi.storage.database import transaction

LOGIN, LOGOUT, ME = "/api/v1/auth/login/", "/api/v1/auth/logout/", "/api/v1/auth/me/"
PASSWORD = "correct horse battery"
ADA = {"username": "ada", "password": PASSWORD}
WRONG = {"username": "ada", "password": "another password"}
FAILED, SLOWED = (401, "login_failed"), (429, "too_many_requests")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def digest():
    """The digest of the password, computed only once because scrypt is slow."""
    return rules.hash_password(PASSWORD)


@pytest.fixture
def passwords(app, people, digest):
    """Sets a password for Ada and Mel. Grace has no password."""
    with app.app_context(), transaction():
        for name in ("ada", "mel"):
            queries.get_user_by_name(name).password_digest = digest


@pytest.fixture
def as_ada(passwords, app, make_client):
    """A client that is logged in as Ada."""
    client = make_client(app)
    assert client.post(LOGIN, json=ADA).status_code == 200
    return client


@pytest.fixture
def with_cookie(app, make_client):
    """Creates clients with a given session cookie."""

    def make(value):
        client = make_client(app)
        client.set_cookie("blogapi_session", value)
        return client

    return make


def cookie_of(client):
    cookie = client.get_cookie("blogapi_session")
    return cookie and cookie.value


def flags_of(response):
    (header,) = response.headers.getlist("Set-Cookie")
    return {flag.split("=")[0] if flag.startswith("Expires") else flag for flag in header.split("; ")[1:]}
