"""Reads of users and their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from blogapi.core import clock
from blogapi.core.database import bytewise, db
from blogapi.core.errors import NotFound
from blogapi.users import rules
from blogapi.users.models import Account, WebSession


def named(username: str) -> Account:
    """Return the user of that name; raises NotFound."""
    account = find(username)
    if account is None:
        raise NotFound(f"There is no user called {username!r}; `user list` shows them.")
    return account


def find(username: str) -> Account | None:
    """Return the user of that name, or None."""
    name = rules.username(username)
    return db.session.scalar(select(Account).where(Account.username == name))


def by_uuid(uuid: UUID) -> Account | None:
    """Return the user, or None."""
    return db.session.get(Account, uuid)


def everyone() -> Sequence[Account]:
    """Return all users, by name."""
    return db.session.scalars(select(Account).order_by(bytewise(Account.username))).all()


def admins() -> Sequence[Account]:
    """Return all admins, by name."""
    return db.session.scalars(
        select(Account).where(Account.role == rules.Role.ADMIN).order_by(bytewise(Account.username))
    ).all()


def session(token: str) -> WebSession | None:
    """Return the login that the token belongs to, with its user, or None where it is over."""
    return db.session.scalar(
        select(WebSession)
        .where(WebSession.digest == rules.token_digest(token), WebSession.expires > clock.now())
        .options(joinedload(WebSession.account))
    )
