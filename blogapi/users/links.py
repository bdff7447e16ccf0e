"""One-time links: a setup link creates the first admin, a reset link replaces a forgotten password.

Only the digest of a token is stored. The token is the fragment of the address, after `#`. Browsers do not
send the fragment, so the token appears in no log.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import and_, delete, or_

from blogapi import clock
from blogapi.site.queries import get_service_url
from blogapi.storage.database import db, transaction
from blogapi.users import models, passwords, queries, service
from blogapi.users.models import Account, LinkKind, OneTimeLink
from blogapi.web import tokens
from blogapi.web.errors import Conflict, Unauthorized
from blogapi.web.fields import WithAttributes

LIFETIME = timedelta(days=1)


def create_setup_link() -> WithAttributes:
    """Create a link that creates the first admin, and return it as `create_reset_link` does."""
    return _create(None, LinkKind.SETUP)


def create_reset_link(account_id: UUID) -> WithAttributes:
    """Create a link that sets a user's password, and return it with its `path` and its `url`.

    The `url` is the path if the address of the service is not set. An earlier link of the user is deleted.
    Raises NotFound if there is no such user.
    """
    with transaction():
        return _create(queries.get_by_uuid(account_id).uuid, LinkKind.RESET)


def create_first_admin(token: str, username: str, password: str) -> Account:
    """Create the first admin and delete the link; the name must be normalized.

    Raises Unauthorized if the token is invalid, and Conflict if an admin can already log in or if the name is
    taken.
    """
    _get_link(token, LinkKind.SETUP)
    digest = passwords.hash_password(password)
    with transaction():
        db.session.delete(_get_link(token, LinkKind.SETUP))
        return service.add(username, digest, role=models.Role.ADMIN)


def reset_password(token: str, password: str) -> Account:
    """Set the password of the link's user, end all their login sessions and delete the link.

    Raises Unauthorized if the token is invalid.
    """
    _get_link(token, LinkKind.RESET)
    digest = passwords.hash_password(password)
    with transaction():
        account = get_account(token)
        service.store_password(account, digest)
    return account


def get_account(token: str) -> Account:
    """Return the user of a reset link; raises Unauthorized if the token is invalid."""
    return queries.get_by_uuid(_get_link(token, LinkKind.RESET).account_id or UUID(int=0))


def _create(account_id: UUID | None, kind: LinkKind) -> WithAttributes:
    token, now = secrets.token_urlsafe(32), clock.now()
    link = OneTimeLink(
        digest=tokens.digest_token(token),
        account_id=account_id,
        kind=kind,
        created=now,
        expires=now + LIFETIME,
    )
    is_former = and_(OneTimeLink.kind == kind, OneTimeLink.account_id.is_not_distinct_from(account_id))
    with transaction():
        db.session.execute(delete(OneTimeLink).where(or_(OneTimeLink.expires <= now, is_former)))
        db.session.add(link)
    path = f"/admin/{kind}/#{token}"
    return WithAttributes(link, path=path, url=f"{get_service_url()}{path}")


def _get_link(token: str, kind: LinkKind) -> OneTimeLink:
    link = queries.find_link(token)
    if link is None or link.kind != kind:
        raise Unauthorized(
            "This link is wrong, was already used or has expired; ask for a new one.", code="link_invalid"
        )
    if kind == LinkKind.SETUP and queries.can_admin_log_in():
        raise Conflict("The blog already has an admin; log in instead.", code="admin_exists")
    return link
