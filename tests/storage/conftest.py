"""Fixtures: the application in whose context a test runs."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from blogapi.accounts.users.models import Account
from blogapi.storage.database import db
from blogapi.web.access import Role


def make_account(name: str) -> Account:
    return Account(username=name, role=Role.READER)


def list_usernames() -> list[str]:
    return list(db.session.scalars(select(Account.username).order_by(Account.username)))


@pytest.fixture
def pushed_app(app):
    """The application, with its context pushed."""
    with app.app_context():
        yield app
