"""Varnish with the configuration of the guide stores public responses, and purges them by tag."""

from __future__ import annotations

import pytest

from blogapi.publication.shared_caching import list_purged_cache_tags
from tests.conftest import ARTICLES, TAGS
from tests.shared_caches.recipes import VARNISH, run_varnish, send

pytestmark = pytest.mark.skipif(VARNISH is None, reason="Varnish is not installed")


@pytest.fixture
def connection(folder, port):
    with run_varnish(folder, port) as connect:
        opened = connect()
        yield opened
        opened.close()


def is_hit(response):
    """Return whether the response comes from the cache: it then has the ids of two requests."""
    return len(response.headers["X-Varnish"].split()) == 2


def test_public_responses_are_stored_and_others_are_not(
    connection, people, deleted_key, admin_cookie, make_article
):
    make_article(title="Draft", status="draft")
    assert [is_hit(send(connection, ARTICLES)) for _ in range(2)] == [False, True]
    for _ in range(2):
        for headers, status in (
            ({"X_API_KEY": people.key(None)}, 200),
            ({"X_API_KEY": deleted_key}, 401),
            ({"X_API_KEY": ""}, 401),
            ({"Cookie": admin_cookie}, 200),
            ({"Cookie": "blogapi_session=forged"}, 401),
        ):
            response = send(connection, ARTICLES, **headers)
            assert (response.status, response.is_public, is_hit(response)) == (status, False, False)
        assert b"Draft" in send(connection, f"{ARTICLES}?status=any", X_API_KEY=people.key(people.admin)).body
        response = send(connection, ARTICLES)
        assert (response.is_public, is_hit(response), b"Draft" in response.body) == (True, True, False)
        assert not {"Cache-Tag", "Surrogate-Key"} & {*response.headers}


def test_a_purge_drops_what_shows_a_changed_item(connection, as_admin, make_article, make_tag):
    tag = make_tag("old")
    article, other = make_article(tags=(tag,)), make_article()
    paths = (f"{ARTICLES}{article.uuid}/", f"{ARTICLES}{other.uuid}/", ARTICLES, TAGS, "/robots.txt")
    for path in paths:
        assert [is_hit(send(connection, path)) for _ in range(2)] == [False, True]
    as_admin.patch(f"{TAGS}{tag.uuid}/", json={"name": "new"})
    tags = " ".join(list_purged_cache_tags("tag", tag.uuid))
    assert send(connection, "/", "PURGE", Surrogate_Key=tags).status == 200
    found = {path: send(connection, path) for path in paths}
    assert [path for path in paths if is_hit(found[path])] == [paths[1], "/robots.txt"]
    assert all(b'"new"' in found[path].body for path in (paths[0], ARTICLES, TAGS))
    assert send(connection, "/", "PURGE", Surrogate_Key=".*").status == 400
    assert is_hit(send(connection, paths[0]))
