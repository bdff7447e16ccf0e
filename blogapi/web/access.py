"""Who may call what: the rules, as data, and the judgement over them.

A view says its rule with `allow`; the hook in front of all views applies it. A view without a rule does
not start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Literal, TypeVar, cast, get_args
from urllib.parse import urlsplit
from uuid import UUID

from flask import Request, g

from blogapi.web.errors import Forbidden, Unauthorized

# Each scope includes those before it: `published` is published content only, `read` what the user may read.
Scope = Literal["published", "read", "write"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a user by a key or a web session, the holder of an anonymous key, or a stranger."""

    user: UUID | None = None
    username: str = ""
    is_admin: bool = False
    scopes: frozenset[str] = frozenset()
    key: UUID | None = None
    expires: datetime | None = None
    known: bool = False

    @property
    def sees_drafts(self) -> bool:
        """Tell whether articles that are not public exist for the caller."""
        return self.is_admin and "read" in self.scopes


STRANGER = Caller()
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its name, what it means, and whether a caller is looked for and required."""

    name: str
    sentence: str
    identifies: bool = True
    requires: bool = True
    admins_only: bool = False


anyone = Rule("anyone", "everybody; a key is not even looked at", identifies=False, requires=False)
guest = Rule(
    "guest", "everybody; a key or session that is sent must be valid, a user's have the scope", requires=False
)
reader = Rule("reader", "holders of any valid key, and users who are logged in")
admin = Rule("admin", "admins, by their key or their login", admins_only=True)


@dataclass(frozen=True, slots=True)
class Access:
    """What one view demands: a rule, and the scope that the key must have."""

    rule: Rule
    scope: Scope


def allow(rule: Rule, *, scope: Scope = "read") -> Callable[[View], View]:
    """Declare who may call the view; it is closed to `published` keys unless it says otherwise."""

    def declare(view: View) -> View:
        view.__dict__["access"] = Access(rule, scope)
        return view

    return declare


def check_before_body(check: Callable[[], None]) -> Callable[[View], View]:
    """Run the check before the view reads the body: who may not write hears nothing of what they wrote."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(*args: Any, **kwargs: Any) -> Any:
            check()
            return view(*args, **kwargs)

        return cast(View, checked)

    return decorate


def get_access(view: Callable[..., Any]) -> Access | None:
    """Return what the view declared, or None."""
    return view.__dict__.get("access")


def current_caller() -> Caller:
    """Return who sent the present request."""
    who: Caller = g.caller
    return who


def current_user_id() -> UUID:
    """Return the user who sent the present request; only for views that demand one."""
    user = current_caller().user
    assert user is not None, "the rule of the view lets users in only"
    return user


def authorize(access: Access, who: Caller) -> None:
    """Raise Unauthorized or Forbidden unless `who` satisfies the demand."""
    if access.rule.requires and not who.known:
        raise Unauthorized("Send an API key in the X-API-KEY header; POST /api/v1/auth/api-key/ creates one.")
    if access.rule.admins_only and not who.is_admin:
        raise Forbidden("Only an admin may do this; use the key of an admin, or log in as one.")
    identified = access.rule.identifies and who.user is not None
    if (access.rule.requires or identified) and access.scope not in who.scopes:
        raise Forbidden(f"This key has no {access.scope} scope; use one that has.", code="scope_missing")


def check_same_origin(sent: Request) -> None:
    """Raise Forbidden for an unsafe request that a page of another site caused.

    Browsers always send one of the two headers with such a request; a program that sends neither is not
    led by another site.
    """
    if sent.method in SAFE_METHODS:
        return
    site, origin = sent.headers.get("Sec-Fetch-Site"), sent.headers.get("Origin")
    own = site in ("same-origin", "none") if site else origin is None or _host_of(origin) == sent.host
    if not own:
        raise Forbidden("With a login, changes must come from the blog's own site.", code="cross_origin")


def _host_of(origin: str) -> str:
    # The scheme says nothing: a proxy may have ended TLS before us.
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
