"""Functions that read users, their login sessions and their one-time links."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from flask import current_app
from sqlalchemy import func, select
from sqlalchemy.orm import contains_eager, joinedload

from blogapi import clock
from blogapi.accounts.users import usernames
from blogapi.accounts.users.models import Account, LinkKind, OneTimeLink, RecoveryCode, WebSession
from blogapi.storage.database import bytewise, db
from blogapi.web import key_format
from blogapi.web.access import Role
from blogapi.web.errors import require_item
from blogapi.web.fields import WithAttributes

_SELECT_ADMINS = select(Account).where(Account.role == Role.ADMIN, Account.disabled.is_(False))


def get_user_by_name(username: str) -> Account:
    """Return the user with the name; raises NotFound if there is none, and Invalid if the name is invalid."""
    detail = f"No user is named {username!r}; `user list` shows all users."
    return require_item(find_user_by_name(username), detail)


def find_user_by_name(username: str) -> Account | None:
    """Return the user with the name, or None; raises Invalid if the name is invalid."""
    name = usernames.normalize_username(username)
    return db.session.scalar(select(Account).where(Account.username == name))


def find_user(uuid: UUID) -> Account | None:
    """Return the user with the uuid, or None."""
    return db.session.get(Account, uuid)


def get_user(uuid: UUID) -> Account:
    """Return the user with the uuid; raises NotFound if there is none."""
    return require_item(find_user(uuid), "No user has this uuid.")


def list_users() -> Sequence[Account]:
    """Return all users, ordered by name."""
    return db.session.scalars(select(Account).order_by(bytewise(Account.username))).all()


def get_user_details(uuid: UUID) -> WithAttributes:
    """Return the user with the state of their second factor; raises NotFound for an unknown user."""
    return _add_second_factor_state([get_user(uuid)])[0]


def list_user_details() -> list[WithAttributes]:
    """Return all users with the attributes of `get_user_details`, ordered by name."""
    return _add_second_factor_state(list_users())


def list_admins() -> Sequence[Account]:
    """Return all admins who are not disabled, ordered by name."""
    return db.session.scalars(_SELECT_ADMINS.order_by(bytewise(Account.username))).all()


def can_admin_log_in(*, other_than: Account | None = None) -> bool:
    """Return whether an admin except `other_than` has a password and is not disabled."""
    statement = _SELECT_ADMINS.where(Account.password_digest.is_not(None)).limit(1)
    if other_than is not None:
        statement = statement.where(Account.uuid != other_than.uuid)
    return db.session.scalar(statement) is not None


def find_login_by_token(token: str) -> WebSession | None:
    """Return the unexpired login session with this token and its user, or None.

    Sessions of disabled users, which a login at the same time can create, are not returned.
    """
    return db.session.scalar(
        select(WebSession)
        .join(WebSession.account)
        .where(
            WebSession.digest == key_format.digest_token(token),
            WebSession.expires > clock.now(),
            Account.disabled.is_(False),
        )
        .options(contains_eager(WebSession.account))
    )


def list_logins(account_id: UUID) -> Sequence[WebSession]:
    """Return the unexpired login sessions of the user, newest first."""
    statement = select(WebSession).where(
        WebSession.account_id == account_id, WebSession.expires > clock.now()
    )
    return db.session.scalars(statement.order_by(WebSession.created.desc(), WebSession.digest)).all()


def get_login(account_id: UUID, uuid: UUID) -> WebSession:
    """Return the login session of the user with the uuid; raises NotFound if there is none."""
    conditions = (WebSession.account_id == account_id, WebSession.digest.startswith(uuid.hex))
    login = db.session.scalar(select(WebSession).where(*conditions))
    return require_item(login, "You have no login with this uuid.")


def find_link(token: str) -> OneTimeLink | None:
    """Return the one-time link with this token; None if it is unknown or expired, or its user is disabled."""
    return db.session.scalar(
        select(OneTimeLink)
        .outerjoin(Account, Account.uuid == OneTimeLink.account_id)
        .where(
            OneTimeLink.digest == key_format.digest_token(token),
            OneTimeLink.expires > clock.now(),
            Account.disabled.is_not(True),
        )
    )


def list_invitations() -> Sequence[OneTimeLink]:
    """Return the invitations that can be accepted, newest first, with their inviters."""
    statement = select(OneTimeLink).where(
        OneTimeLink.kind == LinkKind.INVITATION, OneTimeLink.expires > clock.now()
    )
    order = (OneTimeLink.created.desc(), OneTimeLink.digest)
    return db.session.scalars(statement.options(joinedload(OneTimeLink.inviter)).order_by(*order)).all()


def get_invitation(uuid: UUID) -> OneTimeLink:
    """Return the invitation with the uuid; raises NotFound if there is none."""
    is_link = OneTimeLink.digest.startswith(uuid.hex)
    link = db.session.scalar(select(OneTimeLink).where(is_link, OneTimeLink.kind == LinkKind.INVITATION))
    detail = "No open invitation has this uuid; it may have been accepted or revoked, or have expired."
    return require_item(link, detail)


def is_second_factor_required(role: str) -> bool:
    """Return whether a user with the role must have a second factor."""
    return role == Role.ADMIN and bool(current_app.config["REQUIRE_SECOND_FACTOR"])


def _add_second_factor_state(accounts: Sequence[Account]) -> list[WithAttributes]:
    statement = select(RecoveryCode.account_id, func.count().label("number")).group_by(
        RecoveryCode.account_id
    )
    if len(accounts) == 1:
        statement = statement.where(RecoveryCode.account_id == accounts[0].uuid)
    codes = {row.account_id: row.number for row in db.session.execute(statement)}
    return [
        WithAttributes(
            account,
            recovery_codes_left=codes.get(account.uuid, 0),
            second_factor_required=is_second_factor_required(account.role),
        )
        for account in accounts
    ]
