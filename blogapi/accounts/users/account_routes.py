"""The endpoints with which users manage their own account; API keys are refused.

Admins who must first turn on a second factor can use only the endpoints with the scope `published`.
"""

from __future__ import annotations

from flask import session

from blogapi.accounts.users import credentials, queries, second_factor, service
from blogapi.accounts.users.account_schemas import (
    EnableSecondFactorSchema,
    NewRecoveryCodesSchema,
    OwnAccountSchema,
    OwnEmailSchema,
    OwnPasswordSchema,
    SecondFactorSetupSchema,
)
from blogapi.web.access import allow, current_user_id, user_login
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes

bp = Blueprint("account", __name__, url_prefix="/api/v1/auth/me", description="The user account", resource="")


@bp.get("/account/")
@allow(user_login, scope="published")
@bp.response(200, OwnAccountSchema())
def get_own_account() -> WithAttributes:
    """Show the account of the current user, and whether their second factor is on."""
    return queries.get_user_details(current_user_id())


@bp.put("/email/")
@allow(user_login, scope="write")
@bp.arguments(OwnEmailSchema)
@bp.response(204)
def replace_email(fields: Fields) -> None:
    """Set or remove the current user's e-mail address, for links that reset a forgotten password."""
    account = credentials.check_own_password(fields["current_password"])
    service.change_user(account.uuid, {"email": fields["email"]})


@bp.post("/second-factor/setup/")
@allow(user_login, scope="published")
@bp.response(201, SecondFactorSetupSchema())
def start_second_factor_setup() -> WithAttributes:
    """Create a secret for an app that shows one-time codes; this does not turn the second factor on.

    The secret of an earlier setup that was not completed becomes invalid.
    """
    return second_factor.start_second_factor_setup(current_user_id())


@bp.post("/second-factor/enable/")
@allow(user_login, scope="published")
@bp.arguments(EnableSecondFactorSchema)
@bp.response(200, NewRecoveryCodesSchema())
def enable_second_factor(fields: Fields) -> dict[str, list[str]]:
    """Turn the second factor on with a code from the app. Only this response shows the recovery codes.

    From then on, a login needs the password and a code. All other logins of the user end. API keys are not
    affected.
    """
    account = credentials.check_own_password(fields["current_password"])
    codes = second_factor.enable_second_factor(account.uuid, fields["code"], current_token=session["token"])
    return {"recovery_codes": codes}


@bp.post("/second-factor/recovery-codes/")
@allow(user_login, scope="write")
@bp.arguments(OwnPasswordSchema)
@bp.response(200, NewRecoveryCodesSchema())
def create_recovery_codes(fields: Fields) -> dict[str, list[str]]:
    """Create new recovery codes; the former codes become invalid."""
    account = credentials.check_own_password(fields["current_password"])
    return {"recovery_codes": second_factor.replace_recovery_codes(account.uuid)}


@bp.post("/second-factor/disable/")
@allow(user_login, scope="write")
@bp.arguments(OwnPasswordSchema)
@bp.response(204)
def disable_second_factor(fields: Fields) -> None:
    """Turn the second factor off, and delete its secret and its recovery codes."""
    second_factor.disable_second_factor(credentials.check_own_password(fields["current_password"]).uuid)
