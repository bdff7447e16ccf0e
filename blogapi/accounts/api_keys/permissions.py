"""The rules for API keys: their scopes, their expiry, and what a caller may do with them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import marshmallow as ma

from blogapi.web.access import SCOPES, Caller, Scope
from blogapi.web.errors import Forbidden, Invalid, Unauthorized
from blogapi.web.fields import Text

MAX_KEY_NAME_LENGTH = 100

# The minimum time between two updates of `last_used`, so that most reads do not write.
LAST_USED_INTERVAL = timedelta(hours=1)

# By default, anyone may create anonymous keys. An unused one expires after UNUSED_KEY_LIFETIME, and only
# the newest MAX_UNUSED_KEYS unused keys are stored. A used key is deleted only UNUSED_KEY_LIFETIME after it
# expired, so that requests with it get `key_expired` instead of `key_invalid`.
UNUSED_KEY_LIFETIME = timedelta(days=1)
MAX_UNUSED_KEYS = 1000


def validate_key_name(name: str) -> str:
    """Return the name; raises Invalid if it is too long or contains characters that are not allowed."""
    try:
        validated: str = Text(max_length=MAX_KEY_NAME_LENGTH).deserialize(name)
    except ma.ValidationError as error:
        raise Invalid("The name is not valid.", errors={"name": [*map(str, error.messages)]}) from error
    return validated


def choose_scope(caller: Caller, requested: Collection[Scope]) -> Scope:
    """Return the widest of the requested scopes for a user's new key (default: `read`).

    Raises Forbidden if the caller lacks this scope.
    """
    scope: Scope = max(requested, key=SCOPES.index, default="read")
    if scope not in caller.scopes:
        raise Forbidden(
            f"You cannot create a key of scope {scope} with a key that lacks this scope; log in, or use "
            "a key that has it.",
            code="scope_missing",
        )
    return scope


def check_key_creation(setting: str, caller: Caller) -> None:
    """Raise Unauthorized or Forbidden unless KEY_CREATION (`setting`) lets the caller create keys."""
    if setting != "open" and not caller.is_authenticated:
        raise Unauthorized(f"On this blog only {setting} may create keys; log in, or send a key.")
    if setting == "users" and caller.user is None:
        raise Forbidden("On this blog only users may create keys; log in first.")
    if setting == "admins" and not caller.is_admin:
        raise Forbidden("On this blog only admins may create keys; ask an admin for one.")


def can_see_key(caller: Caller, *, owner: UUID | None) -> bool:
    """Return whether the caller can see a key of the owner (None: an anonymous key).

    A key with an owner is visible to its owner and to admins. An anonymous key is visible to any caller who
    knows its uuid, which was shown only to its creator. A caller with a user's `published` key sees no key,
    because such a key is part of a public web page. A caller with an anonymous key sees only anonymous keys.
    """
    if "read" not in caller.scopes:
        return caller.user is None and owner is None
    return owner is None or owner == caller.user or caller.is_admin


def check_can_delete_key(caller: Caller, *, key: UUID) -> None:
    """Raise Forbidden if the caller may not delete a key that they can see.

    A caller may delete the key of their request, and with an anonymous key any key that they can see.
    Otherwise the scope `write` is required, so that a key cannot delete a key of wider scope.
    """
    if not (key == caller.key or caller.user is None or "write" in caller.scopes):
        raise Forbidden("This operation needs a key with the write scope, or a login.", code="scope_missing")


def choose_expiry(requested: datetime | None, now: datetime, caller: Caller) -> datetime | None:
    """Return the expiry of a key that the caller creates or changes (default: the expiry of their own key).

    Raises Invalid if the requested time is not in the future, and Forbidden if it is after the expiry of the
    caller's own key, because otherwise a leaked key could create keys that expire later.
    """
    if requested is not None and requested <= now:
        raise Invalid("This expiry has already passed.", errors={"expires": ["Must be in the future."]})
    if caller.expires is None or requested is None:
        return requested or caller.expires
    if requested > caller.expires:
        raise Forbidden(
            "The key that you use expires earlier; choose an earlier time, use another key, or log in.",
            code="scope_missing",
        )
    return requested


def has_unused_key_expiry(owner: UUID | None, created: datetime, expires: datetime | None) -> bool:
    """Return whether the key is anonymous and still has its initial expiry, which its first use removes."""
    return owner is None and expires == created + UNUSED_KEY_LIFETIME


def compute_overlap_end(expires: datetime | None, now: datetime, overlap_seconds: int) -> datetime:
    """Return the new expiry of a rotated key: the end of the overlap, or the old expiry if it is earlier."""
    end = now + timedelta(seconds=overlap_seconds)
    return end if expires is None else min(expires, end)
