"""A request with an invalid body always gets a 4xx with a problem body and stores nothing."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogapi.web.fields import WRONG_TYPE_MESSAGE
from tests.conftest import KEYS
from tests.contracts.client import outcome
from tests.security.conftest import LOGIN, OTHER_UUID, assert_refused

pytestmark = pytest.mark.usefixtures("assert_unchanged")
UNREADABLE = {
    "empty": b" ",
    "cut": b'{"name": "a"',
    "text": b"name=a",
    "two": b"{}{}",
    "quotes": b"{'name': 'a'}",
    "double": b'{"name": "a", "name": "b"}',
    "nan": b'{"overlap_seconds": NaN}',
    "infinity": b'{"overlap_seconds": Infinity}',
    "deep list": b"[" * 100_000,
    "deep object": b'{"name":' * 100_000,
    "deep and closed": b'{"name":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "long number": b'{"overlap_seconds": ' + b"9" * 10_000 + b"}",
    "utf-16": '{"name": "a"}'.encode("utf-16"),
    "utf-8": b'{"name": "\xff"}',
    "surrogate in utf-8": b'{"name": "\xed\xa0\x80"}',
    "bom": b"\xef\xbb\xbf{}",
    "nul": b'{"name": "a"}\x00',
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_a_body_that_is_not_strict_json_gets_a_400(as_admin, data):
    for path in (KEYS, LOGIN):
        assert_refused(as_admin.post(path, data=data, content_type="application/json"), 400)


@pytest.mark.parametrize("data", ["[]", "[{}]", "1", "1.5", "null", "true", '""', '"name"', "1e999"])
def test_a_body_that_is_not_an_object_gets_a_422(as_admin, data):
    for path in (KEYS, LOGIN):
        response = as_admin.post(path, data=data, content_type="application/json")
        assert_refused(response, 422)
        assert response.json["errors"] == {"body": [WRONG_TYPE_MESSAGE]}


WRONG_FOR_TEXT = [1, 1.5, True, None, [], {}, ["a"], "a\x00b", "\ud800", "\udfff a", "x" * 2000]


@pytest.mark.parametrize("field", ["username", "password"])
@pytest.mark.parametrize("value", [*WRONG_FOR_TEXT, "", " "], ids=ascii)
def test_an_invalid_field_of_a_login_is_reported(as_stranger, field, value):
    body = {"username": "ada", "password": "a long pass phrase"} | {field: value}
    response = as_stranger.post(LOGIN, data=json.dumps(body), content_type="application/json")
    assert_refused(response, 422)
    assert list(response.json["errors"]) == [field]


def test_all_missing_fields_of_a_login_are_reported(as_stranger):
    for response in (as_stranger.post(LOGIN, json={}), as_stranger.post(LOGIN)):
        assert_refused(response, 422)
        assert list(response.json["errors"]) == ["username", "password"]


@pytest.mark.parametrize("name", ["ada\u202e", "a b", "' OR 1=1 --", "%", "日本", "İ", "ß" * 200, "🎉"])
def test_the_response_to_a_failed_login_is_the_same_for_every_name(as_stranger, name):
    response = as_stranger.post(LOGIN, json={"username": name, "password": "x"})
    assert (response.status_code, response.json["code"]) == (401, "login_failed")


WRONG_KEYS = [
    *[("name", value) for value in WRONG_FOR_TEXT],
    *[("expires", value) for value in (1, True, [], "", "tomorrow", "2026-02-30", "2000-01-01", "\ud800")],
    *[("expires", f"{'9' * 400}-01-01"), ("expires", "9999-12-31T23:59:59-14:00")],
    *[("scopes", value) for value in (1, "read", None, {}, [], ["admin"], [1], [["read"]], ["\ud800"])],
    ("scopes", ["read"] * 3),
    ("scopes", [None]),
    ("unknown", 1),
    ("uuid", OTHER_UUID),
    ("owner_id", OTHER_UUID),
    ("", 1),
    ("\ud800", 1),
    ("na\x00me", 1),
    ("n" * 10_000, 1),
    ("_schema", 1),
    ("fields", 1),
    ("__class__", {}),
]


@pytest.mark.parametrize(("field", "value"), WRONG_KEYS, ids=lambda value: ascii(value)[:20])
def test_an_invalid_field_of_a_key_is_reported(as_admin, field, value):
    response = as_admin.post(KEYS, data=json.dumps({field: value}), content_type="application/json")
    assert_refused(response, 422)
    assert response.json["errors"]


@pytest.mark.parametrize("value", [-1, 1.5, True, None, "60", [], {}, 2**63, 10**30, 1e300])
def test_an_invalid_overlap_of_a_rotation_is_reported(as_admin, app, value):
    uuid = as_admin.get(f"{KEYS}?page=1").json[0]["uuid"]
    response = as_admin.post(f"{KEYS}{uuid}/rotate/", json={"overlap_seconds": value})
    assert_refused(response, 422)
    assert list(response.json["errors"]) == ["overlap_seconds"]


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "json",
        "\x7f",
    ],
)
def test_a_body_of_another_content_type_gets_a_415(as_admin, kind):
    for path in (KEYS, LOGIN):
        assert_refused(as_admin.post(path, data=b'{"name": "a"}', content_type=kind), 415)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-16", "application/json; charset=nonsense"])
def test_a_body_is_read_as_utf_8_regardless_of_its_charset(as_stranger, kind):
    assert_refused(as_stranger.post(LOGIN, data="{}".encode("utf-16"), content_type=kind), 400)
    assert_refused(as_stranger.post(LOGIN, data=b"{}", content_type=kind), 422)


def test_a_body_over_the_limit_gets_a_413(make_app, make_client):
    app = make_app(MAX_CONTENT_LENGTH=1000)
    client = make_client(app)
    for data in (b"x" * 1001, b'{"username": "' + b"x" * 1000 + b'"}'):
        assert_refused(client.post(LOGIN, data=data, content_type="application/json"), 413)
    stream = io.BytesIO(b" " * 2000)
    response = client.post(
        LOGIN,
        input_stream=stream,
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert_refused(response, 413)


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.dictionaries(
        st.sampled_from(["username", "password", "x"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.lists(st.text()) | st.just("\ud800"),
        min_size=1,
    )
)
def test_every_generated_login_body_gets_a_4xx(as_stranger, body):
    response = as_stranger.post(LOGIN, data=json.dumps(body), content_type="application/json")
    assert outcome(response) in ((400, "malformed"), (422, "invalid_fields"))
