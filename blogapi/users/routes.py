"""Login, logout, and who is asking."""

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

bp = Blueprint("auth", __name__, url_prefix="/api/v1/auth", description="Login, logout, and who is asking")


@bp.post("/login/")
@allow(anyone)
@check_before_body(lambda: check_same_origin(request))
@bp.arguments(LoginSchema)
@bp.response(200, UserSchema(), headers={"Set-Cookie": {"schema": {"type": "string"}}})
def login(fields: Fields) -> Account:
    """Log in with a user name and a password; the answer sets the session cookie."""
    account = _authenticated(fields["username"], fields["password"])
    service.log_out(session.get("token", ""))
    token = service.log_in(account, lasts=current_app.permanent_session_lifetime)
    # What the browser held before is dropped, so that nobody can plant a session and wait for its login.
    session.clear()
    session.permanent = True
    session["token"] = token
    return account


@bp.post("/logout/")
@allow(reader, scope="published")
@bp.response(204)
def logout() -> None:
    """End the login that the cookie stands for."""
    if current_caller().key is not None:
        raise Forbidden("A key has no login to end; DELETE /api/v1/auth/api-key/:id/ ends the key.")
    service.log_out(session["token"])
    session.clear()


@bp.get("/me/")
@allow(reader, scope="published")
@bp.response(200, CallerSchema())
def me() -> WithAttributes:
    """Say who asks, by which key, with which scopes; a `published` key hears of no key."""
    who = current_caller()
    role = "reader" if who.user is None else models.Role.ADMIN if who.is_admin else models.Role.MEMBER
    key = who.key if "read" in who.scopes else None
    return WithAttributes(who, role=role, key=key, scopes=sorted(who.scopes, key=SCOPES.index))


def _authenticated(username: str, password: str) -> Account:
    # As the account is found, or another spelling of the same name would begin a count of its own.
    name, sender, known = (
        usernames.fold_username(username),
        limiter.client_network(),
        limiter.get_counters(current_app),
    )
    tries = [("LOGIN_ADDRESS_LIMIT", sender), ("LOGIN_ACCOUNT_LIMIT", name, sender)]
    if not known.remembers((name, sender)):
        tries.append(("LOGIN_STRANGERS_LIMIT", name))
    with limiter.count_failures(*tries):
        account = service.authenticate(username, password)
        if account is None:
            raise Unauthorized("User name or password is wrong.", code="login_failed")
    known.remember((name, sender))
    return account
