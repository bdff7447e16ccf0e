"""The endpoints of logins, passwords and the current caller."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import UUID

from flask import current_app, request, session

from blogapi.accounts import mail
from blogapi.accounts.users import (
    credentials,
    emails,
    links,
    passwords,
    queries,
    second_factor,
    service,
    usernames,
)
from blogapi.accounts.users.account_schemas import (
    CallerSchema,
    ForgottenPasswordSchema,
    InvitationTokenSchema,
    JoiningUserSchema,
    LoginOptionsSchema,
    LoginSchema,
    NewPasswordSchema,
    ResetPasswordSchema,
    WebLoginSchema,
)
from blogapi.accounts.users.models import Account, OneTimeLink
from blogapi.accounts.users.schemas import InvitedSchema, UserSchema
from blogapi.site.queries import get_site
from blogapi.web import key_format
from blogapi.web.access import (
    SCOPES,
    allow,
    anyone,
    check_before_body,
    check_same_origin,
    current_caller,
    current_user_id,
    reader,
    refuse_form_request,
    user_login,
)
from blogapi.web.blueprint import Blueprint
from blogapi.web.errors import Conflict, Forbidden
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.rate_limits import limiter

bp = Blueprint(
    "auth",
    __name__,
    url_prefix="/api/v1/auth",
    description="Login, logout and the current caller",
    resource="",
)

# The maximum lifetime of a login without `remember`.
SHORT_LOGIN_LIFETIME = timedelta(hours=12)

_SET_COOKIE_METADATA = {"Set-Cookie": {"schema": {"type": "string"}}}


def _check_same_origin() -> None:
    """Raise Forbidden if the request comes from another origin, or has a cookie and comes from a form."""
    check_same_origin(request)
    if request.cookies:
        refuse_form_request(request, takes_file=False)


@bp.get("/login-options/")
@allow(anyone)
@bp.response(200, LoginOptionsSchema())
def get_login_options() -> Fields:
    """Return the data that a login page needs, such as the title of the site."""
    return {
        "title": get_site().title,
        "session_days": current_app.config["SESSION_DAYS"],
        "needs_setup": not queries.can_admin_log_in(),
        "sends_email": emails.can_send_links(),
    }


@bp.post("/login/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(LoginSchema)
@bp.response(200, UserSchema(), headers=_SET_COOKIE_METADATA)
def login(fields: Fields) -> Account:
    """Log in with user name and password; the response sets the session cookie.

    If the user has a second factor, a request without `code` fails with the code `second_factor_required`:
    send it again with `code`. Each code works once.
    """
    account = credentials.authenticate_user(fields["username"], fields["password"], fields["code"])
    _log_in(account, remember=fields["remember"])
    return account


@bp.post("/logout/")
@allow(reader, scope="published")
@bp.response(204)
def logout() -> None:
    """Log out: end the login session to which the cookie belongs."""
    if current_caller().key is not None:
        raise Forbidden(
            "An API key has no login session; to delete the key, use DELETE /api/v1/auth/api-key/:id/."
        )
    service.end_login_by_token(session["token"])
    session.clear()


@bp.get("/logins/")
@allow(user_login)
@bp.response(200, WebLoginSchema(many=True))
def list_logins() -> list[WithAttributes]:
    """List the logins of the current user, newest first."""
    logins, current = queries.list_logins(current_user_id()), key_format.digest_token(session["token"])
    return [WithAttributes(login, current=login.digest == current) for login in logins]


@bp.delete("/logins/")
@allow(user_login, scope="write")
@bp.response(204)
def delete_other_logins() -> None:
    """End all logins of the current user except for the login of this request."""
    service.end_logins(current_user_id(), current_token=session["token"])


@bp.delete("/logins/<id:id>/")
@allow(user_login, scope="write")
@bp.response(204)
def delete_login(id: UUID) -> None:
    """End a login of the current user; the next request with its cookie is refused."""
    service.end_login(current_user_id(), id)


@bp.post("/setup/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(JoiningUserSchema)
@bp.response(201, UserSchema(), headers=_SET_COOKIE_METADATA)
def create_first_admin(fields: Fields) -> Account:
    """Create the first admin with the link that `serve` prints, and log in.

    The link works once, and only as long as no admin can log in.
    """
    with limiter.count_failures(("LOGIN_ADDRESS_LIMIT", limiter.get_client_address_key())):
        account = links.create_first_admin(**fields)
    _log_in(account)
    return account


@bp.post("/invitation/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(InvitationTokenSchema)
@bp.response(200, InvitedSchema())
def show_invitation(fields: Fields) -> OneTimeLink:
    """Show an invitation to the person who has its link."""
    with limiter.count_failures(("LOGIN_ADDRESS_LIMIT", limiter.get_client_address_key())):
        return links.get_invitation(fields["token"])


@bp.post("/join/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(JoiningUserSchema)
@bp.response(201, UserSchema(), headers=_SET_COOKIE_METADATA)
def accept_invitation(fields: Fields) -> Account:
    """Accept an invitation: create the user, with the role that the admin chose, and log in.

    The link works once, for 7 days.
    """
    with limiter.count_failures(("LOGIN_ADDRESS_LIMIT", limiter.get_client_address_key())):
        account = links.accept_invitation(**fields)
    _log_in(account)
    return account


@bp.post("/forgot-password/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(ForgottenPasswordSchema)
@bp.response(204)
def send_reset_link(fields: Fields) -> None:
    """E-mail a password reset link to the user, if the user exists and has an e-mail address.

    The response is the same if no e-mail is sent, and does not wait for the mail server.
    """
    if not emails.can_send_links():
        raise Conflict("This blog sends no e-mail; ask an admin for a link.")
    name = usernames.fold_username(fields["username"])
    limits = [("EMAIL_LIMIT", "account", name), ("EMAIL_LIMIT", "address", limiter.get_client_address_key())]
    limiter.count_attempts(*limits)
    mail.submit_mail_job(partial(emails.create_and_send_reset_link, name))


@bp.post("/reset-password/")
@allow(anyone)
@check_before_body(_check_same_origin)
@bp.arguments(ResetPasswordSchema)
@bp.response(200, UserSchema(), headers=_SET_COOKIE_METADATA)
def reset_password(fields: Fields) -> Account:
    """Set a new password with a one-time link, end all logins of the user, and log in.

    If the user has a second factor, `code` is required, as for a login.
    """
    code = fields.pop("code")
    with limiter.count_failures(("LOGIN_ADDRESS_LIMIT", limiter.get_client_address_key())):
        account = links.get_reset_account(fields["token"])
        if code:
            second_factor.redeem_code(account, code)
    if not code:
        second_factor.check_second_factor_is_off(account)
    account = links.reset_password(**fields)
    _log_in(account)
    return account


@bp.get("/me/")
@allow(reader, scope="published")
@bp.response(200, CallerSchema())
def get_me() -> WithAttributes:
    """Show the current user, role, API key and scopes; `key` is null for a key of scope `published`."""
    caller = current_caller()
    key = caller.key if "read" in caller.scopes else None
    return WithAttributes(caller, key=key, scopes=sorted(caller.scopes, key=SCOPES.index))


@bp.put("/me/password/")
@allow(user_login, scope="write")
@bp.arguments(NewPasswordSchema)
@bp.response(204)
def replace_password(fields: Fields) -> None:
    """Set a new password for the current user and end all their other logins."""
    account = credentials.check_own_password(fields["current_password"])
    digest = passwords.hash_password(fields["password"])
    service.store_password(account.uuid, digest, current_token=session["token"])


def _log_in(account: Account, *, remember: bool = True) -> None:
    """End the browser's current login and start a new one."""
    service.end_login_by_token(session.get("token", ""))
    token = service.start_login(
        account,
        lifetime=current_app.permanent_session_lifetime if remember else SHORT_LOGIN_LIFETIME,
        user_agent=request.user_agent.string,
    )
    # Drop the previous session to prevent session fixation.
    session.clear()
    session.permanent = remember
    session["token"] = token
