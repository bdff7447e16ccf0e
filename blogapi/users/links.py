"""One-time links: a setup link creates the first admin, a reset link replaces a forgotten password.

Only the digest of a token is stored. The token is the fragment of the address, after `#`. Browsers do not
send the fragment, so the token appears in no log.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete, or_

from blogapi import clock
from blogapi.site.queries import get_service_url
from blogapi.storage.database import db, transaction
from blogapi.users import models, passwords, queries, service
from blogapi.users.models import Account, OneTimeLink
from blogapi.web import tokens
from blogapi.web.errors import Conflict, Unauthorized
from blogapi.web.fields import WithAttributes

LIFETIME = timedelta(days=1)


def create_setup_link() -> WithAttributes:
    """Create a link that creates the first admin, and return it as `create_reset_link` does."""
    return _create(None, "setup")


def create_reset_link(account_id: UUID) -> WithAttributes:
    """Create a link that sets a user's password, and return it with its `path` and its `url`.

    The `url` is the path if the address of the service is not set. An earlier link of the user is deleted.
    Raises NotFound if there is no such user.
    """
    with transaction():
        return _create(queries.get_by_uuid(account_id).uuid, "reset")


def create_first_admin(token: str, username: str, password: str) -> Account:
    """Create the first admin and delete the link; the name must be normalized.

    Raises Unauthorized if the token is invalid, and Conflict if an admin can already log in or if the name is
    taken.
    """
    _get_link(token, is_setup=True)
    digest = passwords.hash_password(password)
    with transaction():
        db.session.delete(_get_link(token, is_setup=True))
        return service.add(username, digest, role=models.Role.ADMIN)


def reset_password(token: str, password: str) -> Account:
    """Set the password of the link's user, end all their login sessions and delete the link.

    Raises Unauthorized if the token is invalid.
    """
    _get_link(token, is_setup=False)
    digest = passwords.hash_password(password)
    with transaction():
        link = _get_link(token, is_setup=False)
        account = queries.get_by_uuid(link.account_id or UUID(int=0))
        service.store_password(account, digest)
    return account


def _create(account_id: UUID | None, page: str) -> WithAttributes:
    token, now = secrets.token_urlsafe(32), clock.now()
    link = OneTimeLink(
        digest=tokens.digest_token(token), account_id=account_id, created=now, expires=now + LIFETIME
    )
    is_former = OneTimeLink.account_id.is_not_distinct_from(account_id)
    with transaction():
        db.session.execute(delete(OneTimeLink).where(or_(OneTimeLink.expires <= now, is_former)))
        db.session.add(link)
    path = f"/admin/{page}/#{token}"
    return WithAttributes(link, path=path, url=f"{get_service_url()}{path}")


def _get_link(token: str, *, is_setup: bool) -> OneTimeLink:
    link = queries.find_link(token)
    if link is None or (link.account_id is None) != is_setup:
        raise Unauthorized(
            "This link is wrong, was already used or has expired; ask for a new one.", code="link_invalid"
        )
    if is_setup and queries.can_admin_log_in():
        raise Conflict("The blog already has an admin; log in instead.", code="admin_exists")
    return link
