"""Writes of API keys."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from itertools import count
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError

from blogapi import clock
from blogapi.api_keys import policy, queries
from blogapi.api_keys.models import ApiKey
from blogapi.storage.database import BUSY_ERRORS, db, transaction
from blogapi.web import key_format
from blogapi.web.access import Caller, Scope
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.tokens import digest_token

# At every so many anonymous keys the old ones are cleared away: to look for them takes a moment, and at
# most that many more than allowed wait meanwhile.
SWEEP_EVERY = 50
MAX_SWEPT = 500

_anonymous_count = count()


def create(
    maker: Caller, *, name: str = "", expires: datetime | None = None, scopes: Collection[Scope] = ()
) -> WithAttributes:
    """Make a key that belongs to the maker's user; return it with its `value`.

    Raises Forbidden for scopes wider than the maker's, Invalid for an expiry that is not ahead.
    """
    scope = policy.scope_for(maker, scopes)
    return issue(
        maker.user, name=name, expires=policy.choose_expiry(expires, clock.now(), maker), scopes={scope}
    )


def issue(
    owner: UUID | None,
    *,
    name: str = "",
    expires: datetime | None = None,
    scopes: Collection[Scope] = (),
) -> WithAttributes:
    """Make a key for a user, or for nobody (`published`); return it with its `value`, which is kept nowhere.

    Raises Invalid for an unusable name.
    """
    scope = policy.widest(scopes, default="published")
    return _create(owner, name=name, created=clock.now(), expires=expires, scope=scope)


def create_anonymous() -> WithAttributes:
    """Make an anonymous key for anybody, which ends unless it is used within a day; return it as `issue`."""
    now = clock.now()
    with transaction():
        if next(_anonymous_count) % SWEEP_EVERY == 0:
            _delete_expired(now)
        return _create(None, created=now, expires=now + policy.UNUSED_LIFETIME)


def delete_expired() -> None:
    """Clear away anonymous keys that ended; writes only where there are any, and never waits."""
    now = clock.now()
    with suppress(SQLAlchemyError):
        over = db.session.scalars(queries.select_expired(now).limit(1)).first()
        db.session.rollback()
        if over is not None:
            with transaction(patient=False):
                _delete_expired(now)


def _delete_expired(now: datetime) -> None:
    for gone in (queries.select_expired(now), queries.select_excess_unused()):
        uuids = db.session.scalars(gone.limit(MAX_SWEPT)).all()
        if uuids:
            db.session.execute(delete_rows(ApiKey).where(ApiKey.uuid.in_(uuids)))


def _create(
    owner: UUID | None,
    *,
    created: datetime,
    expires: datetime | None,
    name: str = "",
    scope: Scope = "published",
) -> WithAttributes:
    value = key_format.new_value()
    key = ApiKey(
        digest=digest_token(value),
        prefix=value[: key_format.PREFIX_LENGTH],
        name=policy.validate_name(name),
        owner_id=owner,
        scope=scope,
        created=created,
        expires=expires,
    )
    with transaction():
        db.session.add(key)
    return WithAttributes(key, value=value)


def deletable(who: Caller, uuid: UUID) -> ApiKey:
    """Return the key if the caller may delete it; raises NotFound or Forbidden."""
    key = queries.get_visible(uuid, who)
    policy.may_delete(who, key=key.uuid)
    return key


def change(who: Caller, uuid: UUID, changes: Fields) -> ApiKey:
    """Change name or expiry of a key, for a caller with the scope `write`.

    Raises NotFound for a key that the caller may not know of.
    """
    with transaction():
        key = queries.get_visible(uuid, who)
        key.name = changes.get("name", key.name)
        # What GET shows of a key that has expired can be sent back as it is.
        if changes.get("expires", key.expires) != key.expires:
            key.expires = policy.choose_expiry(changes["expires"], clock.now(), who)
    return key


def rotate(who: Caller, uuid: UUID, *, overlap_seconds: int) -> WithAttributes:
    """Make a successor with the same owner, name, scope and expiry; the old key ends after the overlap.

    For a caller with the scope `write`. Raises NotFound for a key that they may not know of, Forbidden for
    one that has expired, as its successor would be dead already, and for one that outlives the caller's own
    key; a successor without an expiry ends with that.
    """
    with transaction():
        key = queries.get_visible(uuid, who)
        now = clock.now()
        policy.may_rotate(key.expires, now)
        waits = key.last_used is None and policy.is_trial_key(key.owner_id, key.created, key.expires)
        expires = policy.choose_expiry(now + policy.UNUSED_LIFETIME if waits else key.expires, now, who)
        successor = _create(key.owner_id, name=key.name, created=now, expires=expires, scope=key.scope)
        key.expires = policy.end_of_overlap(key.expires, now, overlap_seconds)
    return successor


def delete(who: Caller, uuid: UUID) -> None:
    """Delete a key; it is dead for the next request, in every process."""
    with transaction():
        db.session.delete(deletable(who, uuid))


def delete_by_uuid(uuid: UUID) -> None:
    """Delete a key on the owner's own machine; raises NotFound."""
    with transaction():
        db.session.delete(queries.get_by_uuid(uuid))


def record_use(key: UUID, now: datetime, *, stays: bool = False) -> None:
    """Note that the key was used, and that it therefore `stays`.

    Not now, if another is writing: a read waits for nobody.
    """
    values = {"last_used": now} | ({"expires": None} if stays else {})
    with suppress(*BUSY_ERRORS), transaction(patient=False):
        db.session.execute(update(ApiKey).where(ApiKey.uuid == key).values(values))
