"""Fixtures: keys of any owner, scope and expiry, and clients that send them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogapi.accounts.api_keys import service
from blogapi.accounts.users import service as users
from tests.conftest import KEYS, TAGS

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PUBLISHED, READ, WRITE = "published", "read", "write"


@pytest.fixture
def make_key(app):
    """Creates API keys and returns each key with its value."""

    def make(owner=None, scope=None, **fields):
        with app.app_context():
            given = scope or (READ if owner else PUBLISHED)
            return service.issue_key(owner and owner.uuid, given, **fields)

    return make


@pytest.fixture
def logged_in(app, make_client):
    """Creates clients with the session cookie of a user."""

    def make(account):
        with app.app_context():
            token = users.start_login(account, lifetime=timedelta(days=3650))
        client = make_client(app)
        with client.session_transaction() as session:
            session["token"] = token
        return client

    return make


@pytest.fixture
def client_of(app, people, make_client, make_key, logged_in):
    """Creates a client for the named kind of caller."""

    def make(caller, target):
        if caller.startswith("login of "):
            return logged_in(getattr(people, caller.removeprefix("login of ")))
        key = {
            "stranger": lambda: None,
            "itself": lambda: target.value,
            "anonymous": lambda: make_key().value,
            "member, published": lambda: make_key(people.member, PUBLISHED).value,
            "admin, published": lambda: make_key(people.admin, PUBLISHED).value,
            "member, reading": lambda: make_key(people.member).value,
            "member, writing": lambda: make_key(people.member, WRITE).value,
            "admin, reading": lambda: make_key(people.admin).value,
            "admin, writing": lambda: make_key(people.admin, WRITE).value,
            "other admin, writing": lambda: make_key(people.other_admin, WRITE).value,
        }[caller]()
        return make_client(app, key)

    return make


def path_of(key):
    return f"{KEYS}{key.uuid}/"


def is_valid(client, value):
    return client.get(TAGS, headers={"X-API-KEY": value}).status_code == 200
