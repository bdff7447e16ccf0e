"""Reads of API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, bindparam, or_, select

from blogapi import clock
from blogapi.api_keys import policy
from blogapi.api_keys.models import ApiKey
from blogapi.storage.database import db
from blogapi.users.models import Account
from blogapi.web import key_format
from blogapi.web.access import Caller
from blogapi.web.errors import NotFound
from blogapi.web.pagination import Page, PageRequest, paginate
from blogapi.web.tokens import digest_token

# Every request asks this, so the statement is made once and goes past the ORM.
_HOLDER = (
    select(
        *(ApiKey.uuid, ApiKey.scope, ApiKey.created, ApiKey.expires, ApiKey.last_used),
        *(Account.uuid.label("owner"), Account.username, Account.role),
    )
    .outerjoin(Account, Account.uuid == ApiKey.owner_id)
    .where(ApiKey.digest == bindparam("digest"))
)


def find_holder(value: str) -> Row[*tuple[Any, ...]] | None:
    """Return who holds the key of that value, expired or not; None where there is no such key.

    The row has uuid, scope, created, expires and last_used of the key; owner, username and role of its
    user (None: it is anonymous).
    """
    if not key_format.is_well_formed(value):
        return None
    return db.session.connection().execute(_HOLDER, {"digest": digest_token(value)}).one_or_none()


def get_by_uuid(uuid: UUID) -> ApiKey:
    """Return the key; raises NotFound."""
    key = db.session.get(ApiKey, uuid)
    if key is None:
        raise NotFound("There is no such key.")
    return key


def get_visible(uuid: UUID, who: Caller) -> ApiKey:
    """Return the key if it exists for the caller; raises NotFound."""
    key = get_by_uuid(uuid)
    if not policy.may_see(who, owner=key.owner_id):
        raise NotFound("There is no such key.")
    return key


def list_keys(
    who: Caller, window: PageRequest | None, *, user: UUID | None = None, ownerless: bool | None = None
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
    return paginate(statement, window)


def select_expired(now: datetime) -> Select[UUID]:
    """Return the statement that finds ownerless keys that ended long ago, or were never used."""
    waited = ApiKey.last_used.is_(None) & (ApiKey.expires <= now)
    return _select_anonymous().where(waited | (ApiKey.expires <= now - policy.UNUSED_LIFETIME))


def select_excess_unused() -> Select[UUID]:
    """Return the statement that finds ownerless keys that wait for their first use, but for the newest."""
    waiting = _select_anonymous().where(ApiKey.last_used.is_(None), ApiKey.expires.is_not(None))
    return waiting.order_by(ApiKey.created.desc(), ApiKey.uuid).offset(policy.MAX_UNUSED_KEYS)


def _select_anonymous() -> Select[UUID]:
    return select(ApiKey.uuid).where(ApiKey.owner_id.is_(None))
