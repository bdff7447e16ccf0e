"""Checks the passwords and codes of requests, and counts wrong attempts against the rate limits."""

from __future__ import annotations

from blogapi.accounts.users import second_factor, service, usernames
from blogapi.accounts.users.models import Account
from blogapi.web.access import current_caller
from blogapi.web.errors import Invalid, TooManyRequests, Unauthorized
from blogapi.web.metrics import EventCounter
from blogapi.web.rate_limits import limiter

_failures = EventCounter("login_failures", "Wrong passwords and codes, and logins that a limit has refused.")


def authenticate_user(username: str, password: str, code: str) -> Account:
    """Return the user who logs in with a password, and with a code if they have a second factor.

    Raises Unauthorized if the name, the password or the code is wrong or a required code is missing, and
    TooManyRequests after too many wrong attempts.
    """
    account = _check_credentials(username, password, code)
    if not code:
        second_factor.check_second_factor_is_off(account)
    return account


def check_own_password(password: str) -> Account:
    """Return the current user; raises Invalid if the password, the field `current_password`, is wrong."""
    try:
        return _check_credentials(current_caller().username, password, "")
    except Unauthorized as error:
        # After a 401, a client would assume that the login has ended.
        raise Invalid(
            "The current password is wrong.", errors={"current_password": ["This is not your password."]}
        ) from error


def _check_credentials(username: str, password: str, code: str) -> Account:
    # Failed logins with different spellings of a name count together, because the name is case-folded.
    name = usernames.fold_username(username)
    network, counters = limiter.get_client_address_key(), limiter.COUNTERS.get()
    limits = [("LOGIN_ADDRESS_LIMIT", network), ("LOGIN_ACCOUNT_LIMIT", name, network)]
    if not counters.remembers_key((name, network)):
        limits.append(("LOGIN_STRANGERS_LIMIT", name))
    try:
        with limiter.count_failures(*limits):
            account = service.find_user_with_password(username, password)
            if account is None:
                raise Unauthorized("The user name or the password is wrong.", code="login_failed")
            if code:
                second_factor.redeem_code(account, code)
    except (Unauthorized, TooManyRequests):
        _failures.count_event()
        raise
    if code or account.second_factor_since is None:
        counters.remember_key((name, network))
    return account
