"""Writes of users: accounts, passwords, logins."""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from blogapi import clock
from blogapi.storage.database import db, transaction
from blogapi.users import models, passwords, queries, usernames
from blogapi.users.models import Account, WebSession
from blogapi.web import tokens
from blogapi.web.errors import Conflict, Invalid


def create(username: str, password: str | None, *, role: models.Role) -> Account:
    """Make a user; without a password nobody can log in as them.

    Raises Invalid for an unusable name or password, Conflict for a name that is taken.
    """
    account = Account(
        username=usernames.normalize_username(username),
        role=role,
        password_digest=None if password is None else passwords.hash_password(password),
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
    digest = passwords.hash_password(password)
    with transaction():
        account = queries.get_by_name(username)
        account.password_digest = digest
        db.session.execute(delete(WebSession).where(WebSession.account_id == account.uuid))


def delete_user(username: str) -> None:
    """Delete the user with their keys and logins.

    Raises NotFound, or Conflict where articles, categories or tags are theirs.
    """
    try:
        with transaction():
            db.session.delete(queries.get_by_name(username))
            db.session.flush()
    except IntegrityError as error:
        raise Conflict(f"{username!r} has written content; delete or reassign it first.") from error


def authenticate(username: str, password: str) -> Account | None:
    """Return the user if name and password fit, else None; takes as long for a name that nobody has."""
    try:
        account = queries.find_by_name(username)
    except Invalid:
        account = None
    fits = passwords.verify_password(account.password_digest if account else None, password)
    return account if fits else None


def log_in(account: Account, *, lasts: timedelta) -> str:
    """Begin a login and return the token for its cookie; logins that are over are cleared away."""
    token, now = secrets.token_urlsafe(32), clock.now()
    login = WebSession(
        digest=tokens.digest_token(token), account_id=account.uuid, created=now, expires=now + lasts
    )
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.expires <= now))
        db.session.add(login)
    return token


def log_out(token: str) -> None:
    """End the login; its cookie is dead for the next request, in every process."""
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.digest == tokens.digest_token(token)))
