"""Reads of API keys."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import joinedload

from blogapi.api_keys import rules
from blogapi.api_keys.models import ApiKey
from blogapi.core import clock
from blogapi.core.access import Caller
from blogapi.core.database import db
from blogapi.core.errors import NotFound
from blogapi.core.paging import Page, Window, paged


def by_value(value: str) -> ApiKey | None:
    """Return the key of that value with its owner, expired or not; None where there is none."""
    if not rules.well_formed(value):
        return None
    return db.session.scalar(
        select(ApiKey).where(ApiKey.digest == rules.digest(value)).options(joinedload(ApiKey.owner))
    )


def by_uuid(uuid: UUID) -> ApiKey:
    """Return the key; raises NotFound."""
    key = db.session.get(ApiKey, uuid)
    if key is None:
        raise NotFound("There is no such key.")
    return key


def visible(uuid: UUID, who: Caller) -> ApiKey:
    """Return the key if it exists for the caller; raises NotFound."""
    key = by_uuid(uuid)
    if not rules.may_see(who, key=key.uuid, owner=key.owner_id):
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
