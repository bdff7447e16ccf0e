"""Writes of API keys."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from blogapi.api_keys import queries, rules
from blogapi.api_keys.models import ApiKey
from blogapi.core import clock
from blogapi.core.access import Caller, Scope
from blogapi.core.database import db, transaction
from blogapi.core.schema import Fields, Seen


def create(
    maker: Caller, *, name: str = "", expires: datetime | None = None, scopes: Iterable[Scope] = ()
) -> Seen:
    """Make a key that belongs to the maker's user, or to nobody; return it with its `value`.

    Raises Forbidden for scopes wider than the maker's, Invalid for an expiry that is not ahead.
    """
    granted = rules.scopes_for(maker, scopes)
    return issue(maker.user, name=name, expires=rules.expiry(expires, clock.now(), maker), scopes=granted)


def issue(
    owner: UUID | None,
    *,
    name: str = "",
    expires: datetime | None = None,
    scopes: frozenset[str] = frozenset(),
) -> Seen:
    """Make a key for a user, or for nobody; return it with its `value`, which is kept nowhere.

    Raises Invalid for an unusable name.
    """
    value = rules.new_value()
    key = ApiKey(
        digest=rules.digest(value),
        prefix=value[: rules.SHOWN],
        name=rules.name(name),
        owner_id=owner,
        scope="write" if "write" in scopes else "read",
        expires=expires,
    )
    with transaction():
        db.session.add(key)
    return Seen(key, value=value)


def changeable(who: Caller, uuid: UUID, *, deletes: bool = False) -> ApiKey:
    """Return the key if the caller may change (or delete) it; raises NotFound or Forbidden."""
    key = queries.visible(uuid, who)
    rules.may_change(who, key=key.uuid, scopes=key.scopes, deletes=deletes, owner=key.owner_id)
    return key


def change(who: Caller, uuid: UUID, changes: Fields) -> ApiKey:
    """Change name or expiry of a key.

    Raises NotFound for a key that the caller may not know of, Forbidden where they are too narrow.
    """
    with transaction():
        key = changeable(who, uuid)
        key.name = changes.get("name", key.name)
        # What GET shows of a key that has expired can be sent back as it is.
        if changes.get("expires", key.expires) != key.expires:
            key.expires = rules.expiry(changes["expires"], clock.now(), who)
    return key


def rotate(who: Caller, uuid: UUID, *, overlap_seconds: int) -> Seen:
    """Make a successor with the same owner, name, scopes and expiry; the old key ends after the overlap.

    Raises NotFound or Forbidden, also for a key that has expired: its successor would be dead already.
    """
    with transaction():
        key = changeable(who, uuid)
        rules.may_rotate(key.expires, clock.now())
        successor = issue(key.owner_id, name=key.name, expires=key.expires, scopes=key.scopes)
        key.expires = rules.end_of(key.expires, clock.now(), overlap_seconds)
    return successor


def delete(who: Caller, uuid: UUID) -> None:
    """Delete a key; it is dead for the next request, in every process."""
    with transaction():
        db.session.delete(changeable(who, uuid, deletes=True))


def remove(uuid: UUID) -> None:
    """Delete a key on the owner's own machine; raises NotFound."""
    with transaction():
        db.session.delete(queries.by_uuid(uuid))


def touch(key: UUID, now: datetime) -> None:
    """Note that the key was used; not now, if another is writing: a read waits for nobody."""
    with suppress(OperationalError), transaction(patient=False):
        db.session.execute(update(ApiKey).where(ApiKey.uuid == key).values(last_used=now))
