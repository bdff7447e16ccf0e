"""How a key is written, and who may do what with one."""

from __future__ import annotations

import hashlib
import secrets
import string
import zlib
from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import marshmallow as ma

from blogapi.core.access import SCOPES, Caller, Scope
from blogapi.core.errors import Forbidden, Invalid, Unauthorized
from blogapi.core.schema import Text

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
PREFIX = "blogapi_"
RANDOM = 32
CHECK = 6
# The first characters tell the keys of a list apart and are far too few to guess the rest.
SHOWN = len(PREFIX) + 6
LENGTH = len(PREFIX) + RANDOM + CHECK

LONGEST_NAME = 100

# A key's last use is written at most this often, so that reads stay reads.
TOUCH_EVERY = timedelta(hours=1)

# Anybody may make anonymous keys: one that is not used within a day ends, of those that wait for their
# first use the newest are kept, and one that ended is shown as such for as long again.
UNUSED = timedelta(days=1)
MOST_UNUSED = 1000


def new_value() -> str:
    """Return a fresh key: `blogapi_`, 32 random base62 characters (190 bits), 6 of their CRC32."""
    random = "".join(secrets.choice(BASE62) for _ in range(RANDOM))
    return f"{PREFIX}{random}{_check(random)}"


def scopes(scope: Scope) -> frozenset[Scope]:
    """Return the scope with those that it includes."""
    return frozenset(SCOPES[: SCOPES.index(scope) + 1])


def widest(scopes: Collection[Scope], *, default: Scope) -> Scope:
    """Return the scope that includes all of these, the default where there are none."""
    return max(scopes, key=SCOPES.index, default=default)


def well_formed(value: str) -> bool:
    """Tell whether the text can be a key at all; a typing error fails here, without a query."""
    random, check = value[len(PREFIX) : -CHECK], value[-CHECK:]
    return len(value) == LENGTH and value.startswith(PREFIX) and _check(random) == check


def digest(value: str) -> str:
    """Return what is stored of a key: 190 random bits need no slow hash."""
    return hashlib.sha256(value.encode("utf-8")).hexdigest()


def _check(random: str) -> str:
    number, letters = zlib.crc32(random.encode("utf-8")), ""
    for _ in range(CHECK):
        number, rest = divmod(number, len(BASE62))
        letters = BASE62[rest] + letters
    return letters


def name(written: str) -> str:
    """Return the name; raises Invalid for one that is too long or could not be sent back as JSON."""
    try:
        kept: str = Text(longest=LONGEST_NAME).deserialize(written)
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


def expiry(wished: datetime | None, now: datetime, who: Caller) -> datetime | None:
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


def waits(owner: UUID | None, created: datetime, expires: datetime | None) -> bool:
    """Tell whether an anonymous key that was never used is to live on once it is."""
    return owner is None and expires == created + UNUSED


def may_rotate(expires: datetime | None, now: datetime) -> None:
    """Raise Forbidden for a key that has expired, as a successor ends when its key would have ended."""
    if expires is not None and expires <= now:
        raise Forbidden("This key has expired and has no successor; create a new one.", code="key_expired")


def end_of(expires: datetime | None, now: datetime, overlap_seconds: int) -> datetime:
    """Return when a key that has a successor ends: after the overlap, never later than it would have."""
    end = now + timedelta(seconds=overlap_seconds)
    return end if expires is None else min(expires, end)
