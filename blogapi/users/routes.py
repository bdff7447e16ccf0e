"""The endpoints for login, logout and the current caller."""

from __future__ import annotations

from flask import current_app, request, session

from blogapi.rate_limits import limiter
from blogapi.users import models, service, usernames
from blogapi.users.models import Account
from blogapi.users.schemas import CallerSchema, LoginSchema, UserSchema
from blogapi.web.access import (
    SCOPES,
    allow,
    anyone,
    check_before_body,
    check_same_origin,
    current_caller,
    reader,
)
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Forbidden, Unauthorized
from blogapi.web.fields import Fields, WithAttributes

bp = Blueprint(
    "auth",
    __name__,
    url_prefix="/api/v1/auth",
    description="Login, logout and the current caller",
    resource="",
)


@bp.post("/login/")
@allow(anyone)
@check_before_body(lambda: check_same_origin(request))
@bp.arguments(LoginSchema)
@bp.response(200, UserSchema(), headers={"Set-Cookie": {"schema": {"type": "string"}}})
def login(fields: Fields) -> Account:
    """Log in with user name and password; the response sets the session cookie."""
    account = _authenticate(fields["username"], fields["password"])
    service.log_out(session.get("token", ""))
    token = service.log_in(account, lifetime=current_app.permanent_session_lifetime)
    # Drop the previous session to prevent session fixation.
    session.clear()
    session.permanent = True
    session["token"] = token
    return account


@bp.post("/logout/")
@allow(reader, scope="published")
@bp.response(204)
def logout() -> None:
    """Log out: end the login session of the cookie."""
    if current_caller().key is not None:
        raise Forbidden(
            "An API key has no login session; to delete the key, use DELETE /api/v1/auth/api-key/:id/."
        )
    service.log_out(session["token"])
    session.clear()


@bp.get("/me/")
@allow(reader, scope="published")
@bp.response(200, CallerSchema())
def me() -> WithAttributes:
    """Show the current user, role, API key and scopes; `key` is null for a key of scope `published`."""
    caller = current_caller()
    role = "reader" if caller.user is None else models.Role.ADMIN if caller.is_admin else models.Role.MEMBER
    key = caller.key if "read" in caller.scopes else None
    return WithAttributes(caller, role=role, key=key, scopes=sorted(caller.scopes, key=SCOPES.index))


def _authenticate(username: str, password: str) -> Account:
    # The name is folded, so that failed logins with all spellings of a name are counted together.
    name = usernames.fold_username(username)
    network, counters = limiter.client_network(), limiter.get_counters(current_app)
    limits = [("LOGIN_ADDRESS_LIMIT", network), ("LOGIN_ACCOUNT_LIMIT", name, network)]
    if not counters.remembers((name, network)):
        limits.append(("LOGIN_STRANGERS_LIMIT", name))
    with limiter.count_failures(*limits):
        account = service.authenticate(username, password)
        if account is None:
            raise Unauthorized("The user name or the password is wrong.", code="login_failed")
    counters.remember((name, network))
    return account
