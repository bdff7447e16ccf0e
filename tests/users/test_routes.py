"""The endpoints for login, logout and the current caller."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from werkzeug import security

from blogapi.api_keys import service as api_keys
from blogapi.storage.database import transaction
from blogapi.users import passwords as rules
from blogapi.users import queries
from blogapi.users import service as users
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN, LOGOUT, ME = "/api/v1/auth/login/", "/api/v1/auth/logout/", "/api/v1/auth/me/"
PASSWORD = "correct horse battery"
ADA = {"username": "ada", "password": PASSWORD}
WRONG = {"username": "ada", "password": "another password"}
FAILED, SLOWED = (401, "login_failed"), (429, "too_many_requests")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def digest():
    """The digest of the password; computed once, as scrypt is slow."""
    return rules.hash_password(PASSWORD)


@pytest.fixture
def passwords(app, people, digest):
    """Ada and Mel with passwords; Grace has none."""
    with app.app_context(), transaction():
        for name in ("ada", "mel"):
            queries.get_by_name(name).password_digest = digest


@pytest.fixture
def as_ada(passwords, app, make_client):
    """Ada, logged in."""
    client = make_client(app)
    assert client.post(LOGIN, json=ADA).status_code == 200
    return client


@pytest.fixture
def with_cookie(app, make_client):
    """Creates clients with a given session cookie."""

    def make(value):
        client = make_client(app)
        client.set_cookie("blogapi_session", value)
        return client

    return make


def cookie_of(client):
    cookie = client.get_cookie("blogapi_session")
    return cookie and cookie.value


def flags_of(response):
    (header,) = response.headers.getlist("Set-Cookie")
    return {flag.split("=")[0] if flag.startswith("Expires") else flag for flag in header.split("; ")[1:]}


# Logging in


def test_login_shows_the_user(passwords, people, as_stranger):
    response = as_stranger.post(LOGIN, json=ADA)
    assert response.status_code == 200
    assert response.json == {"uuid": str(people.admin.uuid), "username": "ada", "role": "admin"}


@pytest.mark.parametrize("name", ["ADA", "ａｄａ"])  # noqa: RUF001
def test_login_accepts_any_spelling_of_the_name(passwords, as_stranger, name):
    assert as_stranger.post(LOGIN, json=ADA | {"username": name}).json["username"] == "ada"


def test_the_cookie_is_httponly_and_samesite(passwords, as_stranger):
    assert flags_of(as_stranger.post(LOGIN, json=ADA)) == {"Expires", "HttpOnly", "Path=/", "SameSite=Lax"}


def test_the_cookie_is_secure_if_the_request_was(passwords, as_stranger):
    response = as_stranger.post(LOGIN, json=ADA, base_url="https://localhost")
    assert flags_of(response) == {"Expires", "HttpOnly", "Path=/", "SameSite=Lax", "Secure"}


def test_the_cookie_lasts_for_session_days(passwords, make_app, make_client):
    client = make_client(make_app(SESSION_DAYS=3))
    client.post(LOGIN, json=ADA)
    left = client.get_cookie("blogapi_session").expires - datetime.now(UTC)
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, ["password", "username"]),
        ({"username": "ada"}, ["password"]),
        ({"password": PASSWORD}, ["username"]),
        ({"username": "", "password": ""}, ["password", "username"]),
        ({"username": None, "password": 5}, ["password", "username"]),
        ({"username": ["ada"], "password": {"$ne": ""}}, ["password", "username"]),
        ({"username": "x" * 201, "password": "x" * 1025}, ["password", "username"]),
        ({"username": "ada\x00", "password": PASSWORD}, ["username"]),
        ({"username": "ada", "password": "\ud800" * 10}, ["password"]),
        (ADA | {"admin": True}, ["admin"]),
        ([ADA], ["body"]),
    ],
)
def test_login_reports_all_invalid_fields(as_stranger, body, wrong):
    response = as_stranger.post(LOGIN, json=body)
    assert (response.status_code, sorted(response.json["errors"])) == (422, wrong)
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"username=ada&password=x", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b'{"username": "ada", "username": "mel"}', "application/json", 400),
    ],
)
def test_login_refuses_an_unreadable_body(as_stranger, body, content_type, status):
    code = {400: "malformed", 415: "unsupported_media_type"}[status]
    assert outcome(as_stranger.post(LOGIN, data=body, content_type=content_type)) == (status, code)


FAILURES = {
    "wrong password": WRONG,
    "unknown user": ADA | {"username": "nobody"},
    "impossible name": ADA | {"username": "a b"},
    "no password set": ADA | {"username": "grace"},
}


@pytest.mark.parametrize("body", FAILURES.values(), ids=FAILURES)
def test_a_failed_login_does_not_reveal_the_reason(passwords, as_stranger, monkeypatch, body):
    hashed = []
    real = security._hash_internal

    def counting(method, salt, password):
        hashed.append(method)
        return real(method, salt, password)

    monkeypatch.setattr(security, "_hash_internal", counting)
    response = as_stranger.post(LOGIN, json=body)
    assert (response.status_code, response.json) == (
        401,
        {
            "type": "about:blank",
            "title": "Unauthorized",
            "status": 401,
            "detail": "The user name or the password is wrong.",
            "code": "login_failed",
        },
    )
    assert response.headers["WWW-Authenticate"] == "ApiKey"
    assert "Set-Cookie" not in response.headers
    assert hashed == ["scrypt:32768:8:1"]


# Throttling


@pytest.fixture
def limited_login(passwords, make_app, make_client):
    """Creates functions that log in from an address, under the given limits."""

    def make(**limits):
        client = make_client(make_app(**limits))

        def log_in(body, address="127.0.0.1"):
            return client.post(LOGIN, json=body, environ_base={"REMOTE_ADDR": address})

        return log_in

    return make


def test_login_account_limit_limits_an_address_per_account(limited_login):
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


def test_login_strangers_limit_limits_guesses_from_many_addresses(limited_login):
    log_in = limited_login(LOGIN_STRANGERS_LIMIT="2 per minute")
    assert log_in(ADA, "192.0.2.7").status_code == 200
    responses = [outcome(log_in(WRONG, f"198.51.100.{number}")) for number in range(4)]
    assert responses == [FAILED, FAILED, SLOWED, SLOWED]
    # The known address may still log in, in any spelling; a new address may not, except to other accounts.
    assert log_in(ADA | {"username": "ADA"}, "192.0.2.7").status_code == 200
    assert outcome(log_in(ADA, "192.0.2.8")) == SLOWED
    assert log_in(ADA | {"username": "mel"}, "192.0.2.8").json["username"] == "mel"


def test_a_known_address_is_limited_too(limited_login):
    log_in = limited_login(LOGIN_STRANGERS_LIMIT="2 per minute", LOGIN_ACCOUNT_LIMIT="3 per minute")
    log_in(ADA)
    assert [outcome(log_in(WRONG)) for _ in range(4)] == [FAILED, FAILED, FAILED, SLOWED]


def test_an_ipv6_64_counts_as_one_address(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    addresses = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3::4", "2001:db8:1:3::1"]
    assert [outcome(log_in(WRONG, address)) for address in addresses] == [FAILED, FAILED, SLOWED, FAILED]


def test_simultaneous_attempts_share_the_limit(limited_login, monkeypatch):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="2 per minute")
    real, inner = users.authenticate, []

    def while_checking(username, password):
        if not inner:
            inner.append(None)
            inner.extend(outcome(log_in(WRONG)) for _ in range(3))
        return real(username, password)

    monkeypatch.setattr(users, "authenticate", while_checking)
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


def test_login_address_limit_limits_an_address(limited_login):
    log_in = limited_login(LOGIN_ADDRESS_LIMIT="2 per minute")
    names = ["ada", "mel", "grace"]
    assert [outcome(log_in(WRONG | {"username": name})) for name in names] == [FAILED, FAILED, SLOWED]
    assert outcome(log_in(ADA)) == SLOWED
    assert log_in(ADA, "192.0.2.7").status_code == 200


def test_successful_logins_are_not_counted(limited_login):
    log_in = limited_login(LOGIN_ACCOUNT_LIMIT="1 per minute", LOGIN_ADDRESS_LIMIT="1 per minute")
    assert [log_in(ADA).json["username"] for _ in range(3)] == ["ada"] * 3


# With a login session


def test_me_is_a_401_for_a_stranger(as_stranger):
    response = as_stranger.get(ME)
    assert (response.status_code, response.json["code"]) == (401, "key_missing")


@pytest.mark.parametrize(
    ("owner", "scope", "name", "role", "scopes"),
    [
        (None, "published", "", "reader", ["published"]),
        ("member", "published", "mel", "member", ["published"]),
        ("member", "read", "mel", "member", ["published", "read"]),
        ("member", "write", "mel", "member", ["published", "read", "write"]),
        ("admin", "published", "ada", "admin", ["published"]),
        ("admin", "read", "ada", "admin", ["published", "read"]),
        ("admin", "write", "ada", "admin", ["published", "read", "write"]),
    ],
)
def test_me_shows_the_owner_and_scopes_of_the_key(app, people, make_client, owner, scope, name, role, scopes):
    account = owner and getattr(people, owner)
    with app.app_context():
        key = api_keys.issue(account and account.uuid, scopes=frozenset({scope}))
    assert make_client(app, key.value).get(ME).json == {
        "user": account and str(account.uuid),
        "username": name,
        "role": role,
        "key": None if scope == "published" else str(key.uuid),
        "scopes": scopes,
    }


def test_me_shows_the_logged_in_user(as_ada, people):
    assert as_ada.get(ME).json == {
        "user": str(people.admin.uuid),
        "username": "ada",
        "role": "admin",
        "key": None,
        "scopes": ["published", "read", "write"],
    }


def test_a_login_session_reads_what_its_user_may_read(as_ada):
    assert as_ada.get(f"{ARTICLES}author/me/").json == []


def test_every_login_gets_a_new_token(as_ada):
    before = cookie_of(as_ada)
    as_ada.post(LOGIN, json=ADA)
    assert cookie_of(as_ada) != before


def test_a_login_drops_the_previous_session(passwords, as_stranger, with_cookie):
    with as_stranger.session_transaction() as session:
        session["token"] = "planted"
        session["else"] = "planted"
    planted = cookie_of(as_stranger)
    as_stranger.post(LOGIN, json=ADA)
    with as_stranger.session_transaction() as session:
        assert session["token"] != "planted" and "else" not in session
    assert with_cookie(planted).get(ME).status_code == 401


def test_logout_invalidates_a_copied_cookie_too(as_ada, with_cookie):
    copied = cookie_of(as_ada)
    response = as_ada.post(LOGOUT)
    assert (response.status_code, response.data) == (204, b"")
    assert cookie_of(as_ada) is None
    cacheable = with_cookie(copied).get(ME)
    assert (cacheable.status_code, cacheable.json["code"]) == (401, "login_over")


def test_a_login_keeps_the_sessions_of_other_browsers(as_ada, passwords, app, make_client):
    there = make_client(app)
    assert there.post(LOGIN, json=ADA).status_code == 200
    assert [client.get(ME).status_code for client in (as_ada, there)] == [200, 200]


def test_logout_keeps_other_sessions(as_ada, passwords, app, make_client):
    other = make_client(app)
    other.post(LOGIN, json=ADA)
    as_ada.post(LOGOUT)
    assert other.get(ME).json["username"] == "ada"


def test_logout_without_a_login_session_is_refused(as_stranger, as_reader, as_admin):
    assert outcome(as_stranger.post(LOGOUT)) == (401, "key_missing")
    for client in (as_reader, as_admin):
        assert outcome(client.post(LOGOUT)) == (403, "forbidden")
        assert client.get(ME).status_code == 200


def test_a_new_password_ends_the_session(app, as_ada):
    with app.app_context():
        users.set_password("ada", "another password")
    assert outcome(as_ada.get(ME)) == (401, "login_over")


def test_a_deleted_user_is_logged_out(app, people, passwords, make_client):
    client = make_client(app)
    client.post(LOGIN, json=ADA | {"username": "mel"})
    with app.app_context():
        users.delete_user("mel")
    assert outcome(client.get(ME)) == (401, "login_over")


def test_a_login_session_expires(passwords, as_stranger, set_clock):
    set_clock(NOON)
    as_stranger.post(LOGIN, json=ADA)
    set_clock(NOON + timedelta(days=14) - timedelta(seconds=1))
    assert as_stranger.get(ME).status_code == 200
    set_clock(NOON + timedelta(days=14))
    assert outcome(as_stranger.get(ME)) == (401, "login_over")


def test_the_cookie_of_an_ended_session_is_deleted(app, as_ada):
    with app.app_context():
        users.set_password("ada", PASSWORD)
    assert as_ada.get(ME).json["code"] == "login_over"
    assert cookie_of(as_ada) is None
    assert as_ada.post(KEYS).status_code == 201


@pytest.mark.parametrize("value", ["", "x", "e30.x.y", "e30", "é"])
def test_a_forged_cookie_is_a_401(with_cookie, value):
    response = with_cookie(value).get(TAGS)
    assert (response.status_code, response.json["code"]) == (401, "login_over")


def test_a_cookie_signed_with_another_secret_is_a_401(as_ada, make_app, make_client):
    other = make_client(make_app(SECRET_KEY="y" * 32))
    other.set_cookie("blogapi_session", cookie_of(as_ada))
    assert outcome(other.get(ME)) == (401, "login_over")


# Cross-site requests

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:8000"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Sec-Fetch-Site": ""} | {"Origin": "https://evil.example"},
]
OWN = [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", [KEYS, LOGOUT])
def test_a_cross_site_write_with_a_login_session_is_refused(as_ada, headers, path):
    response = as_ada.post(path, headers=headers)
    assert (response.status_code, response.json["code"]) == (403, "cross_origin")
    assert as_ada.get(ME).status_code == 200


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("body", [b"", b"{"])
def test_a_cross_site_login_is_refused(passwords, as_stranger, headers, body):
    response = as_stranger.post(LOGIN, data=body, content_type="application/json", headers=headers)
    assert (response.status_code, response.json["code"]) == (403, "cross_origin")


@pytest.mark.parametrize("headers", OWN)
def test_a_same_site_write_is_accepted(as_ada, headers):
    assert as_ada.post(LOGIN, json=ADA, headers=headers).json["username"] == "ada"
    assert as_ada.post(KEYS, headers=headers).json["public_state"]


@pytest.mark.parametrize("headers", FOREIGN)
def test_reads_and_requests_with_a_key_ignore_the_origin(as_ada, as_admin, headers):
    assert as_ada.get(TAGS, headers=headers).json == []
    assert as_admin.post(KEYS, headers=headers).json["public_state"]


# Vary


def test_vary_contains_cookie_only_if_the_session_was_used(as_ada, as_reader, as_stranger):
    varies = [client.get(TAGS).headers["Vary"] for client in (as_ada, as_reader, as_stranger)]
    assert varies == ["Accept, origin, Cookie", "Accept, origin", "Accept, origin"]


def test_vary_contains_cookie_for_an_ended_session_too(with_cookie):
    assert with_cookie("x").get(TAGS).headers["Vary"] == "Accept, origin, Cookie"


@pytest.mark.parametrize("path", ["/health", "/openapi.json", "/nowhere"])
def test_public_paths_do_not_read_the_session(as_ada, path):
    assert as_ada.get(path).headers["Vary"] == "Accept, origin"


def test_a_key_takes_precedence_over_a_login_session(as_ada, people, record_statements):
    header = {"X-API-KEY": people.key(None)}
    as_ada.get(CATEGORIES, headers=header)
    with record_statements() as seen:
        response = as_ada.get(ME, headers=header)
    assert (response.json["role"], response.headers["Vary"]) == ("reader", "Accept, origin")
    assert not any("web_session" in statement for statement in seen)


def test_an_invalid_key_is_a_401_despite_a_login_session(as_ada):
    response = as_ada.get(ME, headers={"X-API-KEY": "x"})
    assert (response.status_code, response.headers["Vary"]) == (401, "Accept, origin")
    assert as_ada.get(ME).status_code == 200


def test_a_new_login_ends_the_previous_session_of_the_browser(as_ada, with_cookie):
    first = cookie_of(as_ada)
    as_ada.post(LOGIN, json=ADA)
    assert outcome(with_cookie(first).get(ME)) == (401, "login_over")
    assert as_ada.get(ME).status_code == 200
