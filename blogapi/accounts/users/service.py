"""Creates, changes and deletes users; sets passwords; starts and ends login sessions."""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from blogapi import clock
from blogapi.accounts.users import passwords, queries, usernames
from blogapi.accounts.users.models import Account, OneTimeLink, WebSession
from blogapi.config import AppState
from blogapi.storage.database import BUSY_ERRORS, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web import key_format
from blogapi.web.access import Role
from blogapi.web.errors import Conflict, Invalid
from blogapi.web.fields import Fields

# If a user already has this number of logins, a new login ends the oldest login.
MAX_LOGINS_PER_USER = 50
MAX_USER_AGENT_LENGTH = 200
# The time at which a login was last used is stored at most once in this interval.
LAST_USED_INTERVAL = timedelta(hours=1)


class ProfileWriter(Protocol):
    """Writes the profiles of users; `content.dependencies` sets the implementation."""

    def create_profile(self, account: Account, name: str = "") -> object:
        """Create the profile of a new user; if `name` is empty, the profile has the name of the user."""

    def delete_or_detach_profile(self, account: Account) -> None:
        """Delete the profile of a user who is being deleted; if it has articles, detach it from the user."""


PROFILE_WRITER = AppState[ProfileWriter]("profiles")


def create_user(username: str, password: str | None, *, role: Role, can_publish: bool = False) -> Account:
    """Create and return a user, who cannot log in without a password.

    Raises Invalid if the name or the password is invalid, and Conflict if the name is taken.
    """
    name = usernames.normalize_username(username)
    digest = None if password is None else passwords.hash_password(password)
    return store_user(name, digest, role=role, can_publish=can_publish)


def store_user(
    username: str,
    password_digest: str | None,
    *,
    role: Role,
    can_publish: bool = False,
    profile_name: str = "",
    email: str = "",
) -> Account:
    """Store and return a new user. The name must be normalized; raises Conflict if it is taken."""
    account = Account(
        username=username,
        role=role,
        can_publish=can_publish,
        email=email,
        password_digest=password_digest,
        password_changed=clock.now() if password_digest else None,
    )
    try:
        with transaction():
            db.session.add(account)
            db.session.flush()
            PROFILE_WRITER.get().create_profile(account, profile_name)
    except IntegrityError as error:
        raise Conflict(f"The user name {account.username!r} is taken; choose another.") from error
    return account


def change_user(uuid: UUID, changes: Fields) -> Account:
    """Change the role, `can_publish` or the e-mail address of a user, or disable or enable the user.

    A disabled user is logged out everywhere. Invitations from a user who is no longer an active admin are
    deleted. Raises NotFound if there is no such user, and Conflict if no admin could log in afterwards.
    """
    with transaction():
        account = queries.get_user(uuid)
        role, disabled = changes.get("role", account.role), changes.get("disabled", account.disabled)
        if role != Role.ADMIN or disabled:
            _check_not_last_admin(account)
            db.session.execute(delete(OneTimeLink).where(OneTimeLink.inviter_id == account.uuid))
        account.role, account.disabled = role, disabled
        account.can_publish = changes.get("can_publish", account.can_publish)
        if changes.get("email", account.email) != account.email:
            account.email = changes["email"]
            # Delete the user's links, because they may have been sent to the former address.
            db.session.execute(delete(OneTimeLink).where(OneTimeLink.account_id == account.uuid))
        if disabled:
            _end_logins_and_links(account)
    return account


def set_password(username: str, password: str) -> None:
    """Set the user's password and end all their login sessions.

    Raises NotFound if there is no such user, and Invalid if the name or the password is invalid.
    """
    digest = passwords.hash_password(password)
    store_password(queries.get_user_by_name(username).uuid, digest)


def store_password(uuid: UUID, digest: str, *, current_token: str = "") -> None:
    """Store the digest of a new password and end the user's login sessions, except for the current one."""
    with transaction():
        account = queries.get_user(uuid)
        account.password_digest, account.password_changed = digest, clock.now()
        _end_logins_and_links(account, current_token=current_token)


def delete_user_by_name(username: str) -> None:
    """Delete the user with this name; raises the errors of `delete_user`."""
    delete_user(queries.get_user_by_name(username).uuid)


def delete_user(uuid: UUID) -> None:
    """Delete the user with their API keys and login sessions.

    The user's profile is deleted too, but a profile with articles is kept as the profile of a guest. Raises
    NotFound if there is no such user, and Conflict if the user owns articles, categories or tags, or if no
    admin could log in afterwards.
    """
    with transaction():
        account = queries.get_user(uuid)
        _check_not_last_admin(account)
        username = account.username
        try:
            PROFILE_WRITER.get().delete_or_detach_profile(account)
            db.session.delete(account)
            db.session.flush()
        except IntegrityError as error:
            raise Conflict(
                f"The user {username!r} owns content; `user reassign` moves it to another user.",
                code="user_in_use",
            ) from error


def find_user_with_password(username: str, password: str) -> Account | None:
    """Return the user with this name and password, or None; a disabled user cannot log in.

    The check of an unknown name takes as long as the check of a wrong password.
    """
    try:
        account = queries.find_user_by_name(username)
    except Invalid:
        account = None
    matches = passwords.verify_password(account.password_digest if account else None, password)
    return account if account is not None and matches and not account.disabled else None


def start_login(account: Account, *, lifetime: timedelta, user_agent: str = "") -> str:
    """Delete expired login sessions, start a new one and return the token for its cookie.

    `user_agent` is the `User-Agent` header of the browser, which the user sees in the list of logins.
    """
    token, now = secrets.token_urlsafe(32), clock.now()
    stored_agent = "".join(filter(str.isprintable, user_agent))[:MAX_USER_AGENT_LENGTH]
    web_session = WebSession(
        digest=key_format.digest_token(token),
        account_id=account.uuid,
        created=now,
        expires=now + lifetime,
        user_agent=stored_agent,
        last_used=now,
    )
    newest_first = select(WebSession.digest).order_by(WebSession.created.desc(), WebSession.digest)
    with transaction(visible=False):
        db.session.execute(delete(WebSession).where(WebSession.expires <= now))
        excess = newest_first.where(WebSession.account_id == account.uuid).offset(MAX_LOGINS_PER_USER - 1)
        digests = db.session.scalars(excess.limit(MAX_LOGINS_PER_USER)).all()
        if digests:
            db.session.execute(delete(WebSession).where(WebSession.digest.in_(digests)))
        db.session.add(web_session)
        store_last_seen(account.uuid, now)
    return token


def store_last_seen(account_id: UUID, now: datetime) -> None:
    """Store the time at which the user was last active, without changing `last_updated`."""
    values = {"last_seen": now, "last_updated": Account.last_updated}
    db.session.execute(update(Account).where(Account.uuid == account_id).values(values))


def record_login_use(digest: str, account_id: UUID, now: datetime) -> None:
    """Store when a login was used; skip this if another connection is writing, so that reads never wait."""
    with suppress(*BUSY_ERRORS, NewerSchema), transaction(wait=False, visible=False):
        db.session.execute(update(WebSession).where(WebSession.digest == digest).values(last_used=now))
        store_last_seen(account_id, now)


def end_login_by_token(token: str) -> None:
    """End the login session; every process then refuses its cookie."""
    with transaction():
        db.session.execute(delete(WebSession).where(WebSession.digest == key_format.digest_token(token)))


def end_login(account_id: UUID, uuid: UUID) -> None:
    """End one login session of the user; raises NotFound if the user has no such session."""
    with transaction():
        db.session.delete(queries.get_login(account_id, uuid))


def end_logins(account_id: UUID, *, current_token: str = "") -> None:
    """End all login sessions of the user, except for the current one; raises NotFound for an unknown user."""
    is_other = WebSession.digest != key_format.digest_token(current_token)
    with transaction():
        account = queries.get_user(account_id)
        db.session.execute(delete(WebSession).where(WebSession.account_id == account.uuid, is_other))


def _check_not_last_admin(account: Account) -> None:
    can_log_in = account.role == Role.ADMIN and not account.disabled and account.has_password
    if can_log_in and not queries.can_admin_log_in(other_than=account):
        raise Conflict(
            "This is the only admin who can log in; first give another user with a password the role admin.",
            code="last_admin",
        )


def _end_logins_and_links(account: Account, *, current_token: str = "") -> None:
    """Delete the one-time links and the login sessions of the user, except for the current session."""
    end_logins(account.uuid, current_token=current_token)
    db.session.execute(delete(OneTimeLink).where(OneTimeLink.account_id == account.uuid))
