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

from blogapi.api_keys import queries, rules
from blogapi.api_keys.models import ApiKey
from blogapi.core import clock
from blogapi.core.access import Caller, Scope
from blogapi.core.database import BUSY, db, transaction
from blogapi.core.schema import Fields, Seen

# At every so many anonymous keys the old ones are cleared away: to look for them takes a moment, and at
# most that many more than allowed wait meanwhile.
SWEEP_EVERY = 50
MOST_SWEPT = 500

_lent = count()


def create(
    maker: Caller, *, name: str = "", expires: datetime | None = None, scopes: Collection[Scope] = ()
) -> Seen:
    """Make a key that belongs to the maker's user; return it with its `value`.

    Raises Forbidden for scopes wider than the maker's, Invalid for an expiry that is not ahead.
    """
    scope = rules.scope_for(maker, scopes)
    return issue(maker.user, name=name, expires=rules.expiry(expires, clock.now(), maker), scopes={scope})


def issue(
    owner: UUID | None,
    *,
    name: str = "",
    expires: datetime | None = None,
    scopes: Collection[Scope] = (),
) -> Seen:
    """Make a key for a user, or for nobody (`published`); return it with its `value`, which is kept nowhere.

    Raises Invalid for an unusable name.
    """
    scope = rules.widest(scopes, default="published")
    return _made(owner, name=name, created=clock.now(), expires=expires, scope=scope)


def lend() -> Seen:
    """Make an anonymous key for anybody, which ends unless it is used within a day; return it as `issue`."""
    now = clock.now()
    with transaction():
        if next(_lent) % SWEEP_EVERY == 0:
            _sweep(now)
        return _made(None, created=now, expires=now + rules.UNUSED)


def sweep() -> None:
    """Clear away anonymous keys that ended; writes only where there are any, and never waits."""
    now = clock.now()
    with suppress(SQLAlchemyError):
        over = db.session.scalars(queries.over(now).limit(1)).first()
        db.session.rollback()
        if over is not None:
            with transaction(patient=False):
                _sweep(now)


def _sweep(now: datetime) -> None:
    for gone in (queries.over(now), queries.crowded_out()):
        uuids = db.session.scalars(gone.limit(MOST_SWEPT)).all()
        if uuids:
            db.session.execute(delete_rows(ApiKey).where(ApiKey.uuid.in_(uuids)))


def _made(
    owner: UUID | None,
    *,
    created: datetime,
    expires: datetime | None,
    name: str = "",
    scope: Scope = "published",
) -> Seen:
    value = rules.new_value()
    key = ApiKey(
        digest=rules.digest(value),
        prefix=value[: rules.SHOWN],
        name=rules.name(name),
        owner_id=owner,
        scope=scope,
        created=created,
        expires=expires,
    )
    with transaction():
        db.session.add(key)
    return Seen(key, value=value)


def deletable(who: Caller, uuid: UUID) -> ApiKey:
    """Return the key if the caller may delete it; raises NotFound or Forbidden."""
    key = queries.visible(uuid, who)
    rules.may_delete(who, key=key.uuid)
    return key


def change(who: Caller, uuid: UUID, changes: Fields) -> ApiKey:
    """Change name or expiry of a key, for a caller with the scope `write`.

    Raises NotFound for a key that the caller may not know of.
    """
    with transaction():
        key = queries.visible(uuid, who)
        key.name = changes.get("name", key.name)
        # What GET shows of a key that has expired can be sent back as it is.
        if changes.get("expires", key.expires) != key.expires:
            key.expires = rules.expiry(changes["expires"], clock.now(), who)
    return key


def rotate(who: Caller, uuid: UUID, *, overlap_seconds: int) -> Seen:
    """Make a successor with the same owner, name, scope and expiry; the old key ends after the overlap.

    For a caller with the scope `write`. Raises NotFound for a key that they may not know of, Forbidden for
    one that has expired, as its successor would be dead already, and for one that outlives the caller's own
    key; a successor without an expiry ends with that.
    """
    with transaction():
        key = queries.visible(uuid, who)
        now = clock.now()
        rules.may_rotate(key.expires, now)
        waits = key.last_used is None and rules.waits(key.owner_id, key.created, key.expires)
        expires = rules.expiry(now + rules.UNUSED if waits else key.expires, now, who)
        successor = _made(key.owner_id, name=key.name, created=now, expires=expires, scope=key.scope)
        key.expires = rules.end_of(key.expires, now, overlap_seconds)
    return successor


def delete(who: Caller, uuid: UUID) -> None:
    """Delete a key; it is dead for the next request, in every process."""
    with transaction():
        db.session.delete(deletable(who, uuid))


def remove(uuid: UUID) -> None:
    """Delete a key on the owner's own machine; raises NotFound."""
    with transaction():
        db.session.delete(queries.by_uuid(uuid))


def touch(key: UUID, now: datetime, *, stays: bool = False) -> None:
    """Note that the key was used, and that it therefore `stays`.

    Not now, if another is writing: a read waits for nobody.
    """
    values = {"last_used": now} | ({"expires": None} if stays else {})
    with suppress(*BUSY), transaction(patient=False):
        db.session.execute(update(ApiKey).where(ApiKey.uuid == key).values(values))
