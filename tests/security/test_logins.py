"""Failed logins reveal nothing, and sessions cannot be stolen, forged or used across sites."""

from __future__ import annotations

import pytest
from werkzeug import security

from blogapi import authentication
from blogapi.accounts.users import passwords as rules
from blogapi.accounts.users import queries
from blogapi.accounts.users import service as users
from blogapi.storage.database import transaction
from blogapi.web.access import Role
from blogapi.web.errors import Forbidden
from blogapi.web.operation import get_operation
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.security.conftest import SECRET, full_text
from tests.shortcuts import CHEAP_METHOD

LOGIN, LOGOUT, ME = "/api/v1/auth/login/", "/api/v1/auth/logout/", "/api/v1/auth/me/"
PASSWORD = "correct horse battery"
ADA = {"username": "ada", "password": PASSWORD}
COOKIE = "blogapi_session"
OWN = f"{ARTICLES}author/me/"


@pytest.fixture(scope="module")
def digest():
    """The digest of the password, computed only once because scrypt is slow."""
    return rules.hash_password(PASSWORD)


@pytest.fixture
def passwords(app, people, digest):
    """Ada with a password; Grace has none."""
    with app.app_context(), transaction():
        queries.get_user_by_name("ada").password_digest = digest


@pytest.fixture
def as_ada(passwords, app, make_client):
    """Ada, logged in with her password."""
    client = make_client(app)
    assert client.post(LOGIN, json=ADA).status_code == 200
    return client


@pytest.fixture
def try_cookie(app, make_client, record_attempt):
    """Sends a request with a stolen, planted or forged cookie."""

    def send_cookie(what, value):
        client = make_client(app)
        client.set_cookie(COOKIE, value)
        return record_attempt("stranger", what, client.get(ME))

    return send_cookie


GUESSES = {
    "a wrong password": ADA | {"password": "another password"},
    "an unknown user": ADA | {"username": "nobody"},
    "an impossible name": ADA | {"username": "' OR 1=1 --"},
    "a user without a password": ADA | {"username": "grace"},
    "the longest password": {"username": "nobody", "password": "x" * 1024},
}


@pytest.mark.parametrize("guess", GUESSES)
def test_every_failed_login_needs_the_same_work_and_has_the_same_detail(
    passwords, as_stranger, record_attempt, record_statements, monkeypatch, guess
):
    hashed, real = [], security._hash_internal

    def count_hash(method, salt, password):
        hashed.append(method)
        return real(method, salt, password)

    monkeypatch.setattr(security, "_hash_internal", count_hash)
    with record_statements() as seen:
        response = record_attempt(
            "stranger", f"log in with {guess}", as_stranger.post(LOGIN, json=GUESSES[guess])
        )
    assert hashed == [CHEAP_METHOD]
    assert (response.status_code, response.json["detail"]) == (401, "The user name or the password is wrong.")
    assert "Set-Cookie" not in response.headers
    # No statement looks up an invalid name. This reveals nothing, because the rules for names are public.
    assert len(seen) <= 1


def get_cookie_value(client):
    return client.get_cookie(COOKIE).value


def test_a_planted_session_never_becomes_a_login(passwords, as_stranger, try_cookie):
    with as_stranger.session_transaction() as session:
        session["token"] = "planted"
    planted = get_cookie_value(as_stranger)
    as_stranger.post(LOGIN, json=ADA)
    assert get_cookie_value(as_stranger) != planted
    assert try_cookie("a cookie planted before the login", planted).status_code == 401


def test_a_stolen_cookie_is_refused_after_the_logout(as_ada, try_cookie):
    stolen = get_cookie_value(as_ada)
    assert try_cookie("a stolen cookie before the logout", stolen).status_code == 200
    as_ada.post(LOGOUT)
    assert outcome(try_cookie("a stolen cookie after the logout", stolen)) == (401, "login_over")


def test_a_stolen_cookie_is_refused_after_the_next_login_in_the_same_browser(as_ada, try_cookie):
    stolen = get_cookie_value(as_ada)
    as_ada.post(LOGIN, json=ADA)
    assert outcome(try_cookie("a stolen cookie after the next login", stolen)) == (401, "login_over")


def test_a_stolen_cookie_is_refused_after_a_change_of_the_password(app, as_ada, try_cookie):
    stolen = get_cookie_value(as_ada)
    with app.app_context():
        users.set_password("ada", "another password")
    assert outcome(try_cookie("a stolen cookie after a new password", stolen)) == (401, "login_over")


def test_a_stolen_cookie_is_refused_after_its_user_has_been_deleted(
    app, passwords, people, make_client, try_cookie, digest
):
    with app.app_context(), transaction():
        queries.get_user_by_name("mel").password_digest = digest
    client = make_client(app)
    client.post(LOGIN, json=ADA | {"username": "mel"})
    with app.app_context():
        users.delete_user_by_name("mel")
    assert outcome(try_cookie("a stolen cookie of a deleted user", get_cookie_value(client))) == (
        401,
        "login_over",
    )


def test_a_former_admin_is_refused_immediately(app, as_ada, people, make_client, record_attempt):
    by_key = make_client(app, people.key(people.admin, "write"))
    for client in (as_ada, by_key):
        assert client.get(OWN).status_code == 200
    with app.app_context(), transaction():
        queries.get_user_by_name("ada").role = Role.READER
    for how, client in (("login", as_ada), ("key", by_key)):
        response = record_attempt("former admin", f"GET author/me by a {how} of before", client.get(OWN))
        assert outcome(response) == (403, "forbidden")
        assert outcome(
            record_attempt("former admin", f"POST a tag by {how}", client.post(TAGS, json={"name": "x"}))
        ) == (403, "forbidden")


@pytest.mark.parametrize("value", ["", "x", "e30.x.y", "eyJ0b2tlbiI6IiJ9", "{}", '{"token":""}', "é"])
def test_a_forged_cookie_is_refused(people, try_cookie, value):
    assert outcome(try_cookie(f"the cookie {value!r}", value)) == (401, "login_over")


def test_a_cookie_signed_with_another_secret_is_refused(as_ada, make_app, make_client, record_attempt):
    other = make_client(make_app(SECRET_KEY="y" * 32))
    other.set_cookie(COOKIE, get_cookie_value(as_ada))
    assert outcome(record_attempt("stranger", "a cookie signed with another secret", other.get(ME))) == (
        401,
        "login_over",
    )


# Cross-site requests


@pytest.fixture
def operations(operations):
    """The operations that a login can call: `/mcp` takes keys alone."""
    return [operation for operation in operations if operation[0] != "mcp.answer_message"]


FOREIGN = {
    "Origin of another site": {"Origin": "https://evil.example"},
    "Origin null": {"Origin": "null"},
    "Origin of another port": {"Origin": "http://localhost:8000"},
    "Origin that begins like ours": {"Origin": "http://localhost.evil.example"},
    "Origin that ends like ours": {"Origin": "http://evil.localhost"},
    "Origin with our name for a user": {"Origin": "http://localhost@evil.example"},
    "Origin empty": {"Origin": ""},
    "Sec-Fetch-Site cross-site": {"Sec-Fetch-Site": "cross-site"},
    "Sec-Fetch-Site same-site": {"Sec-Fetch-Site": "same-site"},
}
LOOKS = {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("disguise", FOREIGN)
def test_a_cross_site_request_changes_nothing(as_login, record_attempt, operations, read_stored, disguise):
    before = read_stored()
    writes = [operation for operation in operations if operation[1] not in LOOKS]
    # Each write is tried with the first disguise and with another one.
    place, others = list(FOREIGN).index(disguise), len(FOREIGN) - 1
    for endpoint, method, path, body in writes[place - 1 :: others] if place else writes:
        response = as_login.open(path, method=method, json=body, headers=FOREIGN[disguise])
        record_attempt("page of another site", f"{method} {endpoint}, {disguise}", response)
        assert (response.status_code, response.json["code"]) == (403, "cross_origin"), endpoint
        assert "Access-Control-Allow-Origin" not in response.headers
    assert read_stored() == before


FORMS = {
    "a form": {"Sec-Fetch-Mode": "navigate", "Content-Type": "application/x-www-form-urlencoded"},
    "a form with JSON": {"Sec-Fetch-Mode": "navigate", "Content-Type": "application/json"},
    "a form with a file": {"Sec-Fetch-Mode": "navigate", "Content-Type": "multipart/form-data; boundary=x"},
    "a link": {"Sec-Fetch-Mode": "no-cors", "Content-Type": "text/ping"},
    "a form without TLS": {"Content-Type": "application/x-www-form-urlencoded"},
    "a form with a file without TLS": {"Content-Type": "multipart/form-data; boundary=x"},
    "a form with text without TLS": {"Content-Type": "text/plain"},
}
# These take a form with a file. Browsers that send no Sec-Fetch-Mode can send one from any form.
TAKE_FILES = {"media.create", "media.replace", "imports.create"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("body", [b"", b'{"name": "x", "title": "x"}'])
def test_a_form_or_a_link_of_the_own_origin_changes_nothing(
    as_login, record_attempt, operations, read_stored, form, body
):
    before, headers = read_stored(), FORMS[form] | {"Sec-Fetch-Site": "same-origin"}
    for endpoint, method, path, _ in operations:
        if method not in LOOKS and not (endpoint in TAKE_FILES and "Sec-Fetch-Mode" not in headers):
            response = as_login.open(path, method=method, data=body, headers=headers)
            record_attempt("form on a page of the blog", f"{method} {endpoint} as {form}", response)
            assert (response.status_code, response.json["code"]) == (403, "cross_origin"), endpoint
    assert read_stored() == before


def test_only_operations_with_files_take_forms(app):
    taking = {
        endpoint for endpoint in app.view_functions if get_operation(app.view_functions[endpoint]).takes_file
    }
    assert taking == TAKE_FILES


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"}])
def test_the_requests_of_the_pages_for_writing_are_not_those_of_forms(
    monkeypatch, as_login, record_attempt, operations, headers
):
    # What would have come next is refused, so that no operation runs.
    def refuse(access, caller):
        assert caller.is_authenticated == access.rule.checks_credentials
        raise Forbidden("", code="forbidden")

    monkeypatch.setattr(authentication, "require_access", refuse)
    for endpoint, method, path, body in operations:
        if method not in LOOKS:
            kind = "application/octet-stream" if endpoint in TAKE_FILES else body and "application/json"
            response = as_login.open(path, method=method, data=b"{}", content_type=kind, headers=headers)
            record_attempt("admin", f"{method} {endpoint} as the pages send it", response)
            assert outcome(response) == (403, "forbidden"), endpoint


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_request_body_with_form_data_is_refused(as_login, record_attempt, operations, read_stored, kind):
    before, headers = read_stored(), {"Sec-Fetch-Mode": "cors"}
    for endpoint, method, path, body in operations:
        if method == "POST" and body:
            data = b'{"name": "x", "title": "x"}'
            response = as_login.post(path, data=data, content_type=kind, headers=headers)
            record_attempt("page of another site", f"POST {endpoint} as {kind}", response)
            assert response.status_code == 415, endpoint
    assert read_stored() == before


def test_reads_with_a_login_session_change_nothing(as_login, record_attempt, operations, read_stored):
    before = read_stored()
    for endpoint, method, path, _ in operations:
        if method == "GET":
            for look in sorted(LOOKS):
                response = as_login.open(path, method=look)
                record_attempt("page of another site", f"{look} {endpoint} under a login", response)
                response.close()
    assert read_stored() == before


def test_no_response_contains_a_key(as_login, as_admin, record_attempt, operations, people):
    value = as_admin.post(KEYS, json={"name": "mine"}).json["public_state"]
    statuses = []
    for endpoint, method, path, _ in operations:
        if method == "GET":
            response = record_attempt("admin", f"find a key's value by GET {endpoint}", as_login.get(path))
            text = full_text(response)
            assert value not in text and '"digest"' not in text
            statuses.append(response.status_code)
            response.close()
    assert statuses.count(200) > 50
    assert SECRET in as_login.get(KEYS).text
