"""The second factor: codes of an app, and recovery codes."""

from __future__ import annotations

import threading
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest

from blogapi.accounts.users import links, queries, second_factor, service
from tests.accounts.users.conftest import ADA, FAILED, LOGIN, ME, NOON, PASSWORD, SLOWED, WRONG
from tests.contracts.client import outcome

ACCOUNT, FACTOR = "/api/v1/auth/me/account/", "/api/v1/auth/me/second-factor/"
SETUP, ENABLE, DISABLE, CODES = (
    f"{FACTOR}{name}/" for name in ("setup", "enable", "disable", "recovery-codes")
)
OWN_PASSWORD = {"current_password": PASSWORD}
REQUIRED, WRONG_CODE, USED_CODE = (
    (401, f"second_factor_{state}") for state in ("required", "failed", "used")
)
STEP = timedelta(seconds=30)


def enable(client, code):
    """Turn the second factor on."""
    return client.post(ENABLE, json=OWN_PASSWORD | {"code": code})


@pytest.fixture(autouse=True)
def noon(set_clock):
    """It is noon."""
    set_clock(NOON)


@pytest.fixture
def totp(as_ada):
    """The app of Ada, whose second factor is off."""
    return pyotp.TOTP(as_ada.post(SETUP).json["secret"])


@pytest.fixture
def recovery_codes(as_ada, totp):
    """The recovery codes of Ada. Her second factor is on since the step before noon."""
    return enable(as_ada, totp.at(NOON - STEP)).json["recovery_codes"]


@pytest.fixture
def log_in_with(recovery_codes, as_stranger):
    """Return a function that logs in as Ada with a code."""
    return lambda code, **fields: as_stranger.post(LOGIN, json=ADA | {"code": code} | fields)


def test_the_setup_shows_the_secret_in_three_forms(as_ada, as_login):
    as_login.patch("/api/v1/blog/site/", json={"title": "Notes from the harbour"})
    setup = as_ada.post(SETUP).json
    url = urlsplit(setup["url"])
    assert (url.scheme, url.netloc, url.path) == ("otpauth", "totp", "/Notes%20from%20the%20harbour:ada")
    assert parse_qs(url.query) == {"secret": [setup["secret"]], "issuer": ["Notes from the harbour"]}
    assert len(setup["secret"]) == 32
    assert setup["qr_code"].startswith("data:image/svg+xml")
    assert as_ada.post(SETUP).json["secret"] != setup["secret"]


def test_a_setup_alone_changes_no_login(as_ada, totp, as_stranger):
    assert as_stranger.post(LOGIN, json=ADA).status_code == 200
    assert as_ada.get(ACCOUNT).json["second_factor_since"] is None


def test_turning_it_on_needs_a_code_of_the_newest_setup(as_ada, totp):
    newer = pyotp.TOTP(as_ada.post(SETUP).json["secret"])
    response = enable(as_ada, totp.at(NOON))
    assert (outcome(response), list(response.json["errors"])) == ((422, "invalid_fields"), ["code"])
    assert as_ada.get(ACCOUNT).json["second_factor_since"] is None
    codes = enable(as_ada, newer.at(NOON)).json["recovery_codes"]
    assert len(set(codes)) == 10 and all(len(code) == 19 for code in codes)
    shown = as_ada.get(ACCOUNT).json
    assert shown["second_factor_since"] == "2026-03-01T12:00:00.000000+00:00"
    assert (shown["recovery_codes_left"], shown["second_factor_required"]) == (10, False)


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": 123456}, {"code": "x" * 101}, {"secret": "x"}])
def test_turning_it_on_reports_an_invalid_body(as_ada, totp, body):
    assert outcome(as_ada.post(ENABLE, json=OWN_PASSWORD | body)) == (422, "invalid_fields")


@pytest.mark.parametrize("password", [{}, {"current_password": "not this one"}])
def test_turning_it_on_needs_the_password(as_ada, totp, password):
    response = as_ada.post(ENABLE, json={"code": totp.at(NOON)} | password)
    assert (outcome(response), list(response.json["errors"])) == (
        (422, "invalid_fields"),
        ["current_password"],
    )
    assert as_ada.get(ACCOUNT).json["second_factor_since"] is None
    assert enable(as_ada, totp.at(NOON)).status_code == 200


def test_turning_it_on_ends_the_other_logins_of_the_user(people, log_in, as_ada, totp):
    elsewhere, as_mel = log_in(people.admin), log_in(people.member)
    assert enable(as_ada, totp.at(NOON - STEP * 5)).status_code == 422
    assert elsewhere.get(ME).status_code == 200
    assert enable(as_ada, totp.at(NOON)).status_code == 200
    assert outcome(elsewhere.get(ME)) == (401, "login_over")
    assert as_ada.get(ME).json["username"] == "ada"
    assert as_mel.get(ME).json["username"] == "mel"


def test_the_states_follow_each_other(as_ada, totp):
    code = totp.at(NOON)
    assert outcome(as_ada.post(CODES, json=OWN_PASSWORD)) == (409, "conflict")
    assert as_ada.post(DISABLE, json=OWN_PASSWORD).status_code == 204
    assert outcome(enable(as_ada, code)) == (409, "conflict")
    totp = pyotp.TOTP(as_ada.post(SETUP).json["secret"])
    assert enable(as_ada, totp.at(NOON)).status_code == 200
    assert outcome(enable(as_ada, totp.at(NOON))) == (409, "conflict")
    assert outcome(as_ada.post(SETUP)) == (409, "conflict")


def test_a_login_needs_a_code(as_ada, log_in_with, totp):
    response = log_in_with("")
    assert outcome(response) == REQUIRED and "Set-Cookie" not in response.headers
    assert outcome(log_in_with("000000")) == WRONG_CODE
    assert log_in_with(f" {totp.at(NOON)[:3]} {totp.at(NOON)[3:]} ").json["username"] == "ada"


@pytest.mark.parametrize("code", ["", "123456", "abcd"])
def test_a_wrong_password_is_reported_before_a_code(log_in_with, code):
    assert outcome(log_in_with(code, **WRONG)) == FAILED


def test_a_code_works_once_and_ends_the_earlier_ones(log_in_with, totp, recovery_codes):
    # The code that turned the second factor on counts too.
    assert outcome(log_in_with(totp.at(NOON - STEP))) == USED_CODE
    assert log_in_with(totp.at(NOON + STEP)).status_code == 200
    for time in (NOON + STEP, NOON):
        response = log_in_with(totp.at(time))
        assert outcome(response) == USED_CODE
        assert response.json["detail"] == "This code was used before. Wait until the app shows the next code."


@pytest.mark.parametrize("steps", [-2, 2])
def test_a_code_of_another_time_is_wrong(log_in_with, totp, steps):
    assert outcome(log_in_with(totp.at(NOON + steps * STEP))) == WRONG_CODE


def test_of_two_logins_with_one_code_one_succeeds(
    app, passwords, make_client, log_in_with, totp, monkeypatch
):
    both_checked, find_step = threading.Barrier(2), second_factor._find_time_step

    def wait_for_both(account, code):
        step = find_step(account, code)
        both_checked.wait(30)
        return step

    monkeypatch.setattr(second_factor, "_find_time_step", wait_for_both)
    body, results = ADA | {"code": totp.at(NOON)}, []
    clients = [make_client(app), make_client(app)]
    threads = [
        threading.Thread(target=lambda client=client: results.append(outcome(client.post(LOGIN, json=body))))
        for client in clients
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted([(200, None), USED_CODE])


def test_a_recovery_code_works_once_in_any_spelling(as_ada, log_in_with, recovery_codes):
    first, second, *_ = recovery_codes
    assert log_in_with(first.upper().replace("-", " ")).json["username"] == "ada"
    assert outcome(log_in_with(first)) == WRONG_CODE
    assert log_in_with(second.replace("-", "")).status_code == 200
    assert as_ada.get(ACCOUNT).json["recovery_codes_left"] == 8


def test_new_recovery_codes_replace_the_former_ones(as_ada, log_in_with, recovery_codes):
    wrong = as_ada.post(CODES, json={"current_password": "not this one"})
    assert list(wrong.json["errors"]) == ["current_password"]
    (new, *_) = as_ada.post(CODES, json=OWN_PASSWORD).json["recovery_codes"]
    assert outcome(log_in_with(recovery_codes[0])) == WRONG_CODE
    assert log_in_with(new).status_code == 200


def test_the_codes_of_another_user_are_wrong(
    app, people, log_in, passwords, log_in_with, recovery_codes, as_stranger
):
    as_mel = log_in(people.member)
    totp = pyotp.TOTP(as_mel.post(SETUP).json["secret"])
    codes = enable(as_mel, totp.at(NOON - STEP)).json["recovery_codes"]
    assert [outcome(log_in_with(code)) for code in (totp.at(NOON), codes[0])] == [WRONG_CODE] * 2
    assert as_stranger.post(LOGIN, json=ADA | {"username": "mel", "code": codes[0]}).status_code == 200


def test_turning_it_off_needs_the_password(as_ada, log_in_with, totp):
    response = as_ada.post(DISABLE, json={"current_password": "not this one"})
    assert (outcome(response), list(response.json["errors"])) == (
        (422, "invalid_fields"),
        ["current_password"],
    )
    assert outcome(log_in_with("")) == REQUIRED
    assert as_ada.post(DISABLE, json=OWN_PASSWORD).status_code == 204
    assert log_in_with("").status_code == 200
    assert as_ada.get(ACCOUNT).json["recovery_codes_left"] == 0


def test_wrong_codes_are_throttled_like_passwords(app, log_in_with, totp):
    app.config["LOGIN_ACCOUNT_LIMIT"] = "2 per minute"
    assert [outcome(log_in_with("000000")) for _ in range(3)] == [WRONG_CODE, WRONG_CODE, SLOWED]
    assert outcome(log_in_with(totp.at(NOON))) == SLOWED


def test_wrong_codes_from_many_addresses_are_throttled(app, log_in_with, as_stranger, totp):
    app.config["SECOND_FACTOR_LIMIT"] = "2 per minute"

    def log_in(address, **code):
        addresses = {"REMOTE_ADDR": address}
        return outcome(as_stranger.post(LOGIN, json=ADA | code, environ_base=addresses))

    results = [log_in(f"192.0.2.{number}", code="000000") for number in range(3)]
    assert results == [WRONG_CODE, WRONG_CODE, SLOWED]
    # Someone who knows only the name cannot prevent a login.
    assert log_in("192.0.2.9") == REQUIRED


def test_a_login_without_a_code_is_not_a_failure(app, log_in_with, totp):
    app.config["LOGIN_ACCOUNT_LIMIT"] = "1 per minute"
    assert [outcome(log_in_with("")) for _ in range(3)] == [REQUIRED] * 3
    assert log_in_with(totp.at(NOON)).status_code == 200


def test_an_address_is_known_only_after_a_code(app, log_in_with, as_stranger):
    app.config |= {"LOGIN_STRANGERS_LIMIT": "1 per minute"}
    log_in_with("", username="ada")
    there = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    assert outcome(as_stranger.post(LOGIN, json=ADA, **there)) == REQUIRED
    assert outcome(as_stranger.post(LOGIN, json=WRONG, **there)) == FAILED
    assert outcome(as_stranger.post(LOGIN, json=WRONG, **there)) == SLOWED


def test_a_code_that_is_no_longer_asked_for_is_ignored(app, people, passwords, as_stranger):
    assert as_stranger.post(LOGIN, json=ADA | {"code": "123456"}).status_code == 200
    with app.app_context():
        token = links.create_reset_link(people.admin.uuid).path.partition("#")[2]
    body = {"token": token, "password": "another password", "code": "123456"}
    assert as_stranger.post("/api/v1/auth/reset-password/", json=body).status_code == 200


def test_a_reset_link_needs_a_code_too(app, people, log_in_with, totp, as_stranger):
    with app.app_context():
        token = links.create_reset_link(people.admin.uuid).path.partition("#")[2]
    body = {"token": token, "password": "another password"}
    path = "/api/v1/auth/reset-password/"
    assert outcome(as_stranger.post(path, json=body)) == REQUIRED
    assert outcome(as_stranger.post(path, json=body | {"code": "000000"})) == WRONG_CODE
    assert as_stranger.post(path, json=body | {"code": totp.at(NOON)}).status_code == 200
    assert as_stranger.get(ME).json["username"] == "ada"


def test_an_admin_resets_the_second_factor_of_others_only(
    app, people, log_in, recovery_codes, as_ada, log_in_with
):
    path, as_grace = "/api/v1/users/{}/reset-second-factor/", log_in(people.other_admin)
    assert outcome(as_ada.post(path.format(people.admin.uuid))) == (409, "conflict")
    assert outcome(log_in_with("")) == REQUIRED
    assert as_grace.post(path.format(people.admin.uuid)).status_code == 204
    assert log_in_with("").status_code == 200


def test_the_command_resets_a_second_factor(app, recovery_codes, log_in_with):
    runner = app.test_cli_runner()
    assert runner.invoke(args=["user", "reset-second-factor", "nobody"]).exit_code == 1
    result = runner.invoke(args=["user", "reset-second-factor", "Ada"])
    assert (result.exit_code, "is off" in result.stdout) == (0, True)
    assert log_in_with("").status_code == 200


def test_a_key_of_the_user_needs_no_code(app, people, recovery_codes, as_admin):
    app.config["REQUIRE_SECOND_FACTOR"] = True
    assert as_admin.get(ME).json["username"] == "ada"
    assert as_admin.get("/api/v1/blog/articles/author/me/").json == []


def test_a_disabled_user_cannot_log_in_with_a_code(app, people, passwords, log_in, as_stranger):
    as_mel = log_in(people.member)
    totp = pyotp.TOTP(as_mel.post(SETUP).json["secret"])
    assert enable(as_mel, totp.at(NOON - STEP)).status_code == 200
    with app.app_context():
        service.change_user(people.member.uuid, {"disabled": True})
    body = ADA | {"username": "mel", "code": totp.at(NOON)}
    assert outcome(as_stranger.post(LOGIN, json=body)) == FAILED


def test_the_database_contains_no_secret_and_no_code(app, people, totp, recovery_codes, monkeypatch):
    with app.app_context():
        account = queries.get_user(people.admin.uuid)
        assert totp.secret not in str(vars(account))
        # The secret depends on the secret key, which is in no backup.
        monkeypatch.setitem(app.config, "SECRET_KEY", "y" * 32)
        assert second_factor._get_totp(account).secret != totp.secret


def test_an_admin_without_a_required_second_factor_can_only_set_it_up(
    app, as_ada, as_member_login, make_article
):
    draft = make_article(status="draft").uuid
    app.config["REQUIRE_SECOND_FACTOR"] = True
    refused = (403, "second_factor_missing")
    assert outcome(as_ada.get("/api/v1/users/")) == refused
    assert outcome(as_ada.get("/api/v1/blog/articles/author/me/")) == refused
    assert outcome(as_ada.post("/api/v1/blog/tags/", json={"name": "rye"})) == refused
    assert as_ada.get("/api/v1/blog/articles/").json == []
    assert as_ada.get("/api/v1/blog/articles/?status=any").status_code == 403
    assert outcome(as_ada.get(f"/api/v1/blog/articles/{draft}/")) == (404, "not_found")
    assert as_ada.get(ACCOUNT).json["second_factor_required"] is True
    assert as_member_login.get(ACCOUNT).json["second_factor_required"] is False
    assert as_member_login.get("/api/v1/auth/logins/").status_code == 200
    totp = pyotp.TOTP(as_ada.post(SETUP).json["secret"])
    assert enable(as_ada, totp.at(NOON)).status_code == 200
    assert as_ada.get("/api/v1/users/").status_code == 200
