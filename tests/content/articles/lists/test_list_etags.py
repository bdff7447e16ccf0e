"""The ETags of lists longer than one chunk."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from blogapi.content.articles.responses import article_bodies
from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.content.articles.conftest import DUE, NUMBER, OWN
from tests.contracts.client import get_stable_headers, outcome


def paths(large):
    return [
        ARTICLES,
        ARTICLES + "?fields=title",
        ARTICLES + "?q=面包",
        f"{CATEGORIES}{large.category}/",
        f"{TAGS}{large.tag}/?fields=slug,articles",
    ]


def etags(read, large, key=None):
    return [read(path, key or large.reader, "HEAD").headers["ETag"] for path in paths(large)]


def test_an_unchanged_long_list_gets_a_304(read, large):
    for path in paths(large):
        first = read(path)
        again = read(path, **{"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"] and "Content-Type" not in again.headers


def test_a_head_request_for_a_long_list_returns_the_same_headers_as_a_get_request(read, large):
    for path in paths(large):
        get, head = read(path), read(path, method="HEAD")
        assert (head.status_code, head.data) == (200, b"")
        assert get_stable_headers(head) == get_stable_headers(get)


@pytest.mark.parametrize(
    "change",
    [
        lambda admin, large, item: admin.patch(item, json={"seo": {"description": "New"}}),
        lambda admin, large, item: admin.patch(item, json={"published_at": "2025-01-01T00:00:00.000001"}),
        lambda admin, large, item: admin.patch(item, json={"status": "draft"}),
        lambda admin, large, item: admin.delete(item),
        lambda admin, large, item: admin.patch(f"{CATEGORIES}{large.category}/", json={"name": "New"}),
        lambda admin, large, item: admin.patch(f"{TAGS}{large.tag}/", json={"slug": "new"}),
        lambda admin, large, item: admin.delete(f"{TAGS}{large.tag}/"),
        lambda admin, large, item: admin.patch(large.ahead, json={"status": "published"}),
    ],
    ids=["seo", "date", "withdrawn", "deleted", "category", "tag", "deleted tag", "new"],
)
def test_every_visible_change_of_a_long_list_changes_its_etag(read, large, admin, change):
    some_paths = paths(large)[:4]
    before = [read(path, method="HEAD").headers["ETag"] for path in some_paths]
    item = f"{ARTICLES}{read(ARTICLES + '?fields=uuid').json[-1]['uuid']}/"
    assert change(admin, large, item).status_code in (200, 204)
    after = [read(path, method="HEAD").headers["ETag"] for path in some_paths]
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_another_version_of_the_code_changes_the_etags_of_long_lists(read, large, make_app, monkeypatch):
    before = etags(read, large)

    def etags_after_restart():
        client = FlaskClient(created := make_app(), created.response_class)
        return [
            client.head(path, headers={"X-API-KEY": large.reader}).headers["ETag"] for path in paths(large)
        ]

    assert etags_after_restart() == before
    monkeypatch.setattr(article_bodies, "RENDERER_VERSION", "of another version")
    assert not set(etags_after_restart()) & set(before)


def test_a_scheduled_article_changes_the_etags_at_its_publication_time(read, large, set_clock):
    before = etags(read, large)
    set_clock(DUE - timedelta(microseconds=1))
    assert etags(read, large) == before
    set_clock(DUE)
    assert not set(etags(read, large)) & set(before)
    shown = read(ARTICLES + "?fields=title,status").json
    assert (len(shown), shown[0]) == (NUMBER + 1, {"title": "Ahead", "status": "published"})


def test_writes_of_hidden_articles_do_not_change_the_etags_for_readers(read, large, admin):
    before, own = etags(read, large), read(OWN, large.admin).headers["ETag"]
    of_admin = read(ARTICLES, large.admin, "HEAD").headers["ETag"]
    body = {"title": "面包", "category": {"slug": "shelf"}, "tags": [{"slug": "bread"}]}
    draft = admin.post(ARTICLES, json=body).headers["Location"]
    admin.patch(draft, json={"title": "New"})
    admin.patch(large.ahead, json={"title": "New"})
    admin.post(ARTICLES, json=body | {"status": "scheduled", "published_at": "2999-01-01"})
    admin.delete(draft)
    assert etags(read, large) == before
    assert read(OWN, large.admin).headers["ETag"] != own
    assert read(ARTICLES, large.admin, "HEAD").headers["ETag"] != of_admin


def test_a_bulk_write_honours_the_etag_of_a_long_list(read, large, admin):
    etag = read(ARTICLES, large.admin).headers["ETag"]
    item = {"uuid": large.ahead.split("/")[-2], "title": "Other"}
    (changed,) = admin.patch(ARTICLES, json=[item], headers={"If-Match": etag}).json
    assert changed["title"] == "Other"
    assert outcome(admin.patch(ARTICLES, json=[item], headers={"If-Match": etag})) == (412, "stale")
