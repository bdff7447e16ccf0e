"""Malformed ids, pages, queries, paths, methods, hosts and keys always get a 4xx with a problem body."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.contracts.client import outcome
from tests.security.conftest import LOGIN, OTHER_UUID, assert_refused

pytestmark = pytest.mark.usefixtures("assert_unchanged")
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
def test_a_malformed_id_gets_a_404(as_admin, id):
    for base in (KEYS, CATEGORIES, TAGS, ARTICLES):
        assert_refused(as_admin.get(f"{base}{id}/"), 404)
    assert_refused(as_admin.delete(f"{KEYS}{id}/"), 404)


WRONG_NUMBERS = [
    *("", "0", "-1", "1.5", "1e3", "+1", "%201", "1%20", "01x", "0x1", "1_000", "٣", "\uff11", "1%00", "NaN"),
    *("9" * 18, "999999999999999999999", "9" * 5000, "true", "null", "1,2", "1&page=2&page_size=2"),
]


@pytest.mark.parametrize("value", WRONG_NUMBERS, ids=lambda value: value[:20])
def test_an_invalid_page_gets_a_400(as_admin, value):
    for base in (KEYS, CATEGORIES, TAGS, ARTICLES, f"{ARTICLES}author/me/"):
        assert_refused(as_admin.get(f"{base}?page={value}"), 400)
        assert_refused(as_admin.get(f"{base}?page_size={value}"), 400)


def test_a_page_size_over_100_gets_a_400(as_admin):
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
    ),
    *("slug=", f"slug={'a' * 300}", "slug=a&slug=b", "slug=%00", "tag=", "tag=%00", f"tag={'a' * 300}"),
    *("tags_all=", "tags_all=%00", "not_tag=a&not_tag=", f"not_category={'a' * 300}"),
    *("uuid=", "uuid=a", "uuid=%00", f"uuid={'0' * 32}", "&".join([f"uuid={OTHER_UUID}"] * 101)),
    *("updated_after=", "updated_after=now", "updated_after=%00", "updated_after=9999-12-31T23:59-14:00"),
    *("fields=-uuid", "fields=*,-", "fields=*,-nonsense", "fields=uuid,-uuid", "fields=*,--uuid"),
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
    *("%ed%a0%80=1", "_schema=1", "fields_=uuid", "status=x", "q" * 3000),
]


@pytest.mark.parametrize("query", WRONG_QUERIES, ids=lambda query: query[:30])
def test_an_invalid_query_gets_a_400(as_admin, query):
    response = as_admin.get(f"{ARTICLES}?{query}")
    assert_refused(response, 400)
    assert response.json["code"] == "invalid_query"


@pytest.mark.parametrize(
    "query",
    ["user=x", "user=", "ownerless=1", "ownerless=True", "ownerless=", "ownerless=true&ownerless=false"],
)
def test_an_invalid_filter_of_keys_gets_a_400(as_admin, query):
    assert_refused(as_admin.get(f"{KEYS}?{query}"), 400)


@pytest.mark.parametrize("path", [LOGIN, KEYS, f"{KEYS}{OTHER_UUID}/", "/health/", "/openapi.json"])
def test_an_operation_without_query_parameters_refuses_every_parameter(as_admin, path):
    method = "POST" if path == LOGIN else "PATCH" if OTHER_UUID in path else "GET"
    assert_refused(
        as_admin.open(f"{path}?nonsense=1", method=method, json={} if method != "GET" else None), 400
    )


@pytest.mark.parametrize(
    "path",
    [
        *(
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
def test_an_unknown_path_gets_a_404_and_never_a_redirect(as_stranger, path):
    assert_refused(as_stranger.get(path), 404)


@pytest.mark.parametrize("path", [LOGIN, KEYS, ARTICLES, f"{TAGS}{OTHER_UUID}/", "/health/", "/docs/"])
def test_an_unknown_method_gets_a_405_with_allow(as_admin, path):
    for method in ("BREW", "TRACE", "PROPFIND", "X" * 100):
        response = as_admin.open(path, method=method)
        assert_refused(response, 405)
        assert response.headers["Allow"].endswith("OPTIONS")


@pytest.mark.parametrize(
    "host", ["", "a b", "<script>", "a@b", "a/b", "ä", "[::1", "a:b", "a:99999999", "\x7f"]
)
def test_a_malformed_host_does_not_cause_a_server_error(as_stranger, host):
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
def test_a_malformed_key_gets_a_401(as_stranger, value):
    response = as_stranger.get(ARTICLES, headers={"X-API-KEY": value})
    assert (response.status_code, response.json["code"]) == (401, "key_invalid")


@pytest.mark.parametrize(
    "value", ["", "x", "eyJ0b2tlbiI6MX0.x.y", "é", "a" * 4000, ".eJwrzy_KSQUABJ0CHQ.x.y"]
)
def test_a_malformed_session_cookie_gets_a_401(as_stranger, value):
    as_stranger.set_cookie("blogapi_session", value)
    response = as_stranger.get(ARTICLES)
    assert (response.status_code, response.json["code"]) == (401, "login_over")


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["page", "page_size", "fields", "ordering", "slug", "tag", "author", "published_after"]),
    st.text(alphabet=st.characters(exclude_categories=["Cs"])),
)
def test_any_query_gets_a_list_or_a_400(as_admin, name, value):
    response = as_admin.get(ARTICLES, query_string={name: value})
    assert response.json == [] or outcome(response) == (400, "invalid_query")
