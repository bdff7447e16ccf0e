"""Creates, changes, rotates and deletes API keys."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError

from blogapi import clock
from blogapi.accounts.api_keys import permissions, queries
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.users.service import store_last_seen
from blogapi.storage.database import BUSY_ERRORS, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web import key_format
from blogapi.web.access import Caller, Scope
from blogapi.web.errors import Forbidden
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.key_format import digest_token

# The maximum number of expired keys, and of excess unused keys, that one call deletes.
MAX_DELETED_KEYS = 500


def create_key(
    caller: Caller, *, name: str = "", expires: datetime | None = None, scopes: Collection[Scope] = ()
) -> WithAttributes:
    """Create a key of the caller's user and return it with its `value`.

    Raises Forbidden if the caller lacks the scope or if the caller's own key expires before the new key, and
    Invalid if the expiry is not in the future.
    """
    scope = permissions.choose_scope(caller, scopes)
    expiry = permissions.choose_expiry(expires, clock.now(), caller)
    return issue_key(caller.user, scope, name=name, expires=expiry)


def issue_key(
    owner: UUID | None,
    scope: Scope = "published",
    *,
    name: str = "",
    created: datetime | None = None,
    expires: datetime | None = None,
) -> WithAttributes:
    """Create a key of `owner` (None: an anonymous key) and return it with its `value`, which is not stored.

    `created` is the current time by default. Raises Invalid if the name is invalid.
    """
    value = key_format.generate_key()
    key = ApiKey(
        digest=digest_token(value),
        prefix=value[: key_format.SHOWN_PREFIX_LENGTH],
        name=permissions.validate_key_name(name),
        owner_id=owner,
        scope=scope,
        created=created or clock.now(),
        expires=expires,
    )
    with transaction(visible=False):
        db.session.add(key)
    return WithAttributes(key, value=value)


def create_anonymous_key() -> WithAttributes:
    """Create an anonymous key that expires unless it is used within a day, and return it with its `value`."""
    now = clock.now()
    with transaction():
        _delete_expired_anonymous_keys(now)
        return issue_key(None, created=now, expires=now + permissions.UNUSED_KEY_LIFETIME)


def delete_expired_anonymous_keys() -> None:
    """Delete expired and excess unused anonymous keys, unless the database currently refuses writes."""
    now = clock.now()
    with suppress(SQLAlchemyError, NewerSchema):
        expired = db.session.scalars(queries.select_expired_anonymous_keys(now).limit(1)).first()
        db.session.rollback()
        if expired is not None:
            with transaction(wait=False):
                _delete_expired_anonymous_keys(now)


def _delete_expired_anonymous_keys(now: datetime) -> None:
    for statement in (queries.select_expired_anonymous_keys(now), queries.select_excess_anonymous_keys()):
        uuids = db.session.scalars(statement.limit(MAX_DELETED_KEYS)).all()
        if uuids:
            db.session.execute(delete_rows(ApiKey).where(ApiKey.uuid.in_(uuids)))


def get_deletable_key(caller: Caller, uuid: UUID) -> ApiKey:
    """Return the key with the uuid if the caller may delete it.

    Raises NotFound if the caller cannot see such a key, and Forbidden if the caller may not delete it.
    """
    key = queries.get_visible_key(uuid, caller)
    permissions.check_can_delete_key(caller, key=key.uuid)
    return key


def change_key(caller: Caller, uuid: UUID, changes: Fields) -> ApiKey:
    """Change the name or the expiry of a key; the caller needs the scope `write`.

    Raises NotFound if the caller cannot see the key, and the errors of `permissions.choose_expiry`.
    """
    with transaction():
        key = queries.get_visible_key(uuid, caller)
        key.name = changes.get("name", key.name)
        # An unchanged expiry is accepted even if it has passed, so that a client can send it back.
        if changes.get("expires", key.expires) != key.expires:
            key.expires = permissions.choose_expiry(changes["expires"], clock.now(), caller)
    return key


def rotate_key(caller: Caller, uuid: UUID, *, overlap_seconds: int) -> WithAttributes:
    """Create a key with the same owner, name, scope and expiry; the old key expires after the overlap.

    The caller needs the scope `write`. If the old key has no expiry, the successor gets the expiry of the
    caller's own key. Raises NotFound if the caller cannot see the key, and Forbidden if the key has expired
    or expires after the caller's own key.
    """
    with transaction():
        key = queries.get_visible_key(uuid, caller)
        now = clock.now()
        if key.expires is not None and key.expires <= now:
            raise Forbidden("An expired key cannot be rotated; create a new one.", code="key_expired")
        is_unused = key.last_used is None and permissions.has_unused_key_expiry(
            key.owner_id, key.created, key.expires
        )
        expires = permissions.choose_expiry(
            now + permissions.UNUSED_KEY_LIFETIME if is_unused else key.expires, now, caller
        )
        successor = issue_key(key.owner_id, key.scope, name=key.name, created=now, expires=expires)
        key.expires = permissions.compute_overlap_end(key.expires, now, overlap_seconds)
    return successor


def delete_key(caller: Caller, uuid: UUID) -> None:
    """Delete a key; every process then refuses requests with it.

    Raises NotFound if the caller cannot see the key, and Forbidden if the caller may not delete it.
    """
    with transaction():
        db.session.delete(get_deletable_key(caller, uuid))


def delete_key_unchecked(uuid: UUID) -> None:
    """Delete a key without checking the caller, for commands; raises NotFound if there is no such key."""
    with transaction():
        db.session.delete(queries.get_key_by_uuid(uuid))


def record_key_use(key: UUID, owner: UUID | None, now: datetime, *, remove_expiry: bool = False) -> bool:
    """Store the time at which the key was last used, and remove its expiry if `remove_expiry` is set.

    Returns False if nothing was stored, because another connection is writing (reads never wait for the write
    lock) or because the database refuses writes from this version of blogapi.
    """
    values = {"last_used": now} | ({"expires": None} if remove_expiry else {})
    with suppress(*BUSY_ERRORS, NewerSchema), transaction(wait=False, visible=False):
        db.session.execute(update(ApiKey).where(ApiKey.uuid == key).values(values))
        if owner is not None:
            store_last_seen(owner, now)
        return True
    return False
