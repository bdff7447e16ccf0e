"""Reads of API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, bindparam, or_, select

from blogapi.api_keys import rules
from blogapi.api_keys.models import ApiKey
from blogapi.core import clock
from blogapi.core.access import Caller
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged
from blogapi.users.models import Account

# Every request asks this, so the statement is made once and goes past the ORM.
_HOLDER = (
    select(
        *(ApiKey.uuid, ApiKey.scope, ApiKey.created, ApiKey.expires, ApiKey.last_used),
        *(Account.uuid.label("owner"), Account.username, Account.role),
    )
    .outerjoin(Account, Account.uuid == ApiKey.owner_id)
    .where(ApiKey.digest == bindparam("digest"))
)


def holder(value: str) -> Row[*tuple[Any, ...]] | None:
    """Return who holds the key of that value, expired or not; None where there is no such key.

    The row has uuid, scope, created, expires and last_used of the key; owner, username and role of its
    user (None: it is anonymous).
    """
    if not rules.well_formed(value):
        return None
    return db.session.connection().execute(_HOLDER, {"digest": rules.digest(value)}).one_or_none()


def by_uuid(uuid: UUID) -> ApiKey:
    """Return the key; raises NotFound."""
    key = db.session.get(ApiKey, uuid)
    if key is None:
        raise NotFound("There is no such key.")
    return key


def visible(uuid: UUID, who: Caller) -> ApiKey:
    """Return the key if it exists for the caller; raises NotFound."""
    key = by_uuid(uuid)
    if not rules.may_see(who, owner=key.owner_id):
        raise NotFound("There is no such key.")
    return key


def listed(
    who: Caller, window: Window | None, *, user: UUID | None = None, ownerless: bool | None = None
) -> Page[Sequence[ApiKey]]:
    """Return the caller's own keys that still live, an admin's: all; newest first."""
    lives = or_(ApiKey.expires.is_(None), ApiKey.expires > clock.now())
    statement = select(ApiKey).where(lives).order_by(ApiKey.created.desc(), ApiKey.uuid)
    if not who.is_admin:
        mine = ApiKey.uuid == who.key if who.user is None else ApiKey.owner_id == who.user
        statement = statement.where(mine)
    if user is not None:
        statement = statement.where(ApiKey.owner_id == user)
    if ownerless is not None:
        statement = statement.where(ApiKey.owner_id.is_(None) if ownerless else ApiKey.owner_id.is_not(None))
    return paged(statement, window)


def over(now: datetime) -> Select[UUID]:
    """Return the statement that finds ownerless keys that ended long ago, or were never used."""
    waited = ApiKey.last_used.is_(None) & (ApiKey.expires <= now)
    return _ownerless().where(waited | (ApiKey.expires <= now - rules.UNUSED))


def crowded_out() -> Select[UUID]:
    """Return the statement that finds ownerless keys that wait for their first use, but for the newest."""
    waiting = _ownerless().where(ApiKey.last_used.is_(None), ApiKey.expires.is_not(None))
    return waiting.order_by(ApiKey.created.desc(), ApiKey.uuid).offset(rules.MOST_UNUSED)


def _ownerless() -> Select[UUID]:
    return select(ApiKey.uuid).where(ApiKey.owner_id.is_(None))
