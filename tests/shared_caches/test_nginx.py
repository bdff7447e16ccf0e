"""nginx with the configuration of the guide stores public responses, and nothing else."""

from __future__ import annotations

import gzip

import pytest

from tests.conftest import ARTICLES, TAGS
from tests.shared_caches.recipes import NGINX, run_nginx, send

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@pytest.fixture
def connection(folder, port):
    with run_nginx(folder, port) as connect:
        opened = connect()
        yield opened
        opened.close()


def read_cache(response):
    return response.headers["X-Cache"]


def test_public_responses_are_stored(connection, make_article):
    article = make_article()
    for path in (ARTICLES, f"{ARTICLES}{article.uuid}/", f"{ARTICLES}{article.slug}/?fields=title", TAGS):
        first, second = (send(connection, path) for _ in range(2))
        assert (read_cache(first), read_cache(second)) == ("MISS", "HIT")
        assert first.is_public and second.body == first.body
        assert not {"Cache-Tag", "Surrogate-Key"} & {*second.headers}
        unchanged = send(connection, path, If_None_Match=first.headers["ETag"])
        assert (unchanged.status, unchanged.body, read_cache(unchanged)) == (304, b"", "HIT")
        assert send(connection, path, "HEAD").headers["ETag"] == first.headers["ETag"]


def test_each_caller_gets_their_own_response(connection, people, deleted_key, admin_cookie, make_article):
    make_article(title="Draft", status="draft")
    admin = people.key(people.admin)
    requests = (
        ({}, 200, True),
        ({"X_API_KEY": people.key(None)}, 200, False),
        ({"X_API_KEY": admin}, 200, False),
        ({"X_API_KEY": deleted_key}, 401, False),
        ({"X_API_KEY": "0"}, 401, False),
        ({"Cookie": admin_cookie}, 200, False),
        ({"Cookie": "blogapi_session=forged"}, 401, False),
        ({"Cookie": "0"}, 200, True),
    )
    for order in (requests[::-1], requests, requests):
        for headers, status, is_public in order:
            response = send(connection, ARTICLES, **headers)
            assert (response.status, response.is_public) == (status, is_public), headers
            assert (read_cache(response) == "BYPASS") is bool(headers)
    path = f"{ARTICLES}?status=any"
    for _ in range(2):
        assert b"Draft" in send(connection, path, X_API_KEY=admin).body
        assert send(connection, path).status == 403
        assert b"Draft" not in send(connection, ARTICLES).body


def test_errors_are_not_stored(connection, people, make_article):
    article = make_article(status="draft")
    path = f"{ARTICLES}{article.uuid}/"
    for _ in range(2):
        response = send(connection, path)
        assert (response.status, read_cache(response)) == (404, "MISS")


def test_each_origin_gets_its_own_response(connection, people):
    for _ in range(2):
        for origin in ("https://a.example", "https://b.example"):
            assert send(connection, TAGS, Origin=origin).status == 200
    assert read_cache(send(connection, TAGS, Origin="https://a.example")) == "HIT"
    assert read_cache(send(connection, TAGS, Origin="https://c.example")) == "MISS"


def test_one_stored_response_is_sent_plain_and_compressed(connection, people):
    path = "/docs/static/scalar.js"
    for expected in ("MISS", "HIT"):
        plain, packed = send(connection, path), send(connection, path, Accept_Encoding="gzip")
        assert [read_cache(plain), read_cache(packed)] == [expected, "HIT"]
        assert gzip.decompress(packed.body) == plain.body
        unchanged = send(connection, path, Accept_Encoding="gzip", If_None_Match=packed.headers["ETag"])
        assert unchanged.status == 304


def test_two_values_of_accept_are_stored(connection, people):
    for path, statuses in ((ARTICLES, (200, 200)), ("/", (200, 302))):
        for status, *accepted in zip(
            statuses,
            ("application/json", "text/html"),
            ("image/webp,*/*", "text/html,*/*;q=0.8"),
            strict=True,
        ):
            first, second = (send(connection, path, Accept=accept) for accept in accepted)
            assert [first.status, second.status] == [status] * 2
            assert (first.body, first.headers["Vary"]) == (second.body, second.headers["Vary"])
            if path == ARTICLES:
                assert [read_cache(first), read_cache(second)] == ["MISS", "HIT"]
    assert read_cache(send(connection, ARTICLES)) == "HIT"


def test_a_stored_response_has_its_own_request_id(connection, people):
    ids = [send(connection, TAGS).headers.get_all("X-Request-ID") for _ in range(3)]
    assert [len(found) for found in ids] == [1] * 3 and len({found[0] for found in ids}) == 3


def test_a_write_passes_through(connection, people):
    key = people.key(people.admin, "write")
    connection.request(
        "POST", TAGS, '{"name": "New"}', {"X-API-KEY": key, "Content-Type": "application/json"}
    )
    response = connection.getresponse()
    assert (response.status, response.headers["Cache-Control"], bool(response.read())) == (
        201,
        "no-store",
        True,
    )
