"""How a key is written, and who may do what with one."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import marshmallow as ma

from blogapi.web.access import SCOPES, Caller, Scope
from blogapi.web.errors import Forbidden, Invalid, Unauthorized
from blogapi.web.fields import Text

MAX_NAME_LENGTH = 100

# A key's last use is written at most this often, so that reads stay reads.
LAST_USED_INTERVAL = timedelta(hours=1)

# Anybody may make anonymous keys: one that is not used within a day ends, of those that wait for their
# first use the newest are kept, and one that ended is shown as such for as long again.
UNUSED_LIFETIME = timedelta(days=1)
MAX_UNUSED_KEYS = 1000


def scopes(scope: Scope) -> frozenset[Scope]:
    """Return the scope with those that it includes."""
    return frozenset(SCOPES[: SCOPES.index(scope) + 1])


def widest(scopes: Collection[Scope], *, default: Scope) -> Scope:
    """Return the scope that includes all of these, the default where there are none."""
    return max(scopes, key=SCOPES.index, default=default)


def validate_name(written: str) -> str:
    """Return the name; raises Invalid for one that is too long or could not be sent back as JSON."""
    try:
        kept: str = Text(max_length=MAX_NAME_LENGTH).deserialize(written)
    except ma.ValidationError as error:
        raise Invalid("The name is not usable.", errors={"name": [*map(str, error.messages)]}) from error
    return kept


def scope_for(maker: Caller, wished: Collection[Scope]) -> Scope:
    """Return the scope of a user's new key, `read` without a wish; raises Forbidden if the maker lacks it."""
    scope = widest(wished, default="read")
    if scope not in maker.scopes:
        raise Forbidden("A key cannot have wider scopes than its maker.", code="scope_missing")
    return scope


def may_create(setting: str, maker: Caller) -> None:
    """Raise Forbidden, for a stranger Unauthorized, where the setting KEY_CREATION keeps the caller out."""
    if setting != "open" and not maker.known:
        raise Unauthorized(f"On this blog only {setting} create keys; log in, or send a key.")
    if setting == "users" and maker.user is None:
        raise Forbidden("On this blog only users create keys; log in first.")
    if setting == "admins" and not maker.is_admin:
        raise Forbidden("On this blog only admins create keys; ask one.")


def may_see(who: Caller, *, owner: UUID | None) -> bool:
    """Tell whether a key exists for the caller.

    An anonymous key exists for whoever knows its uuid, which only its maker was shown; an owned key for its
    owner and admins. The key of a web page is everybody's, so to a `published` key no key exists, except that
    anonymous keys end one another.
    """
    if "read" not in who.scopes:
        return who.user is None and owner is None
    return owner is None or owner == who.user or who.is_admin


def may_delete(who: Caller, *, key: UUID) -> None:
    """Raise Forbidden where the caller sees the key but may not end it.

    A key may end itself, for that only takes rights away, and an anonymous one any that it sees. All else
    needs the widest scope, so that no key ends one of wider scope.
    """
    if not (key == who.key or who.user is None or "write" in who.scopes):
        raise Forbidden("This needs a key with the write scope, or a login.", code="scope_missing")


def choose_expiry(wished: datetime | None, now: datetime, who: Caller) -> datetime | None:
    """Return when a key ends that the caller dates; without a wish it ends with the caller's own key.

    Raises Invalid for a moment that is not ahead, Forbidden for one that outlives the caller's own key:
    a key that leaked must not buy itself time.
    """
    if wished is not None and wished <= now:
        raise Invalid("The key would be dead already.", errors={"expires": ["Must lie ahead."]})
    if who.expires is None or wished is None:
        return wished or who.expires
    if wished > who.expires:
        raise Forbidden("This key ends earlier itself; log in, or use another key.", code="scope_missing")
    return wished


def is_trial_key(owner: UUID | None, created: datetime, expires: datetime | None) -> bool:
    """Tell whether an anonymous key that was never used is to live on once it is."""
    return owner is None and expires == created + UNUSED_LIFETIME


def may_rotate(expires: datetime | None, now: datetime) -> None:
    """Raise Forbidden for a key that has expired, as a successor ends when its key would have ended."""
    if expires is not None and expires <= now:
        raise Forbidden("This key has expired and has no successor; create a new one.", code="key_expired")


def end_of_overlap(expires: datetime | None, now: datetime, overlap_seconds: int) -> datetime:
    """Return when a key that has a successor ends: after the overlap, never later than it would have."""
    end = now + timedelta(seconds=overlap_seconds)
    return end if expires is None else min(expires, end)
