"""Writes of users: accounts, passwords, logins."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from blogapi.core import clock
from blogapi.core.database import db, transaction
from blogapi.core.errors import Conflict, Invalid
from blogapi.users import queries, rules
from blogapi.users.models import Account, WebSession


def create(username: str, password: str | None, *, role: rules.Role) -> Account:
    """Make a user; without a password nobody can log in as them.

    Raises Invalid for an unusable name or password, Conflict for a name that is taken.
    """
    account = Account(
        username=rules.username(username),
        role=role,
        password_digest=None if password is None else rules.password_digest(password),
    )
    try:
        with transaction():
            db.session.add(account)
            db.session.flush()
    except IntegrityError as error:
        raise Conflict(f"The user name {account.username!r} is taken; choose another.") from error
    return account


def set_password(username: str, password: str) -> None:
    """Give the user a new password and end all their logins."""
    digest = rules.password_digest(password)
    with transaction():
        account = queries.named(username)
        account.password_digest = digest
        db.session.execute(delete(WebSession).where(WebSession.account_id == account.uuid))


def remove(username: str) -> None:
    """Delete the user with their keys and logins.

    Raises NotFound, or Conflict where articles, categories or tags are theirs.
    """
    try:
        with transaction():
            db.session.delete(queries.named(username))
            db.session.flush()
    except IntegrityError as error:
        raise Conflict(f"{username!r} has written content; delete or reassign it first.") from error


def authenticate(username: str, password: str) -> Account | None:
    """Return the user if name and password fit, else None; takes as long for a name that nobody has."""
    try:
        account = queries.find(username)
    except Invalid:
        account = None
    fits = rules.password_fits(account.password_digest if account else None, password)
    return account if fits else None


def log_in(account: Account, *, lasts: timedelta) -> str:
    """Begin a login and return the token for its cookie; logins that are over are cleared away."""
    token, now = secrets.token_urlsafe(32), clock.now()
    login = WebSession(
        digest=rules.token_digest(token), account_id=account.uuid, created=now, expires=now + lasts
    )
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.expires <= now))
        db.session.add(login)
    return token


def log_out(token: str) -> None:
    """End the login; its cookie is dead for the next request, in every process."""
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.digest == rules.token_digest(token)))
