"""The second factor of a login: codes from an app (TOTP, RFC 6238), and recovery codes.

The secret of the app is not stored: it is derived from `SECRET_KEY`, the uuid of the user, and a random text
that is stored when the setup begins. Only digests of the recovery codes are stored.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from uuid import UUID

import pyotp
from flask import current_app
from sqlalchemy import CursorResult, delete, insert, or_, update
from sqlalchemy.sql.dml import UpdateBase

from blogapi import clock
from blogapi.accounts.users import queries, service
from blogapi.accounts.users.models import Account, RecoveryCode
from blogapi.site.queries import get_site
from blogapi.storage.database import db, transaction
from blogapi.web import key_format
from blogapi.web.errors import Conflict, Invalid, Unauthorized
from blogapi.web.fields import WithAttributes
from blogapi.web.rate_limits import limiter

TIME_STEP_SECONDS = 30
# The maximum difference between the clocks of the phone and of the server, in time steps.
MAX_STEP_DIFFERENCE = 1
RECOVERY_CODE_COUNT = 10
DEFAULT_ISSUER = "blogapi"

_CODE_SEPARATORS = re.compile(r"[\s-]")
_WRONG_CODE_MESSAGE = "The code is wrong; enter the newest one from the app, or a recovery code."
_USED_CODE_MESSAGE = "This code was used before. Wait until the app shows the next code."


def start_second_factor_setup(account_id: UUID) -> WithAttributes:
    """Return a new `secret`, its `url` for apps, and the `qr_code` of the URL as the `data:` URL of an image.

    The second factor stays off until `enable_second_factor` is called. Raises Conflict if it is on already.
    """
    with transaction(visible=False):
        account = queries.get_user(account_id)
        _check_setup_is_allowed(account)
        account.second_factor_nonce = secrets.token_hex(16)
    totp = _get_totp(account)
    url = totp.provisioning_uri(name=account.username, issuer_name=get_site().title or DEFAULT_ISSUER)
    # Imported here because few processes need this module, which takes 1 MB of memory.
    import segno

    code = segno.make(url, error="m", micro=False)
    return WithAttributes(account, secret=totp.secret, url=url, qr_code=code.svg_data_uri(border=0))


def enable_second_factor(account_id: UUID, code: str, *, current_token: str) -> list[str]:
    """Turn the second factor on, end all other logins of the user, and return the recovery codes.

    Raises Conflict if the second factor is on or no setup has begun, and Invalid if the code is wrong.
    """
    with transaction(visible=False):
        account = queries.get_user(account_id)
        _check_setup_is_allowed(account)
        if account.second_factor_nonce is None:
            raise Conflict("Start the setup of the second factor first.")
        step = _find_time_step(account, _normalize_code(code))
        if step is None:
            raise Invalid("The code is wrong.", errors={"code": ["The code is wrong. Enter the newest one."]})
        account.second_factor_since, account.second_factor_step = clock.now(), step
        service.end_logins(account_id, current_token=current_token)
        return _replace_recovery_codes(account_id)


def replace_recovery_codes(account_id: UUID) -> list[str]:
    """Replace the recovery codes and return the new ones; raises Conflict if the second factor is off."""
    with transaction(visible=False):
        if queries.get_user(account_id).second_factor_since is None:
            raise Conflict("The second factor is off; turn it on first.")
        return _replace_recovery_codes(account_id)


def disable_second_factor(account_id: UUID) -> None:
    """Turn the second factor of the user off, or end its setup; raises NotFound if there is no such user."""
    with transaction(visible=False):
        account = queries.get_user(account_id)
        account.second_factor_nonce = account.second_factor_since = account.second_factor_step = None
        db.session.execute(delete(RecoveryCode).where(RecoveryCode.account_id == account_id))


def check_second_factor_is_off(account: Account) -> None:
    """Raise Unauthorized if the user has a second factor, because the request then needs a code."""
    if account.second_factor_since is not None:
        raise Unauthorized(
            "Send the same request again with `code`: the code of your app, or a recovery code.",
            code="second_factor_required",
        )


def redeem_code(account: Account, code: str) -> None:
    """Check a code from the app or a recovery code, and mark it as used.

    Does nothing if the user has no second factor. Raises Unauthorized if the code is wrong or was used
    before, and TooManyRequests after too many wrong codes.
    """
    if account.second_factor_since is not None:
        with limiter.count_failures(("SECOND_FACTOR_LIMIT", str(account.uuid))):
            _consume_code(account, _normalize_code(code))


def _consume_code(account: Account, code: str) -> None:
    if not re.fullmatch("[0-9]{6}", code):
        is_code = RecoveryCode.digest == _digest_code(account.uuid, code)
        if not _writes_one_row(delete(RecoveryCode).where(RecoveryCode.account_id == account.uuid, is_code)):
            raise Unauthorized(_WRONG_CODE_MESSAGE, code="second_factor_failed")
        return
    step = _find_time_step(account, code)
    if step is None:
        raise Unauthorized(_WRONG_CODE_MESSAGE, code="second_factor_failed")
    # If two requests send the same code, only the first one changes the row.
    is_new = or_(Account.second_factor_step.is_(None), Account.second_factor_step < step)
    statement = update(Account).where(Account.uuid == account.uuid, is_new).values(second_factor_step=step)
    if not _writes_one_row(statement):
        raise Unauthorized(_USED_CODE_MESSAGE, code="second_factor_used")


def _writes_one_row(statement: UpdateBase) -> bool:
    """Execute the statement, and return whether it changed one row."""
    with transaction(visible=False):
        result = db.session.execute(statement)
        assert isinstance(result, CursorResult)
        return result.rowcount == 1


def _find_time_step(account: Account, code: str) -> int | None:
    """Return the newest time step whose code is `code`, or None."""
    totp, current = _get_totp(account), int(clock.now().timestamp()) // TIME_STEP_SECONDS
    steps = range(current - MAX_STEP_DIFFERENCE, current + MAX_STEP_DIFFERENCE + 1)
    valid = [step for step in steps if hmac.compare_digest(totp.generate_otp(step).encode(), code.encode())]
    return max(valid, default=None)


def _get_totp(account: Account) -> pyotp.TOTP:
    key: str = current_app.config["SECRET_KEY"]
    text = f"second factor {account.uuid} {account.second_factor_nonce}"
    digest = hmac.new(key.encode("utf-8"), text.encode("ascii"), hashlib.sha256).digest()
    # Apps expect 160 bits.
    return pyotp.TOTP(base64.b32encode(digest[:20]).decode("ascii"), interval=TIME_STEP_SECONDS)


def _replace_recovery_codes(account_id: UUID) -> list[str]:
    # Each code has 80 random bits, so a fast hash function is sufficient.
    codes = [
        base64.b32encode(secrets.token_bytes(10)).decode("ascii").lower() for _ in range(RECOVERY_CODE_COUNT)
    ]
    db.session.execute(delete(RecoveryCode).where(RecoveryCode.account_id == account_id))
    rows = [{"account_id": account_id, "digest": _digest_code(account_id, code)} for code in codes]
    db.session.execute(insert(RecoveryCode), rows)
    return ["-".join(re.findall("....", code)) for code in codes]


def _digest_code(account_id: UUID, code: str) -> str:
    return key_format.digest_token(f"{account_id} {code}")


def _normalize_code(code: str) -> str:
    return _CODE_SEPARATORS.sub("", code).lower()


def _check_setup_is_allowed(account: Account) -> None:
    if account.second_factor_since is not None:
        raise Conflict("The second factor is on already; turn it off first.")
