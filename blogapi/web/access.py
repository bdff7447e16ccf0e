"""Access rules: each view declares one with `allow`, and a hook before each request checks it.

The application does not start if a view declares no access rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, get_args
from urllib.parse import urlsplit
from uuid import UUID

from flask import Request, g

from blogapi.web.errors import Forbidden, Unauthorized
from blogapi.web.operation import View, get_operation, set_declarations

# Each scope includes those before it. `published` allows reading published content, `read` allows reading
# everything that the user may see, `drafts` also allows writing what readers do not see, and `write` also
# allows changing what they see.
Scope = Literal["published", "read", "drafts", "write"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
# For each scope: the scopes before it, and the scope itself.
INCLUDED_SCOPES = {scope: SCOPES[: position + 1] for position, scope in enumerate(SCOPES)}


class Role(StrEnum):
    """The roles of users, from the one with the fewest rights to the one with the most."""

    READER = "reader"
    AUTHOR = "author"
    EDITOR = "editor"
    ADMIN = "admin"

    def includes(self, role: Role) -> bool:
        """Return whether this role has all rights of the other role."""
        return ROLES.index(self) >= ROLES.index(role)


ROLES = tuple(Role)


def may_publish(role: Role, *, can_publish: bool) -> bool:
    """Return whether a user of the role may publish articles; authors need `can_publish` in their account."""
    return role.includes(Role.EDITOR) or (role == Role.AUTHOR and can_publish)


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: a user (by API key or login), the holder of an anonymous key, or a stranger.

    `role` is the current role of the user; a caller without a user is a reader. `publishes` is whether the
    user may publish articles; an author may if the account allows it. A caller who `lacks_second_factor` has
    only the scope `published` until they turn on a second factor.
    """

    user: UUID | None = None
    username: str = ""
    role: Role = Role.READER
    publishes: bool = False
    scopes: frozenset[str] = frozenset()
    key: UUID | None = None
    key_name: str = ""
    expires: datetime | None = None
    is_authenticated: bool = False
    lacks_second_factor: bool = False

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def is_author(self) -> bool:
        """Return whether the caller is an author, who may write only their own articles."""
        return self.role == Role.AUTHOR

    @property
    def may_change_public(self) -> bool:
        """Return whether the caller may publish articles, and change what readers see."""
        return self.publishes and "write" in self.scopes

    @property
    def writes_drafts_only(self) -> bool:
        """Return whether the key of the caller allows only writing what readers do not see."""
        return "drafts" in self.scopes and "write" not in self.scopes

    @property
    def gets_provisional_slugs(self) -> bool:
        """Return whether the unpublished articles that the caller writes have provisional slugs.

        Authors must not learn which slugs are taken, and a caller with the scope `drafts` must not take one.
        """
        return self.is_author or self.writes_drafts_only

    @property
    def sees_drafts(self) -> bool:
        """Return whether the caller may see all articles that are not public."""
        return self.role.includes(Role.EDITOR) and "read" in self.scopes

    @property
    def sees_admin_fields(self) -> bool:
        """Return whether responses to the caller contain the fields that are only for admins."""
        return self.is_admin and "read" in self.scopes

    @property
    def restricted_to_author(self) -> UUID | None:
        """Return the user's uuid if they see only their own drafts, or None (they see all drafts or none)."""
        return self.user if self.is_author and "read" in self.scopes else None


STRANGER = Caller()
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class AccessRule:
    """An access rule: who may call a view, and with which credentials.

    `description` says in the API documentation who may call the view. With `checks_credentials`, a key or
    session in the request is checked; with `requires_credentials`, the request must contain one. `role` is
    the lowest role that may call the view. With `login_only`, API keys are refused: a leaked key must not
    take over the blog. `articles.permissions` and `media.permissions` decide what an author may do with a
    single article or file; `accounts.users.roles` describes all rights in plain words.
    """

    name: str
    description: str
    checks_credentials: bool = True
    requires_credentials: bool = True
    role: Role = Role.READER
    login_only: bool = False


anyone = AccessRule(
    "anyone", "everyone; keys are not checked", checks_credentials=False, requires_credentials=False
)
guest = AccessRule(
    "guest",
    "everyone; a key or a login must be valid, and the key of a user must have the scope",
    requires_credentials=False,
)
reader = AccessRule("reader", "every valid key or login")
author = AccessRule("author", "authors, editors and admins", role=Role.AUTHOR)
editor = AccessRule("editor", "editors and admins", role=Role.EDITOR)
admin = AccessRule("admin", "admins", role=Role.ADMIN)
user_login = AccessRule("user login", "logged-in users", login_only=True)
editor_login = AccessRule("editor login", "logged-in editors and admins", role=Role.EDITOR, login_only=True)
admin_login = AccessRule("admin login", "logged-in admins", role=Role.ADMIN, login_only=True)

# For each role, the users who may call a view that requires the role, for an error message.
_CALLERS_BY_ROLE = {rule.role: rule.description for rule in (author, editor, admin)}


@dataclass(frozen=True, slots=True)
class AccessRequirement:
    """What a view requires of its caller: an access rule, and the scope that the key must have."""

    rule: AccessRule
    scope: Scope


def allow(rule: AccessRule, *, scope: Scope = "read") -> Callable[[View], View]:
    """Declare who may call the view, and the scope that an API key needs."""
    return set_declarations(access=AccessRequirement(rule, scope))


def check_before_body(check: Callable[[], object]) -> Callable[[View], View]:
    """Run the check before the view reads the body, so that a 403 or 404 comes before a 422."""

    def decorate(view: View) -> View:
        get_operation(view).checks.insert(0, check)
        return view

    return decorate


def get_access(view: Callable[..., Any], *, public_reads: bool = False) -> AccessRequirement | None:
    """Return the requirement that the view declares with `allow`, or None.

    With `public_reads` (the setting PUBLIC_READS), a view that shows published content needs no credentials.
    """
    declared, reads_published = get_operation(view), AccessRequirement(reader, "published")
    is_published_content = declared.shows is not None and declared.access == reads_published
    return AccessRequirement(guest, "published") if public_reads and is_published_content else declared.access


def current_caller() -> Caller:
    """Return the caller of the current request."""
    caller: Caller = g.caller
    return caller


def current_key_name() -> str:
    """Return the name of the key of the current request; empty for a login, and in commands."""
    return current_caller().key_name if "caller" in g else ""


def current_user_id() -> UUID:
    """Return the uuid of the user who sent the request; the view's access rule must require a user."""
    user = current_caller().user
    assert user is not None, "the access rule of the view must require a user"
    return user


def require_access(access: AccessRequirement, caller: Caller) -> None:
    """Raise Unauthorized or Forbidden unless the caller has the required access."""
    if access.rule.requires_credentials and not caller.is_authenticated:
        raise Unauthorized("Send an API key in the X-API-KEY header; POST /api/v1/auth/api-key/ creates one.")
    if access.rule.login_only and caller.key is not None:
        raise Forbidden("An API key cannot do this; log in instead.", code="login_required")
    if caller.lacks_second_factor and access.scope not in caller.scopes:
        raise Forbidden(
            "Admins of this blog need a second factor; turn yours on in your profile first.",
            code="second_factor_missing",
        )
    if not caller.role.includes(access.rule.role):
        callers = _CALLERS_BY_ROLE[access.rule.role]
        raise Forbidden(f"Only {callers} may do this; use the key of such a user, or log in as one.")
    identified = access.rule.checks_credentials and caller.user is not None
    if (access.rule.requires_credentials or identified) and access.scope not in caller.scopes:
        raise Forbidden(
            f"This key lacks the {access.scope} scope; use a key that has it.", code="scope_missing"
        )


# The content types of requests that forms, and the attribute `ping` of links, send.
_FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "text/ping")


def check_same_origin(request: Request) -> None:
    """Raise Forbidden for an unsafe request that comes from a page of another origin (CSRF).

    Browsers send `Sec-Fetch-Site` or `Origin` with each unsafe request, so a client that sends neither is not
    a browser.
    """
    if request.method in SAFE_METHODS:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site:
        is_same_origin = site in ("same-origin", "none")
    else:
        is_same_origin = origin is None or _get_host(origin) == request.host
    if not is_same_origin:
        raise Forbidden(
            "A request with a login must come from the blog's own origin; use an API key instead.",
            code="cross_origin",
        )


def refuse_form_request(request: Request, *, takes_file: bool) -> None:
    """Raise Forbidden for an unsafe request that a form or a link sent.

    A text on a page of the blog can contain a form that an attacker wrote; the admin pages send all their
    requests with scripts. Old browsers, and browsers without TLS, send no `Sec-Fetch-Mode`. Then a request
    with a content type of forms is refused, unless the operation accepts files (`takes_file`).
    """
    mode = request.headers.get("Sec-Fetch-Mode")
    if mode:
        is_from_script = mode in ("cors", "same-origin")
    else:
        is_from_script = takes_file or request.mimetype not in _FORM_TYPES
    if request.method not in SAFE_METHODS and not is_from_script:
        raise Forbidden(
            "A form or a link cannot send a request with a login; send JSON with Content-Type: "
            "application/json, or use an API key.",
            code="cross_origin",
        )


def _get_host(origin: str) -> str:
    # The scheme is not compared, because it differs behind a proxy that terminates TLS.
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
