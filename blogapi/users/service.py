"""Creates and deletes users, sets passwords, and starts and ends login sessions."""

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
    """Create a user; without a password they cannot log in.

    Raises Invalid if the name or the password is invalid, and Conflict if the name is taken.
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
    """Set the user's password and end all their login sessions.

    Raises NotFound if there is no such user, and Invalid if the name or the password is invalid.
    """
    digest = passwords.hash_password(password)
    with transaction():
        account = queries.get_by_name(username)
        account.password_digest = digest
        db.session.execute(delete(WebSession).where(WebSession.account_id == account.uuid))


def delete_user(username: str) -> None:
    """Delete the user with their API keys and login sessions.

    The user's profile is deleted too, unless it has articles: then it becomes the profile of a guest. Raises
    NotFound if there is no such user, and Conflict if they own articles, categories or tags.
    """
    try:
        with transaction():
            db.session.delete(queries.get_by_name(username))
            db.session.flush()
    except IntegrityError as error:
        raise Conflict(
            f"The user {username!r} owns content; `user reassign` moves it to another user."
        ) from error


def authenticate(username: str, password: str) -> Account | None:
    """Return the user with this name and password, or None.

    The check of an unknown name takes as long as the check of a wrong password.
    """
    try:
        account = queries.find_by_name(username)
    except Invalid:
        account = None
    matches = passwords.verify_password(account.password_digest if account else None, password)
    return account if matches else None


def log_in(account: Account, *, lifetime: timedelta) -> str:
    """Delete expired login sessions, start a new one and return the token for its cookie."""
    token, now = secrets.token_urlsafe(32), clock.now()
    web_session = WebSession(
        digest=tokens.digest_token(token), account_id=account.uuid, created=now, expires=now + lifetime
    )
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.expires <= now))
        db.session.add(web_session)
    return token


def log_out(token: str) -> None:
    """End the login session; every process refuses the next request with its cookie."""
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.digest == tokens.digest_token(token)))
