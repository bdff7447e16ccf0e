"""The creation of keys: allowed callers, settings and limits."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from blogapi.storage.database import db
from blogapi.web.key_format import digest_token
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import KEYS
from tests.contracts.client import outcome


@pytest.mark.parametrize(
    ("caller", "body", "role", "scopes"),
    [
        ("stranger", None, "reader", ["published"]),
        ("stranger", {}, "reader", ["published"]),
        ("anonymous", None, "reader", ["published"]),
        ("member, reading", None, "reader", ["published", "read"]),
        ("member, reading", {"scopes": ["published"]}, "reader", ["published"]),
        ("member, writing", None, "reader", ["published", "read"]),
        ("member, writing", {"scopes": ["write"]}, "reader", ["published", "read", "drafts", "write"]),
        ("admin, reading", None, "admin", ["published", "read"]),
        ("admin, writing", {"scopes": ["published"]}, "admin", ["published"]),
        ("admin, writing", {"scopes": ["read"]}, "admin", ["published", "read"]),
        ("admin, writing", {"scopes": ["read", "write"]}, "admin", ["published", "read", "drafts", "write"]),
        ("login of admin", None, "admin", ["published", "read"]),
        ("login of admin", {"scopes": ["published"]}, "admin", ["published"]),
        ("login of member", {"scopes": ["write"]}, "reader", ["published", "read", "drafts", "write"]),
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
    assert (shown["name"], shown["expires"]) == ("front end", "2999-01-01T00:00:00.000000+00:00")
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
    listed = as_member.get(KEYS)
    assert (listed.status_code, created["public_state"] in listed.text) == (200, False)


@pytest.mark.sqlite("reads its file")
def test_only_the_digest_of_a_key_is_stored(app, as_stranger, instance):
    created = as_stranger.post(KEYS).json
    with app.app_context(), db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    with allow_opening():
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
def test_only_a_user_may_choose_the_settings_of_a_new_key(request, caller, body):
    response = request.getfixturevalue(caller).post(KEYS, json=body)
    assert (response.status_code, response.json["code"]) == (403, "forbidden")


@pytest.mark.parametrize("caller", ["member, reading", "admin, reading"])
def test_a_key_cannot_create_a_key_with_a_wider_scope(client_of, caller):
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
def test_permission_to_create_a_key_is_checked_before_the_body(app, request, setting, caller, status, body):
    app.config["KEY_CREATION"] = setting
    response = request.getfixturevalue(caller).post(KEYS, data=body, content_type="application/json")
    code = {201: "malformed" if body else None, 401: "key_missing", 403: "forbidden"}[status]
    assert outcome(response) == (400 if code == "malformed" else status, code)


def test_the_default_limit_allows_100_keys_a_minute(as_stranger):
    assert len({as_stranger.post(KEYS).json["public_state"] for _ in range(100)}) == 100


def test_the_key_limit_setting_limits_the_number_of_keys_created_from_one_address(make_app, make_client):
    client = make_client(make_app(KEY_LIMIT="2 per minute"))
    responses = [client.post(KEYS) for _ in range(3)]
    assert [response.status_code for response in responses] == [201, 201, 429]
    assert 1 <= int(responses[2].headers["Retry-After"]) <= 60
    assert client.post(KEYS, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 201


@pytest.mark.parametrize("scope", ["login", "read", "write"])
def test_the_key_limit_counts_the_keys_of_users(app, make_client, people, log_in, scope):
    app.config["KEY_LIMIT"] = "2 per minute"
    client = log_in(people.member) if scope == "login" else make_client(app)
    headers = {} if scope == "login" else {"X-API-KEY": people.key(people.member, scope)}
    environ = {"REMOTE_ADDR": "192.0.2.7"}
    answers = [client.post(KEYS, headers=headers, environ_base=environ) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert make_client(app).post(KEYS, environ_base=environ).status_code == 429


def test_rotations_count_towards_the_key_limit(make_app, make_client, people):
    app = make_app(KEY_LIMIT="1 per minute")
    created = make_client(app).post(KEYS).json
    # This client does not check responses against the OpenAPI document.
    plain = FlaskClient(app, app.response_class)
    headers = {"X-API-KEY": people.key(people.admin, "write")}
    response = plain.post(f"{KEYS}{created['uuid']}/rotate/", headers=headers)
    assert outcome(response) == (429, "too_many_requests")
