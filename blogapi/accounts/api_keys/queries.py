"""Functions that read API keys, and statements that select keys to delete."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, or_, select

from blogapi import clock
from blogapi.accounts.api_keys import permissions
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.users.models import Account
from blogapi.publication import events
from blogapi.storage.database import CommitCounter, db
from blogapi.web import key_format
from blogapi.web.access import Caller, Scope
from blogapi.web.errors import NotFound, require_item
from blogapi.web.key_format import digest_token
from blogapi.web.pagination import Page, PageRequest, fetch_page


class KeyWithOwner(NamedTuple):
    """An API key with fields of its owner, which are None for an anonymous key.

    `commit_tag` identifies the last commit, and `last_position` the position of the last event; see
    `storage.database.CommitCounter`.
    """

    uuid: UUID
    name: str
    scope: Scope
    created: datetime
    expires: datetime | None
    last_used: datetime | None
    owner: UUID | None
    username: str | None
    role: str | None
    can_publish: bool | None
    owner_is_disabled: bool | None
    commit_tag: str
    last_position: int


# This statement runs in each request with a key, so it is built once and selects columns instead of entities.
_KEY_STATEMENT = (
    select(
        *(ApiKey.uuid, ApiKey.name, ApiKey.scope, ApiKey.created, ApiKey.expires, ApiKey.last_used),
        *(Account.uuid, Account.username, Account.role, Account.can_publish, Account.disabled),
        *(select(column).scalar_subquery() for column in (CommitCounter.tag, CommitCounter.position)),
    )
    .outerjoin(Account, Account.uuid == ApiKey.owner_id)
    .where(ApiKey.digest == bindparam("digest"))
)


def find_key_by_value(value: str) -> KeyWithOwner | None:
    """Return the key with this value, expired or not, and its owner, or None if there is no such key."""
    if not key_format.is_well_formed_key(value):
        return None
    row = db.session.connection().execute(_KEY_STATEMENT, {"digest": digest_token(value)}).one_or_none()
    if row is None:
        return None
    key = KeyWithOwner._make(row)
    # Lists for editors need this position; storing it here saves them a statement.
    events.LAST_POSITION.set(db.session(), key.last_position)
    return key


def get_key_by_uuid(uuid: UUID) -> ApiKey:
    """Return the key with the uuid; raises NotFound if there is none."""
    return require_item(db.session.get(ApiKey, uuid), "No key has this uuid.")


def get_visible_key(uuid: UUID, caller: Caller) -> ApiKey:
    """Return the key with the uuid; raises NotFound if there is none or if the caller cannot see it."""
    key = get_key_by_uuid(uuid)
    if not permissions.can_see_key(caller, owner=key.owner_id):
        raise NotFound("No key has this uuid.")
    return key


def list_keys(
    caller: Caller, page: PageRequest | None, *, user: UUID | None = None, ownerless: bool | None = None
) -> Page[Sequence[ApiKey]]:
    """Return the unexpired keys of the caller, or all unexpired keys if the caller is an admin, newest first.

    `user` selects the keys of a user. `ownerless` selects anonymous keys (True) or other keys (False).
    """
    unexpired = or_(ApiKey.expires.is_(None), ApiKey.expires > clock.now())
    statement = select(ApiKey).where(unexpired).order_by(ApiKey.created.desc(), ApiKey.uuid)
    if not caller.is_admin:
        is_own = ApiKey.uuid == caller.key if caller.user is None else ApiKey.owner_id == caller.user
        statement = statement.where(is_own)
    if user is not None:
        statement = statement.where(ApiKey.owner_id == user)
    if ownerless is not None:
        statement = statement.where(ApiKey.owner_id.is_(None) if ownerless else ApiKey.owner_id.is_not(None))
    return fetch_page(statement, page)


def select_expired_anonymous_keys(now: datetime) -> Select[UUID]:
    """Return a statement that selects the expired anonymous keys to delete.

    A key that was used is selected only if it expired at least UNUSED_KEY_LIFETIME ago.
    """
    unused = ApiKey.last_used.is_(None) & (ApiKey.expires <= now)
    return _select_anonymous_keys().where(unused | (ApiKey.expires <= now - permissions.UNUSED_KEY_LIFETIME))


def select_excess_anonymous_keys() -> Select[UUID]:
    """Return a statement that selects all unused anonymous keys except the newest MAX_UNUSED_KEYS."""
    unused = _select_anonymous_keys().where(ApiKey.last_used.is_(None), ApiKey.expires.is_not(None))
    return unused.order_by(ApiKey.created.desc(), ApiKey.uuid).offset(permissions.MAX_UNUSED_KEYS)


def _select_anonymous_keys() -> Select[UUID]:
    return select(ApiKey.uuid).where(ApiKey.owner_id.is_(None))
