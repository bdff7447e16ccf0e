"""The endpoints of API keys, as each kind of caller."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from blogapi.api_keys import service
from blogapi.storage.database import db
from blogapi.users import service as users
from blogapi.web import key_format
from blogapi.web.access import SCOPES
from blogapi.web.tokens import digest_token
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.databases import other_connection

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
READ, WRITE = frozenset({"read"}), frozenset({"read", "write"})
PUBLISHED = frozenset({"published"})


@pytest.fixture
def make_key(app):
    """Creates keys; returns them with their value."""

    def make(owner=None, scopes=None, **fields):
        with app.app_context():
            given = scopes or (READ if owner else PUBLISHED)
            return service.issue(owner and owner.uuid, scopes=given, **fields)

    return make


@pytest.fixture
def logged_in(app, make_client):
    """Creates clients with the session cookie of a user."""

    def make(account):
        with app.app_context():
            token = users.log_in(account, lifetime=timedelta(days=3650))
        client = make_client(app)
        with client.session_transaction() as session:
            session["token"] = token
        return client

    return make


@pytest.fixture
def client_of(app, people, make_client, make_key, logged_in):
    """Creates a client of each kind of caller."""

    def make(caller, target):
        if caller.startswith("login of "):
            return logged_in(getattr(people, caller.removeprefix("login of ")))
        key = {
            "stranger": lambda: None,
            "itself": lambda: target.value,
            "anonymous": lambda: make_key().value,
            "member, published": lambda: make_key(people.member, PUBLISHED).value,
            "admin, published": lambda: make_key(people.admin, PUBLISHED).value,
            "member, reading": lambda: make_key(people.member).value,
            "member, writing": lambda: make_key(people.member, WRITE).value,
            "admin, reading": lambda: make_key(people.admin).value,
            "admin, writing": lambda: make_key(people.admin, WRITE).value,
            "other admin, writing": lambda: make_key(people.other_admin, WRITE).value,
        }[caller]()
        return make_client(app, key)

    return make


def path_of(key):
    return f"{KEYS}{key.uuid}/"


def is_valid(client, value):
    return client.get(TAGS, headers={"X-API-KEY": value}).status_code == 200


# Creating


@pytest.mark.parametrize(
    ("caller", "body", "role", "scopes"),
    [
        ("stranger", None, "reader", ["published"]),
        ("stranger", {}, "reader", ["published"]),
        ("anonymous", None, "reader", ["published"]),
        ("member, reading", None, "member", ["published", "read"]),
        ("member, reading", {"scopes": ["published"]}, "member", ["published"]),
        ("member, writing", None, "member", ["published", "read"]),
        ("member, writing", {"scopes": ["write"]}, "member", ["published", "read", "write"]),
        ("admin, reading", None, "admin", ["published", "read"]),
        ("admin, writing", {"scopes": ["published"]}, "admin", ["published"]),
        ("admin, writing", {"scopes": ["read"]}, "admin", ["published", "read"]),
        ("admin, writing", {"scopes": ["read", "write"]}, "admin", ["published", "read", "write"]),
        ("login of admin", None, "admin", ["published", "read"]),
        ("login of admin", {"scopes": ["published"]}, "admin", ["published"]),
        ("login of member", {"scopes": ["write"]}, "member", ["published", "read", "write"]),
    ],
)
def test_a_new_key_belongs_to_the_caller(client_of, as_stranger, people, caller, body, role, scopes):
    created = (
        client_of(caller, None).post(KEYS, json=body)
        if body is not None
        else client_of(caller, None).post(KEYS)
    )
    assert created.status_code == 201
    value = created.json["public_state"]
    me = as_stranger.get("/api/v1/auth/me/", headers={"X-API-KEY": value}).json
    assert (me["role"], me["scopes"], people.uuid(value)) == (role, scopes, created.json["uuid"])


@pytest.mark.parametrize("caller", ["member, published", "admin, published"])
@pytest.mark.parametrize("body", [None, {"scopes": ["published"]}, {"scopes": ["read"]}, {"name": "x"}])
def test_a_published_key_of_a_user_cannot_create_keys(client_of, make_key, caller, body):
    response = client_of(caller, None).post(KEYS, json=body) if body else client_of(caller, None).post(KEYS)
    assert (response.status_code, response.json["code"]) == (403, "scope_missing")


def test_create_accepts_a_name_and_an_expiry(as_member):
    created = as_member.post(KEYS, json={"name": "front end", "expires": "2999-01-01T02:00:00+02:00"}).json
    shown = as_member.get(f"{KEYS}{created['uuid']}/").json
    assert (shown["name"], shown["expires"]) == ("front end", "2999-01-01T00:00:00.000000")
    assert list(created) == ["public_state", "uuid", "created"]


def test_a_key_is_shown_with_its_prefix_and_without_its_value(as_member, people):
    created = as_member.post(KEYS, json={"name": "front end"}).json
    response = as_member.get(f"{KEYS}{created['uuid']}/")
    assert response.json == {
        "uuid": created["uuid"],
        "name": "front end",
        "prefix": created["public_state"][:14],
        "scopes": ["published", "read"],
        "user": str(people.member.uuid),
        "created": created["created"],
        "expires": None,
        "last_used": None,
    }
    assert created["public_state"] not in as_member.get(KEYS).text


@pytest.mark.sqlite("reads its file")
def test_only_the_digest_of_a_key_is_stored(app, as_stranger, instance):
    created = as_stranger.post(KEYS).json
    with app.app_context(), db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = b"".join(file.read_bytes() for file in instance.glob("blog.db*"))
    assert digest_token(created["public_state"]).encode() in stored
    assert created["public_state"].encode() not in stored
    assert created["public_state"][20:].encode() not in stored


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"name": None}, ["name"]),
        ({"name": 5}, ["name"]),
        ({"name": "x" * 101}, ["name"]),
        ({"name": "bell\x07"}, ["name"]),
        ({"expires": "tomorrow"}, ["expires"]),
        ({"expires": 1893456000}, ["expires"]),
        ({"expires": "2030-02-30T00:00:00Z"}, ["expires"]),
        ({"expires": "2020-01-01T00:00:00Z"}, ["expires"]),
        ({"scopes": "read"}, ["scopes"]),
        ({"scopes": []}, ["scopes"]),
        ({"scopes": None}, ["scopes"]),
        ({"scopes": ["admin"]}, ["scopes.0"]),
        ({"scopes": ["read", 5]}, ["scopes.1"]),
        ({"scopes": ["read", "write", "read"]}, ["scopes"]),
        ({"scopes": ["published", "published"]}, ["scopes"]),
        ({"uuid": "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"}, ["uuid"]),
        ({"user": None}, ["user"]),
        ({"name": 5, "expires": "soon", "scopes": ["all"], "x": 1}, ["expires", "name", "scopes.0", "x"]),
        ([], ["body"]),
        (["name"], ["body"]),
        ("name", ["body"]),
    ],
)
def test_create_reports_all_invalid_fields(as_member, body, wrong):
    response = as_member.post(KEYS, json=body)
    assert (response.status_code, response.json["code"]) == (422, "invalid_fields")
    assert sorted(response.json["errors"]) == wrong


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        (b"name=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b'{"name": "x"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"name": "x"}', None, 415, "unsupported_media_type"),
        (b"{", "application/json", 400, "malformed"),
        (b'{"name": "x", "name": "y"}', "application/json", 400, "malformed"),
        (b'{"name": "\xff"}', "application/json", 400, "malformed"),
        ('{"name": "x"}'.encode("utf-16"), "application/json", 400, "malformed"),
        (b'{"name": NaN}', "application/json", 400, "malformed"),
        (b"[" * 100_000, "application/json", 400, "malformed"),
    ],
)
def test_create_refuses_an_unreadable_body(as_member, body, content_type, status, code):
    response = as_member.post(KEYS, data=body, content_type=content_type)
    assert (response.status_code, response.json["code"]) == (status, code)


@pytest.mark.parametrize("caller", ["as_stranger", "as_reader"])
@pytest.mark.parametrize("body", [{"name": "x"}, {"expires": "2999-01-01T00:00:00Z"}, {"scopes": ["read"]}])
def test_only_a_user_may_send_settings_of_a_new_key(request, caller, body):
    response = request.getfixturevalue(caller).post(KEYS, json=body)
    assert (response.status_code, response.json["code"]) == (403, "forbidden")


@pytest.mark.parametrize("caller", ["member, reading", "admin, reading"])
def test_a_key_cannot_create_a_wider_one(client_of, caller):
    response = client_of(caller, None).post(KEYS, json={"scopes": ["write"]})
    assert (response.status_code, response.json["code"]) == (403, "scope_missing")


@pytest.mark.parametrize(
    ("setting", "caller", "status"),
    [
        ("open", "as_stranger", 201),
        ("open", "as_reader", 201),
        ("open", "as_member", 201),
        ("users", "as_stranger", 401),
        ("users", "as_reader", 403),
        ("users", "as_member", 201),
        ("users", "as_reading_admin", 201),
        ("admins", "as_stranger", 401),
        ("admins", "as_reader", 403),
        ("admins", "as_member", 403),
        ("admins", "as_reading_admin", 201),
    ],
)
@pytest.mark.parametrize("body", [b"", b"{"])
def test_key_creation_is_checked_before_the_body(app, request, setting, caller, status, body):
    app.config["KEY_CREATION"] = setting
    response = request.getfixturevalue(caller).post(KEYS, data=body, content_type="application/json")
    code = {201: "malformed" if body else None, 401: "key_missing", 403: "forbidden"}[status]
    assert outcome(response) == (400 if code == "malformed" else status, code)


def test_the_default_limit_allows_100_keys_a_minute(as_stranger):
    assert len({as_stranger.post(KEYS).json["public_state"] for _ in range(100)}) == 100


def test_key_limit_limits_the_new_keys_of_an_address(make_app, make_client):
    client = make_client(make_app(KEY_LIMIT="2 per minute"))
    responses = [client.post(KEYS) for _ in range(3)]
    assert [response.status_code for response in responses] == [201, 201, 429]
    assert 1 <= int(responses[2].headers["Retry-After"]) <= 60
    assert client.post(KEYS, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 201


def test_rotations_count_towards_the_key_limit(make_app, make_client, people):
    app = make_app(KEY_LIMIT="1 per minute")
    created = make_client(app).post(KEYS).json
    # A client that does not check responses against the OpenAPI document.
    plain = FlaskClient(app, app.response_class)
    headers = {"X-API-KEY": people.key(people.admin, "write")}
    response = plain.post(f"{KEYS}{created['uuid']}/rotate/", headers=headers)
    assert outcome(response) == (429, "too_many_requests")


# Using


def mistype(value):
    return value[:-1] + ("0" if value[-1] != "0" else "1")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (lambda make_key: "", "key_invalid"),
        (lambda make_key: "x", "key_invalid"),
        (lambda make_key: "<API_KEY>", "key_invalid"),
        (lambda make_key: mistype(make_key().value), "key_invalid"),
        (lambda make_key: make_key().value.upper(), "key_invalid"),
        (lambda make_key: key_format.generate_key(), "key_invalid"),
        (lambda make_key: digest_token(make_key().value), "key_invalid"),
        (lambda make_key: f"ApiKey {make_key().value}", "key_invalid"),
        (lambda make_key: "clé", "key_invalid"),
        (lambda make_key: "blogapi_" + "0" * 100_000, "key_invalid"),
        (lambda make_key: make_key(expires=NOON).value, "key_expired"),
    ],
)
def test_an_invalid_or_expired_key_is_a_401(as_stranger, make_key, value, code):
    response = as_stranger.get(ARTICLES, headers={"X-API-KEY": value(make_key)})
    assert (response.status_code, response.json["code"]) == (401, code)
    assert response.headers["WWW-Authenticate"] == "ApiKey"


def test_an_invalid_key_is_a_401_even_if_no_key_is_required(as_stranger):
    assert outcome(as_stranger.post(KEYS, headers={"X-API-KEY": key_format.generate_key()})) == (
        401,
        "key_invalid",
    )


def test_a_mistyped_key_is_refused_without_a_query(as_stranger, make_key, record_statements):
    mistyped = mistype(make_key().value)
    with record_statements() as seen:
        assert as_stranger.get(TAGS, headers={"X-API-KEY": mistyped}).status_code == 401
    assert seen == []


def test_a_key_is_looked_up_in_one_statement(as_stranger, record_statements):
    with record_statements() as seen:
        assert as_stranger.get(TAGS, headers={"X-API-KEY": key_format.generate_key()}).status_code == 401
    assert len(seen) == 1


def test_two_keys_in_one_request_are_a_401(as_stranger, make_key):
    headers = [("X-API-KEY", make_key().value), ("X-API-KEY", make_key().value)]
    assert outcome(as_stranger.get(TAGS, headers=headers)) == (401, "key_invalid")


@pytest.mark.parametrize("name", ["X-API-KEY", "api_key", "key", "apikey"])
def test_a_key_in_the_query_string_is_ignored(as_stranger, make_key, name):
    assert outcome(as_stranger.get(TAGS, query_string={name: make_key().value})) == (401, "key_missing")


@pytest.mark.parametrize("form", ["Bearer {}", "ApiKey {}", "{}"])
def test_a_key_in_another_header_is_ignored(as_stranger, make_key, form):
    headers = {"Authorization": form.format(make_key().value)}
    assert outcome(as_stranger.get(TAGS, headers=headers)) == (401, "key_missing")


def test_a_key_is_valid_until_its_expiry(as_stranger, make_key, set_clock):
    key = make_key(expires=NOON)
    set_clock(NOON - timedelta(microseconds=1))
    assert is_valid(as_stranger, key.value)
    set_clock(NOON)
    assert not is_valid(as_stranger, key.value)


def test_last_used_is_written_at_most_once_an_hour(as_stranger, make_key, set_clock, record_statements):
    key = make_key()
    minutes = {0: True, 1: False, 59: False, 60: True, 61: False, 120: True}
    for minute, writes in minutes.items():
        set_clock(NOON + timedelta(minutes=minute))
        with record_statements() as seen:
            assert is_valid(as_stranger, key.value)
        assert any(statement.startswith("UPDATE api_key") for statement in seen) is writes, minute


def test_last_used_is_shown(as_stranger, make_key, people, set_clock):
    key = make_key(people.member)
    set_clock(NOON)
    as_stranger.get(TAGS, headers={"X-API-KEY": key.value})
    shown = as_stranger.get(path_of(key), headers={"X-API-KEY": key.value}).json
    assert shown["last_used"] == "2026-03-01T12:00:00.000000"


def test_a_read_does_not_wait_for_a_writer_in_another_process(app, as_stranger, make_key):
    key = make_key()
    with other_connection(app, writing=True) as other:
        began = time.monotonic()
        assert is_valid(as_stranger, key.value)
        # A blocked connection would wait for 5 seconds.
        assert time.monotonic() - began < 2
        assert other.exec_driver_sql("SELECT last_used FROM api_key").fetchall() == [(None,)]


# Access to a single key

TARGETS = ("anonymous", "member's", "admin's", "unknown")
SHOWS = {
    "stranger": (401, 401, 401, 401),
    "anonymous": (403, 403, 403, 403),
    "member, published": (403, 403, 403, 403),
    "member, reading": (200, 200, 404, 404),
    "member, writing": (200, 200, 404, 404),
    "login of member": (200, 200, 404, 404),
    "admin, published": (403, 403, 403, 403),
    "admin, reading": (200, 200, 200, 404),
    "admin, writing": (200, 200, 200, 404),
    "other admin, writing": (200, 200, 200, 404),
    "login of admin": (200, 200, 200, 404),
}
CHANGES = SHOWS | {"member, reading": (403, 403, 403, 403), "admin, reading": (403, 403, 403, 403)}
DELETES = {
    "stranger": (401, 401, 401, 401),
    "anonymous": (204, 404, 404, 404),
    "member, published": (404, 404, 404, 404),
    "member, reading": (403, 403, 404, 404),
    "member, writing": (204, 204, 404, 404),
    "login of member": (204, 204, 404, 404),
    "admin, published": (404, 404, 404, 404),
    "admin, reading": (403, 403, 403, 404),
    "admin, writing": (204, 204, 204, 404),
    "other admin, writing": (204, 204, 204, 404),
    "login of admin": (204, 204, 204, 404),
}
OPERATIONS = {
    "GET": ("GET", "", None, SHOWS),
    "PATCH": ("PATCH", "", {"name": "renamed"}, CHANGES),
    "PUT": ("PUT", "", {"name": "renamed"}, CHANGES),
    "rotate": ("POST", "rotate/", None, CHANGES),
    "DELETE": ("DELETE", "", None, DELETES),
}


@pytest.fixture
def targets(make_key, people):
    """A key of each owner and scope, as (kind, uuid, value); the unknown one has no value."""
    owned = {"member's": people.member, "admin's": people.admin}
    keys = [("anonymous", make_key())]
    keys += [(kind, make_key(owner, {scope})) for kind, owner in owned.items() for scope in SCOPES]
    return [*((kind, key.uuid, key.value) for kind, key in keys), ("unknown", uuid4(), None)]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("caller", SHOWS)
def test_each_kind_of_caller_gets_its_status_for_each_key(client_of, as_stranger, targets, operation, caller):
    method, rest, body, table = OPERATIONS[operation]
    client = client_of(caller, None)
    for kind, uuid, value in targets:
        response = client.open(f"{KEYS}{uuid}/{rest}", method=method, json=body)
        status = table[caller][TARGETS.index(kind)]
        assert response.status_code == (201 if operation == "rotate" and status == 200 else status), kind
        ended = operation in ("rotate", "DELETE") and status in (200, 204)
        assert value is None or is_valid(as_stranger, value) is not ended
        if operation in ("PATCH", "PUT") and status == 200:
            assert client.get(f"{KEYS}{uuid}/").json["name"] == "renamed"


@pytest.mark.parametrize(
    ("owner", "scope", "show", "change", "delete"),
    [
        (None, "published", 403, 403, 204),
        ("member", "published", 403, 403, 404),
        ("member", "read", 200, 403, 204),
        ("member", "write", 200, 200, 204),
        ("admin", "published", 403, 403, 404),
        ("admin", "read", 200, 403, 204),
        ("admin", "write", 200, 200, 204),
    ],
)
def test_each_key_gets_its_status_for_itself(
    make_client, app, make_key, people, owner, scope, show, change, delete
):
    key = make_key(owner and getattr(people, owner), {scope})
    client = make_client(app, key.value)
    assert client.get(path_of(key)).status_code == show
    for method in ("PATCH", "PUT"):
        assert client.open(path_of(key), method=method, json={"name": "new"}).status_code == change
    rotated = client.post(f"{path_of(key)}rotate/", json={"overlap_seconds": 60})
    assert rotated.status_code == (201 if change == 200 else change)
    assert client.delete(path_of(key)).status_code == delete


@pytest.mark.parametrize("caller", ["anonymous", "member, published", "admin, published"])
def test_a_published_key_cannot_list_keys(client_of, caller):
    response = client_of(caller, None).get(KEYS)
    assert (response.status_code, response.json["code"]) == (403, "scope_missing")


@pytest.mark.parametrize("caller", ["anonymous", "member, published", "admin, published"])
@pytest.mark.parametrize("headers", [{}, {"If-Match": '"x"'}, {"If-None-Match": "*"}])
def test_a_published_key_cannot_distinguish_an_owned_key_from_an_unknown_one(
    client_of, targets, caller, headers
):
    client, owned = client_of(caller, None), [uuid for kind, uuid, _ in targets if kind != "anonymous"]
    for method, rest, body, _ in OPERATIONS.values():
        sent = headers if method != "GET" else {}
        responses = [
            client.open(f"{KEYS}{uuid}/{rest}", method=method, json=body, headers=sent) for uuid in owned
        ]
        assert len({(response.status_code, response.data) for response in responses}) == 1, method


@pytest.mark.parametrize("owner", ["member", "admin"])
def test_a_key_cannot_change_or_delete_one_of_wider_scope(app, make_client, make_key, people, owner):
    account = getattr(people, owner)
    for number, scope in enumerate(SCOPES):
        for wider in SCOPES[number + 1 :]:
            key = make_key(account, {wider})
            client = make_client(app, make_key(account, {scope}).value)
            for method, rest, body, _ in OPERATIONS.values():
                if method != "GET":
                    response = client.open(f"{path_of(key)}{rest}", method=method, json=body)
                    assert response.status_code in (403, 404), (scope, wider, method)


# Deleting


MALFORMED = [
    "x",
    "1",
    "00000000-0000-0000-0000-000000000000",
    "{3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d}",
    "urn:uuid:3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d",
    "3f2b6c1e8d4a4f5b9c7d1e2f3a4b5c6d",
    "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6",
    "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6g",
    "%00",
    "%27%20OR%201=1--",
    "٣f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d",
    "x" * 5000,
]


@pytest.mark.parametrize("method", ["GET", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("id", MALFORMED)
def test_a_malformed_id_is_a_404(as_admin, as_stranger, method, id):
    body = {} if method in ("PATCH", "PUT") else None
    assert outcome(as_admin.open(f"{KEYS}{id}/", method=method, json=body)) == (404, "not_found")
    assert outcome(as_stranger.open(f"{KEYS}{id}/", method=method)) == (401, "key_missing")


@pytest.mark.parametrize("id", ["x", "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"])
@pytest.mark.parametrize("method", ["DELETE", "PATCH", "PUT"])
def test_an_unknown_key_is_a_404_whatever_the_if_match(as_admin, method, id):
    response = as_admin.open(f"{KEYS}{id}/", method=method, json={}, headers={"If-Match": '"x"'})
    assert outcome(response) == (404, "not_found")


def test_an_id_is_case_insensitive(as_reader, as_stranger, make_key):
    key = make_key()
    response = as_reader.delete(path_of(key).upper().replace("/API/V1/AUTH/API-KEY/", KEYS))
    assert response.status_code == 204 and not is_valid(as_stranger, key.value)


def test_a_deleted_key_is_refused_in_every_process(make_app, make_client, make_key):
    here, there, key = make_app(), make_app(), make_key()
    assert is_valid(make_client(there), key.value)
    assert make_client(here, key.value).delete(path_of(key)).status_code == 204
    assert not is_valid(make_client(there), key.value)
    assert make_client(there, key.value).delete(path_of(key)).status_code == 401


def test_deleting_a_deleted_key_is_a_404(as_reader, make_key):
    key = make_key()
    assert [outcome(as_reader.delete(path_of(key))) for _ in range(2)] == [(204, None), (404, "not_found")]


# Listing


def names_of(response):
    assert response.status_code == 200
    return [key["name"] for key in response.json]


@pytest.fixture
def keys_by_name(make_key, people, set_clock):
    """Keys of several owners, created a second apart."""
    kinds = [
        ("anonymous", None, None),
        ("mel's", people.member, None),
        ("mel's expired", people.member, NOON + timedelta(hours=1)),
        ("ada's", people.admin, None),
    ]
    keys = {}
    for number, (name, owner, expires) in enumerate(kinds):
        set_clock(NOON + timedelta(seconds=number))
        keys[name] = make_key(owner, name=name, expires=expires)
    set_clock(NOON + timedelta(days=1))
    return keys


@pytest.mark.parametrize(
    ("key", "seen"),
    [("mel's", ["mel's"]), ("ada's", ["ada's", "mel's", "anonymous"])],
)
def test_the_list_shows_own_keys_or_all_to_an_admin_newest_first(as_stranger, keys_by_name, key, seen):
    assert names_of(as_stranger.get(KEYS, headers={"X-API-KEY": keys_by_name[key].value})) == seen


def test_the_list_under_a_login_shows_the_users_keys(logged_in, people, keys_by_name):
    assert names_of(logged_in(people.member).get(KEYS)) == ["mel's"]


def test_an_admin_may_filter_the_list(logged_in, people, keys_by_name):
    ada = logged_in(people.admin)
    assert names_of(ada.get(f"{KEYS}?user={people.member.uuid}")) == ["mel's"]
    assert names_of(ada.get(f"{KEYS}?user={people.other_admin.uuid}")) == []
    assert names_of(ada.get(f"{KEYS}?ownerless=true")) == ["anonymous"]
    assert names_of(ada.get(f"{KEYS}?ownerless=false")) == ["ada's", "mel's"]
    assert names_of(ada.get(f"{KEYS}?ownerless=true&user={people.member.uuid}")) == []


@pytest.mark.parametrize(("caller", "code"), [("as_reader", "scope_missing"), ("as_member", "forbidden")])
@pytest.mark.parametrize("query", ["ownerless=true", "user=3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"])
def test_only_an_admin_may_filter_the_list(request, caller, code, query):
    assert outcome(request.getfixturevalue(caller).get(f"{KEYS}?{query}")) == (403, code)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("user=mel", "user"),
        ("ownerless=1", "ownerless"),
        ("ownerless=", "ownerless"),
        ("fields=value", "fields"),
        ("fields=", "fields"),
        ("page=0", "page"),
        ("page_size=101", "page_size"),
        ("status=published", "status"),
    ],
)
def test_the_list_reports_an_invalid_parameter(as_admin, query, wrong):
    response = as_admin.get(f"{KEYS}?{query}")
    assert (response.status_code, list(response.json["errors"])) == (400, [wrong])


def test_the_list_is_paginated(logged_in, people, keys_by_name):
    response = logged_in(people.admin).get(f"{KEYS}?page=2&page_size=1&fields=name")
    assert response.json == [{"name": "mel's"}]
    assert response.headers["X-Total-Count"] == "3"
    links = response.headers["Link"]
    assert [part.split('rel="')[1].rstrip('"') for part in links.split(", ")] == [
        "first",
        "prev",
        "next",
        "last",
    ]
    assert f"<{KEYS}?fields=name&page=3&page_size=1>" in links


def test_the_list_takes_the_same_statements_for_any_length(as_admin, make_key, people, record_statements):
    as_admin.get(KEYS)
    counts = []
    for _ in range(2):
        with record_statements() as seen:
            as_admin.get(KEYS)
        counts.append(len(seen))
        for owner in (None, people.member, people.admin) * 3:
            make_key(owner)
    assert counts == [2, 2]


# Changing


@pytest.mark.parametrize("method", ["PATCH", "PUT", "POST"])
@pytest.mark.parametrize(
    ("owner", "scopes", "status"),
    [
        pytest.param("other_admin", WRITE, 404, id="hidden"),
        pytest.param("member", READ, 403, id="narrow"),
    ],
)
def test_access_is_checked_before_the_body_is_read(
    app, make_client, make_key, people, method, owner, scopes, status
):
    key = make_key(getattr(people, owner), WRITE)
    client = make_client(app, make_key(people.member, scopes).value)
    path = path_of(key) + ("rotate/" if method == "POST" else "")
    response = client.open(path, method=method, data=b"{", content_type="application/json")
    assert outcome(response) == (status, {403: "scope_missing", 404: "not_found"}[status])


def test_patch_changes_only_the_given_fields(as_stranger, make_key, people):
    key = make_key(people.member, name="old", expires=datetime(2999, 1, 1, tzinfo=UTC))
    headers = {"X-API-KEY": make_key(people.member, WRITE).value}
    named = as_stranger.patch(path_of(key), json={"name": "new"}, headers=headers).json
    assert (named["name"], named["expires"]) == ("new", "2999-01-01T00:00:00.000000")
    endless = as_stranger.patch(path_of(key), json={"expires": None}, headers=headers).json
    assert (endless["name"], endless["expires"]) == ("new", None)
    assert as_stranger.patch(path_of(key), json={}, headers=headers).json == endless


def test_put_resets_absent_fields_to_their_defaults(as_stranger, make_key, people):
    key = make_key(people.member, name="old", expires=datetime(2999, 1, 1, tzinfo=UTC))
    headers = {"X-API-KEY": make_key(people.member, WRITE).value}
    response = as_stranger.put(path_of(key), json={}, headers=headers).json
    assert (response["name"], response["expires"]) == ("", None)


@pytest.mark.parametrize("expires", [None, "2999-01-01T00:00:00.000001Z", "2000-01-01T00:00:00Z"])
def test_the_body_of_a_get_is_a_valid_put(as_admin, make_key, people, expires):
    key = make_key(people.member, WRITE, name="n", expires=expires and datetime.fromisoformat(expires))
    shown = as_admin.get(path_of(key)).json
    response = as_admin.put(path_of(key), json=shown)
    assert (response.status_code, response.json) == (200, shown)
    assert as_admin.get(path_of(key)).json == shown


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"name": None}, ["name"]),
        ({"name": "x" * 101, "expires": "never"}, ["expires", "name"]),
        ({"expires": "2020-01-01T00:00:00Z"}, ["expires"]),
        ({"public_state": "blogapi_x"}, ["public_state"]),
        ([], ["body"]),
    ],
)
def test_changes_report_all_invalid_fields(as_member, make_key, people, method, body, wrong):
    response = as_member.open(path_of(make_key(people.member)), method=method, json=body)
    assert (response.status_code, sorted(response.json["errors"])) == (422, wrong)


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_the_scopes_of_a_key_never_change(as_member, make_key, people, method):
    key = make_key(people.member)
    response = as_member.open(path_of(key), method=method, json={"scopes": ["write"]})
    assert response.json["scopes"] == ["published", "read"]


def test_a_key_may_shorten_its_own_expiry(as_stranger, make_key, people, set_clock):
    key, end = make_key(people.member, WRITE), NOON + timedelta(hours=1)
    set_clock(NOON)
    as_stranger.patch(path_of(key), json={"expires": end.isoformat()}, headers={"X-API-KEY": key.value})
    set_clock(end)
    assert not is_valid(as_stranger, key.value)


# Rotating


def test_a_successor_has_the_settings_of_the_old_key(as_stranger, make_key, people):
    end = datetime(2999, 1, 1, tzinfo=UTC)
    key = make_key(people.member, WRITE, name="front end", expires=end)
    created = as_stranger.post(f"{path_of(key)}rotate/", headers={"X-API-KEY": key.value}).json
    assert list(created) == ["public_state", "uuid", "created"]
    header = {"X-API-KEY": created["public_state"]}
    shown = as_stranger.get(f"{KEYS}{created['uuid']}/", headers=header).json
    assert (shown["name"], shown["scopes"], shown["user"]) == (
        "front end",
        ["published", "read", "write"],
        str(people.member.uuid),
    )
    assert shown["expires"] == "2999-01-01T00:00:00.000000"
    assert shown["uuid"] != str(key.uuid)


def test_the_old_key_is_valid_until_the_overlap_ends(as_stranger, make_key, people, set_clock):
    key = make_key(people.member, WRITE)
    set_clock(NOON)
    body, headers = {"overlap_seconds": 60}, {"X-API-KEY": key.value}
    new = as_stranger.post(f"{path_of(key)}rotate/", json=body, headers=headers).json["public_state"]
    set_clock(NOON + timedelta(seconds=59))
    assert (is_valid(as_stranger, key.value), is_valid(as_stranger, new)) == (True, True)
    set_clock(NOON + timedelta(seconds=60))
    assert (is_valid(as_stranger, key.value), is_valid(as_stranger, new)) == (False, True)


def test_an_expired_key_cannot_be_rotated(as_member, make_key, people):
    response = as_member.post(f"{path_of(make_key(people.member, expires=NOON))}rotate/")
    assert (response.status_code, response.json["code"]) == (403, "key_expired")


@pytest.mark.parametrize("overlap", [-1, 2_592_001, 1.5, "60", True, None, 10**30])
def test_rotate_refuses_an_invalid_overlap(as_stranger, make_key, people, overlap):
    key = make_key(people.member, WRITE)
    response = as_stranger.post(
        f"{path_of(key)}rotate/", json={"overlap_seconds": overlap}, headers={"X-API-KEY": key.value}
    )
    assert (response.status_code, list(response.json["errors"])) == (422, ["overlap_seconds"])
    assert is_valid(as_stranger, key.value)


# A key with an expiry cannot create access beyond it


@pytest.fixture
def expiring_key(as_admin):
    """Ada's key that expires at the end of 2998: its uuid and header."""
    created = as_admin.post(KEYS, json={"expires": "2998-12-31T00:00:00Z", "scopes": ["write"]}).json
    return created["uuid"], {"X-API-KEY": created["public_state"]}


def test_a_new_key_inherits_the_expiry_of_the_callers_key(as_stranger, as_admin, expiring_key):
    created = as_stranger.post(KEYS, headers=expiring_key[1]).json
    assert as_admin.get(f"{KEYS}{created['uuid']}/").json["expires"] == "2998-12-31T00:00:00.000000"


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_key_cannot_set_an_expiry_after_its_own(as_stranger, expiring_key, method):
    path = KEYS if method == "POST" else f"{KEYS}{expiring_key[0]}/"
    body = {"expires": "2999-01-01T00:00:00Z"}
    assert outcome(as_stranger.open(path, method=method, json=body, headers=expiring_key[1])) == (
        403,
        "scope_missing",
    )


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_key_cannot_remove_its_own_expiry(as_stranger, expiring_key, method):
    response = as_stranger.open(
        f"{KEYS}{expiring_key[0]}/", method=method, json={"expires": None}, headers=expiring_key[1]
    )
    assert response.json["expires"] == "2998-12-31T00:00:00.000000"


def test_the_owner_may_remove_the_expiry_of_a_key(as_admin, expiring_key):
    response = as_admin.patch(f"{KEYS}{expiring_key[0]}/", json={"expires": None})
    assert (response.status_code, response.json["expires"]) == (200, None)


@pytest.mark.parametrize(
    ("expires", "status"),
    [(None, 201), (datetime(2997, 1, 1, tzinfo=UTC), 201), (datetime(2999, 1, 1, tzinfo=UTC), 403)],
)
def test_a_key_cannot_rotate_a_key_beyond_its_own_expiry(
    as_stranger, as_admin, make_key, people, expiring_key, expires, status
):
    key = make_key(people.admin, WRITE, expires=expires)
    created = as_stranger.post(f"{path_of(key)}rotate/", headers=expiring_key[1])
    assert created.status_code == status
    assert is_valid(as_stranger, key.value) is (status == 403)
    if status == 201:
        bound = min(expires or datetime.max.replace(tzinfo=UTC), datetime(2998, 12, 31, tzinfo=UTC))
        shown = as_admin.get(f"{KEYS}{created.json['uuid']}/").json["expires"]
        assert shown == bound.replace(tzinfo=None).isoformat(timespec="microseconds")
