"""The limits on failed logins."""

from __future__ import annotations

import pytest

from blogapi.accounts.users import service as users
from tests.accounts.users.conftest import ADA, FAILED, LOGIN, SLOWED, WRONG
from tests.contracts.client import outcome


@pytest.fixture
def limited_login(passwords, make_app, make_client):
    """Creates an application with the given limits and returns a function that logs in from an address."""

    def make(**limits):
        client = make_client(make_app(**limits))

        def log_in(body, address="127.0.0.1"):
            return client.post(LOGIN, json=body, environ_base={"REMOTE_ADDR": address})

        return log_in

    return make


def test_the_login_account_limit_applies_to_each_address_and_account(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    responses = [log_in(WRONG) for _ in range(3)]
    assert [response.status_code for response in responses] == [401, 401, 429]
    assert responses[2].json["code"] == "too_many_requests"
    assert 1 <= int(responses[2].headers["Retry-After"]) <= 60
    assert log_in(ADA).status_code == 429
    assert log_in(ADA | {"username": "mel"}).status_code == 200


def test_guesses_from_one_address_do_not_lock_out_the_user(limited_login):
    log_in = limited_login()
    responses = [outcome(log_in(WRONG, "192.0.2.66")) for _ in range(12)]
    assert responses == [FAILED] * 10 + [SLOWED] * 2
    assert log_in(ADA, "192.0.2.7").json["username"] == "ada"


def test_the_login_strangers_limit_limits_guesses_from_many_addresses(limited_login):
    log_in = limited_login(LOGIN_STRANGERS_LIMIT="2 per minute")
    assert log_in(ADA, "192.0.2.7").status_code == 200
    responses = [outcome(log_in(WRONG, f"198.51.100.{number}")) for number in range(4)]
    assert responses == [FAILED, FAILED, SLOWED, SLOWED]
    # The user can still log in from the known address with any spelling of the name. From a new address, only
    # logins to other accounts are accepted.
    assert log_in(ADA | {"username": "ADA"}, "192.0.2.7").status_code == 200
    assert outcome(log_in(ADA, "192.0.2.8")) == SLOWED
    assert log_in(ADA | {"username": "mel"}, "192.0.2.8").json["username"] == "mel"


def test_failed_logins_from_a_known_address_are_also_limited(limited_login):
    log_in = limited_login(LOGIN_STRANGERS_LIMIT="2 per minute", LOGIN_ACCOUNT_LIMIT="3 per minute")
    log_in(ADA)
    assert [outcome(log_in(WRONG)) for _ in range(4)] == [FAILED, FAILED, FAILED, SLOWED]


def test_all_addresses_of_an_ipv6_64_prefix_share_the_limit(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    addresses = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3::4", "2001:db8:1:3::1"]
    assert [outcome(log_in(WRONG, address)) for address in addresses] == [FAILED, FAILED, SLOWED, FAILED]


def test_simultaneous_attempts_share_the_limit(limited_login, monkeypatch):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    real, inner = users.find_user_with_password, []

    def while_checking(username, password):
        if not inner:
            inner.append(None)
            inner.extend(outcome(log_in(WRONG)) for _ in range(3))
        return real(username, password)

    monkeypatch.setattr(users, "find_user_with_password", while_checking)
    assert (outcome(log_in(WRONG)), inner[1:]) == (FAILED, [FAILED, SLOWED, SLOWED])


def test_all_spellings_of_a_name_share_the_limit(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    spellings = ["ada", "ADA", "ａｄａ", "𝐚𝐝𝐚"]  # noqa: RUF001
    responses = [outcome(log_in(WRONG | {"username": name})) for name in spellings]
    assert responses == [FAILED, FAILED, SLOWED, SLOWED]


def test_an_unknown_account_is_throttled_like_a_known_one(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="1 per minute")
    nobody = ADA | {"username": "nobody"}
    assert [outcome(log_in(nobody)) for _ in range(2)] == [FAILED, SLOWED]


def test_the_login_address_limit_limits_failed_logins_from_one_address(limited_login):
    log_in = limited_login(LOGIN_ADDRESS_LIMIT="2 per minute")
    names = ["ada", "mel", "grace"]
    assert [outcome(log_in(WRONG | {"username": name})) for name in names] == [FAILED, FAILED, SLOWED]
    assert outcome(log_in(ADA)) == SLOWED
    assert log_in(ADA, "192.0.2.7").status_code == 200


def test_successful_logins_are_not_counted(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="1 per minute", LOGIN_ADDRESS_LIMIT="1 per minute")
    assert [log_in(ADA).json["username"] for _ in range(3)] == ["ada"] * 3
