"""Bad input: always a 4xx with a problem body, and nothing is stored."""

from __future__ import annotations

import io
import json
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from blogapi.storage.database import Base, db
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome

LOGIN = "/api/v1/auth/login/"
OTHER_UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"


@pytest.fixture(autouse=True)
def assert_unchanged(request, app):
    """Asserts that the test has not changed the database."""
    for name in ("as_stranger", "as_admin"):
        if name in request.fixturenames:
            request.getfixturevalue(name)
    before = read_rows(app)
    yield
    assert read_rows(app) == before


def read_rows(app) -> list[object]:
    """Return all rows, without the last uses of keys and the commit counter."""
    ignored = {"last_used": None, "commits": None}
    with app.app_context(), db.engine.connect() as connection:
        return [
            sorted(str(dict(row) | ignored) for row in connection.execute(select(table)).mappings())
            for table in Base.metadata.sorted_tables
        ]


def assert_refused(response, *statuses: int) -> None:
    assert response.status_code in (statuses or (400, 404, 405, 413, 414, 415, 422)), response.text
    # The client checks the body against the OpenAPI document; these are the texts for people.
    assert response.json["detail"] and response.json["code"] and response.json["title"]


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
def test_a_body_that_is_not_strict_json_is_a_400(as_admin, data):
    for path in (KEYS, LOGIN):
        assert_refused(as_admin.post(path, data=data, content_type="application/json"), 400)


@pytest.mark.parametrize("data", ["[]", "[{}]", "1", "1.5", "null", "true", '""', '"name"', "1e999"])
def test_a_body_that_is_not_an_object_is_a_422(as_admin, data):
    for path in (KEYS, LOGIN):
        response = as_admin.post(path, data=data, content_type="application/json")
        assert_refused(response, 422)
        assert response.json["errors"] == {"body": ["Invalid input type."]}


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
def test_failed_logins_look_the_same_for_any_name(as_stranger, name):
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
def test_a_body_of_another_content_type_is_a_415(as_admin, kind):
    for path in (KEYS, LOGIN):
        assert_refused(as_admin.post(path, data=b'{"name": "a"}', content_type=kind), 415)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-16", "application/json; charset=nonsense"])
def test_a_body_is_read_as_utf_8_whatever_its_charset(as_stranger, kind):
    assert_refused(as_stranger.post(LOGIN, data="{}".encode("utf-16"), content_type=kind), 400)
    assert_refused(as_stranger.post(LOGIN, data=b"{}", content_type=kind), 422)


def test_a_body_over_the_limit_is_a_413(make_app, make_client):
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


BROKEN_IDS = [
    "x",
    "0",
    "-1",
    "null",
    OTHER_UUID.replace("-", ""),
    f"{{{OTHER_UUID}}}",
    f"urn:uuid:{OTHER_UUID}",
    f"{OTHER_UUID}0000",
    f"{OTHER_UUID} ",
    f"%20{OTHER_UUID}",
    f"{OTHER_UUID}%00",
    "%00",
    "%2e%2e",
    "%ff",
    "%zz",
    "%",
    quote(OTHER_UUID.replace("3", "٣")),
    quote("日本"),
    "a" * 10_000,
    "'%20OR%201=1",
    "<script>",
    OTHER_UUID,
]


@pytest.mark.parametrize("id", BROKEN_IDS, ids=lambda id: id[:20])
def test_a_malformed_id_is_a_404(as_admin, id):
    for base in (KEYS, CATEGORIES, TAGS, ARTICLES):
        assert_refused(as_admin.get(f"{base}{id}/"), 404)
    assert_refused(as_admin.delete(f"{KEYS}{id}/"), 404)


WRONG_NUMBERS = [
    *("", "0", "-1", "1.5", "1e3", "+1", "%201", "1%20", "01x", "0x1", "1_000", "٣", "\uff11", "1%00", "NaN"),
    *("9" * 18, "999999999999999999999", "9" * 5000, "true", "null", "1,2", "1&page=2&page_size=2"),
]


@pytest.mark.parametrize("value", WRONG_NUMBERS, ids=lambda value: value[:20])
def test_an_invalid_page_is_a_400(as_admin, value):
    for base in (KEYS, CATEGORIES, TAGS, ARTICLES, f"{ARTICLES}author/me/"):
        assert_refused(as_admin.get(f"{base}?page={value}"), 400)
        assert_refused(as_admin.get(f"{base}?page_size={value}"), 400)


def test_a_page_size_over_100_is_a_400(as_admin):
    assert_refused(as_admin.get(f"{ARTICLES}?page_size=101"), 400)


def test_a_page_far_past_the_end_is_empty(as_admin):
    assert as_admin.get(f"{ARTICLES}?page=1000000000&page_size=100").json == []


WRONG_QUERIES = [
    *("fields=", "fields=,", "fields=uuid,", "fields=UUID", "fields=nonsense", "fields=__class__"),
    *("fields=uuid&fields=title", "fields=uuid%00", "fields=%ff", "ordering=", "ordering=uuid"),
    *(
        "ordering=--title",
        "ordering=title,title",
        "ordering=title;drop",
        "author=x",
        f"author={{{OTHER_UUID}}}",
    ),
    *("slug=", f"slug={'a' * 300}", "slug=a&slug=b", "slug=%00", "tag=", "tag=%00", f"tag={'a' * 300}"),
    *("category=", "category=a&category=", "published_after=yesterday", "published_after="),
    *(
        "published_before=2026-13-01",
        "published_after=0001-01-01T00:00:00%2B14:00",
        "published_after=٢٠٢٦-01-01",
    ),
    *(
        "unknown=1",
        "Page=1",
        "page[]=1",
        "%00=1",
        "=1",
        "a",
        "&&x",
        "key=blogapi_x",
        "X-API-KEY=x",
        "%zz=%zz",
    ),
    *("%ed%a0%80=1", "_schema=1", "fields_=uuid", "status=draft", "q" * 3000),
]


@pytest.mark.parametrize("query", WRONG_QUERIES, ids=lambda query: query[:30])
def test_an_invalid_query_is_a_400(as_admin, query):
    response = as_admin.get(f"{ARTICLES}?{query}")
    assert_refused(response, 400)
    assert response.json["code"] == "invalid_query"


@pytest.mark.parametrize(
    "query",
    ["user=x", "user=", "ownerless=1", "ownerless=True", "ownerless=", "ownerless=true&ownerless=false"],
)
def test_an_invalid_filter_of_keys_is_a_400(as_admin, query):
    assert_refused(as_admin.get(f"{KEYS}?{query}"), 400)


@pytest.mark.parametrize("path", [LOGIN, KEYS, f"{KEYS}{OTHER_UUID}/", "/health/", "/openapi.json"])
def test_an_operation_without_parameters_refuses_any(as_admin, path):
    method = "POST" if path == LOGIN else "PATCH" if OTHER_UUID in path else "GET"
    assert_refused(
        as_admin.open(f"{path}?nonsense=1", method=method, json={} if method != "GET" else None), 400
    )


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/api",
            "/api/v1/",
            "/api/v2/blog/articles/",
            "/%00",
            "/%ff%fe",
            "/%zz",
            "/%",
            "/" + "a" * 8000,
        ),
        *(
            "/api/v1/blog//articles/",
            "/api/v1/blog/articles/a/b/",
            "/API/V1/BLOG/TAGS/",
        ),
        *(
            "/api/v1/blog/articles/../tags/",
            "/api/v1/blog/%2e%2e/",
            "/docs/../../etc/passwd",
            "/docs/%2e%2e%2fa",
        ),
        *("/docs/..%5c..%5ca", "/health/x", "/static/x", "/favicon.ico", "/api/v1/blog/tags;x=1/"),
    ],
)
def test_an_unknown_path_is_a_404_and_never_a_redirect(as_stranger, path):
    assert_refused(as_stranger.get(path), 404)


@pytest.mark.parametrize("path", [LOGIN, KEYS, ARTICLES, f"{TAGS}{OTHER_UUID}/", "/health/", "/docs/"])
def test_an_unknown_method_is_a_405_with_allow(as_admin, path):
    for method in ("BREW", "TRACE", "PROPFIND", "X" * 100):
        response = as_admin.open(path, method=method)
        assert_refused(response, 405)
        assert response.headers["Allow"].endswith("OPTIONS")


@pytest.mark.parametrize(
    "host", ["", "a b", "<script>", "a@b", "a/b", "ä", "[::1", "a:b", "a:99999999", "\x7f"]
)
def test_a_malformed_host_is_not_a_server_error(as_stranger, host):
    response = as_stranger.get("/health/", headers={"Host": host})
    assert response.status_code in (200, 400)
    assert "Location" not in response.headers


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "x",
        "blogapi_",
        "blogapi_" + "a" * 38,
        "blogapi_" + "٣" * 38,
        "é" * 46,
        "\x7f",
        "a" * 10_000,
        "', 1",
    ],
)
def test_a_malformed_key_is_a_401(as_stranger, value):
    response = as_stranger.get(ARTICLES, headers={"X-API-KEY": value})
    assert (response.status_code, response.json["code"]) == (401, "key_invalid")


@pytest.mark.parametrize(
    "value", ["", "x", "eyJ0b2tlbiI6MX0.x.y", "é", "a" * 4000, ".eJwrzy_KSQUABJ0CHQ.x.y"]
)
def test_a_malformed_session_cookie_is_a_401(as_stranger, value):
    as_stranger.set_cookie("blogapi_session", value)
    response = as_stranger.get(ARTICLES)
    assert (response.status_code, response.json["code"]) == (401, "login_over")


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
def test_any_login_body_gets_a_4xx(as_stranger, body):
    response = as_stranger.post(LOGIN, data=json.dumps(body), content_type="application/json")
    assert outcome(response) in ((400, "malformed"), (422, "invalid_fields"))


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["page", "page_size", "fields", "ordering", "slug", "tag", "author", "published_after"]),
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
)
def test_any_query_gets_a_list_or_a_400(as_admin, name, value):
    response = as_admin.get(ARTICLES, query_string={name: value})
    assert response.json == [] or outcome(response) == (400, "invalid_query")
