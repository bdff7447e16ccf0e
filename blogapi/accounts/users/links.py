"""One-time links, which create the first admin (setup), reset a password, or create an invited user.

Only the digest of a token is stored. The token is the fragment of the address, after `#`. Browsers do not
send the fragment, so the token appears in no log.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import and_, delete, or_

from blogapi import clock
from blogapi.accounts.users import passwords, queries, service
from blogapi.accounts.users.models import Account, LinkKind, OneTimeLink
from blogapi.site.queries import get_service_url
from blogapi.storage.database import db, transaction
from blogapi.web import key_format
from blogapi.web.access import Role
from blogapi.web.errors import Conflict, Unauthorized
from blogapi.web.fields import Fields, WithAttributes

LINK_LIFETIME, INVITATION_LIFETIME = timedelta(days=1), timedelta(days=7)
MAX_INVITATIONS = 100

# The admin page to which each kind of link leads.
_PAGES_BY_KIND = {LinkKind.SETUP: "setup", LinkKind.RESET: "reset", LinkKind.INVITATION: "join"}


def create_setup_link() -> WithAttributes:
    """Create a link that creates the first admin; return it with its `path` and its `url`."""
    return _store_link(OneTimeLink(kind=LinkKind.SETUP))


def create_reset_link(account_id: UUID) -> WithAttributes:
    """Create a link with which a user sets a new password, and return it with its `path` and its `url`.

    If the address of the service is not set, `url` is the path too. An earlier link of the user is deleted.
    Raises NotFound if there is no such user.
    """
    with transaction():
        account = queries.get_user(account_id)
        return _store_link(OneTimeLink(kind=LinkKind.RESET, account_id=account.uuid))


def create_invitation(fields: Fields, *, inviter_id: UUID | None) -> WithAttributes:
    """Create a link that creates a user; return it with its `path` and its `url`.

    `fields` has the `name` of the profile, the `role`, `can_publish` and the `email` address of the user.
    Raises Conflict if there are too many invitations.
    """
    with transaction():
        if len(queries.list_invitations()) >= MAX_INVITATIONS:
            raise Conflict(f"There are {MAX_INVITATIONS} open invitations; revoke some first.")
        return _store_link(OneTimeLink(kind=LinkKind.INVITATION, inviter_id=inviter_id, **fields))


def get_invitation(token: str) -> OneTimeLink:
    """Return the invitation with the token; raises Unauthorized if the token is invalid."""
    return _get_valid_link(token, LinkKind.INVITATION)


def accept_invitation(token: str, username: str, password: str) -> Account:
    """Create the invited user, whose name must be normalized, and delete the link; return the user.

    Raises Unauthorized if the token is invalid, and Conflict if the name is taken.
    """
    get_invitation(token)
    digest = passwords.hash_password(password)
    with transaction():
        link = get_invitation(token)
        role, can_publish, profile, email = (
            Role(link.role or Role.READER),
            *(link.can_publish, link.name, link.email),
        )
        db.session.delete(link)
        return service.store_user(
            username, digest, role=role, can_publish=can_publish, profile_name=profile, email=email
        )


def revoke_invitation(uuid: UUID) -> None:
    """Delete an invitation; raises NotFound if there is none with this uuid."""
    with transaction():
        db.session.delete(queries.get_invitation(uuid))


def create_first_admin(token: str, username: str, password: str) -> Account:
    """Create the first admin, whose name must be normalized, and delete the link; return the admin.

    Raises Unauthorized if the token is invalid, and Conflict if an admin can log in or the name is taken.
    """
    _get_valid_link(token, LinkKind.SETUP)
    digest = passwords.hash_password(password)
    with transaction():
        db.session.delete(_get_valid_link(token, LinkKind.SETUP))
        return service.store_user(username, digest, role=Role.ADMIN)


def reset_password(token: str, password: str) -> Account:
    """Set the password of the link's user, end all their login sessions and delete the link; return the user.

    Raises Unauthorized if the token is invalid.
    """
    _get_valid_link(token, LinkKind.RESET)
    digest = passwords.hash_password(password)
    with transaction():
        account = get_reset_account(token)
        service.store_password(account.uuid, digest)
    return account


def get_reset_account(token: str) -> Account:
    """Return the user of a reset link; raises Unauthorized if the token is invalid."""
    account = _get_valid_link(token, LinkKind.RESET).account_id
    assert account is not None, "a link that sets a password has a user"
    return queries.get_user(account)


def _store_link(link: OneTimeLink) -> WithAttributes:
    """Store a new link and return it with its `path` and `url`; delete the former link and expired links."""
    token, now, kind = secrets.token_urlsafe(32), clock.now(), LinkKind(link.kind)
    link.digest, link.created = key_format.digest_token(token), now
    link.expires = now + (INVITATION_LIFETIME if kind == LinkKind.INVITATION else LINK_LIFETIME)
    is_former = and_(
        OneTimeLink.kind == kind,
        OneTimeLink.kind != LinkKind.INVITATION,
        OneTimeLink.account_id.is_not_distinct_from(link.account_id),
    )
    with transaction():
        db.session.execute(delete(OneTimeLink).where(or_(OneTimeLink.expires <= now, is_former)))
        db.session.add(link)
    path = f"/admin/{_PAGES_BY_KIND[kind]}/#{token}"
    return WithAttributes(link, path=path, url=f"{get_service_url()}{path}")


def _get_valid_link(token: str, kind: LinkKind) -> OneTimeLink:
    link = queries.find_link(token)
    if link is None or link.kind != kind:
        raise Unauthorized(
            "This link is wrong, was already used or has expired; ask for a new one.", code="link_invalid"
        )
    if kind == LinkKind.SETUP and queries.can_admin_log_in():
        raise Conflict("The blog already has an admin; log in instead.", code="admin_exists")
    return link
