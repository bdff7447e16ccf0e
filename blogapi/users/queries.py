"""Queries for users and their login sessions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from blogapi import clock
from blogapi.storage.database import bytewise, db
from blogapi.users import models, usernames
from blogapi.users.models import Account, WebSession
from blogapi.web import tokens
from blogapi.web.errors import NotFound


def get_by_name(username: str) -> Account:
    """Return the user with the name; raises NotFound if there is none, and Invalid if the name is invalid."""
    account = find_by_name(username)
    if account is None:
        raise NotFound(f"No user is named {username!r}; `user list` shows all users.")
    return account


def find_by_name(username: str) -> Account | None:
    """Return the user with the name, or None; raises Invalid if the name is invalid."""
    name = usernames.normalize_username(username)
    return db.session.scalar(select(Account).where(Account.username == name))


def find_by_uuid(uuid: UUID) -> Account | None:
    """Return the user with the uuid, or None."""
    return db.session.get(Account, uuid)


def list_users() -> Sequence[Account]:
    """Return all users, ordered by name."""
    return db.session.scalars(select(Account).order_by(bytewise(Account.username))).all()


def list_admins() -> Sequence[Account]:
    """Return all admins, ordered by name."""
    return db.session.scalars(
        select(Account).where(Account.role == models.Role.ADMIN).order_by(bytewise(Account.username))
    ).all()


def find_session(token: str) -> WebSession | None:
    """Return the unexpired login session with this token and its user, or None."""
    return db.session.scalar(
        select(WebSession)
        .where(WebSession.digest == tokens.digest_token(token), WebSession.expires > clock.now())
        .options(joinedload(WebSession.account))
    )
