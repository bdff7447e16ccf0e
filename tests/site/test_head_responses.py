"""Who sees the field `head`, what it costs, and that it is never stale."""

from __future__ import annotations

import pytest

from blogapi.content.articles.responses import article_bodies
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.delivery.response_cache.cached_blog import add_cache

HOME = "https://blog.example"
FUTURE = "2999-01-01T00:00:00Z"


def get_head(client, article):
    return client.get(f"{ARTICLES}{article.uuid}/?fields=head").json["head"]


# Visibility


@pytest.mark.parametrize("status", ["draft", "scheduled", "archived"])
def test_an_article_that_is_not_public_is_not_indexed_and_shown_to_admins_only(
    as_admin, as_reader, as_published_admin, as_member, make_article, status
):
    article = make_article(status="draft", title="Secret")
    date = FUTURE if status == "scheduled" else "2026-02-01T00:00:00Z"
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"status": status, "published_at": date})
    head = get_head(as_admin, article)
    assert head["robots"] == "noindex" and '<meta name="robots" content="noindex">' in head["html"]
    for client in (as_reader, as_published_admin, as_member):
        assert client.get(f"{ARTICLES}{article.uuid}/?fields=head").status_code == 404
        listed = client.get(f"{ARTICLES}?fields=head")
        assert (listed.status_code, "Secret" in listed.text) == (200, False)


def test_a_preview_is_not_indexed(as_admin, as_stranger, make_article):
    article = make_article(status="draft")
    link = as_admin.post(f"{ARTICLES}{article.uuid}/preview/").json["api_url"]
    assert as_stranger.get(f"{link}?fields=head").json["head"]["robots"] == "noindex"


# Costs and caching


@pytest.mark.parametrize("number", [1, 20])
def test_the_head_costs_three_statements_per_response(
    as_reader, make_article, make_tag, add_author, record_statements, number
):
    for index in range(number):
        article = make_article(tags=(make_tag(),))
        add_author(article, f"Guest {index}", position=7)
    as_reader.get(ARTICLES)
    for path in (f"{ARTICLES}?page=1&", f"{ARTICLES}{article.uuid}/?"):
        with record_statements() as without:
            as_reader.get(f"{path}fields=slug")
        with record_statements() as with_head:
            as_reader.get(f"{path}fields=slug,url,head")
        # One of them reads the terms.
        assert len(with_head) - len(without) == 3


CHANGES = {
    "site": lambda admin, rye: admin.patch("/api/v1/blog/site/", json={"title": "New"}),
    "category": lambda admin, rye: admin.patch(f"{CATEGORIES}{rye.category_id}/", json={"name": "New"}),
    "tag": lambda admin, rye: admin.patch(f"{TAGS}{admin.get(TAGS).json[0]['uuid']}/", json={"name": "New"}),
    "article": lambda admin, rye: admin.patch(f"{ARTICLES}{rye.uuid}/", json={"seo": {"title": "New"}}),
}


@pytest.mark.parametrize("change", [*CHANGES, "author"])
def test_a_change_shows_at_once_behind_the_response_cache(
    app, as_login, as_reader, rye, add_author, monkeypatch, change
):
    author = add_author(rye, "Emmy")
    cached = add_cache(app, monkeypatch)
    paths = [f"{ARTICLES}{rye.uuid}/?fields=head", f"{ARTICLES}?fields=head"]
    before = [[as_reader.get(path) for _ in range(2)][1] for path in paths]
    requests = len(cached.application.paths)
    assert [as_reader.get(path).text for path in paths] == [response.text for response in before]
    assert len(cached.application.paths) == requests
    if change == "author":
        assert as_login.patch(f"{AUTHORS}{author}/", json={"name": "New"}).status_code == 200
    else:
        assert CHANGES[change](as_login, rye).status_code == 200
    for path, old in zip(paths, before, strict=True):
        new = as_reader.get(path, headers={"If-None-Match": old.headers["ETag"]})
        assert new.status_code == 200 and "New" in new.text
        again = as_reader.get(path, headers={"If-None-Match": new.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("change", [*CHANGES, "author"])
def test_a_long_list_shows_all_heads_and_its_etag_changes_with_the_names(
    as_login, as_reader, app, rye, make_article, add_author, set_site, monkeypatch, change
):
    set_site(url=HOME)
    author = add_author(rye, "Emmy")
    for number in range(4):
        make_article(title=f"Article {number}", slug=f"article-{number}")
    monkeypatch.setattr(article_bodies, "CHUNK_SIZE", 2)
    path = f"{ARTICLES}?fields=slug,url,head"
    before = as_reader.get(path)
    assert [article["head"]["canonical"] for article in before.json] == [
        f"{HOME}/{article['slug']}/" for article in before.json
    ]
    assert len(before.json) == 5
    etag = {"If-None-Match": before.headers["ETag"]}
    assert as_reader.get(path, headers=etag).status_code == 304
    if change == "author":
        assert as_login.patch(f"{AUTHORS}{author}/", json={"name": "New"}).status_code == 200
    else:
        assert CHANGES[change](as_login, rye).status_code == 200
    after = as_reader.get(path, headers=etag)
    assert after.status_code == 200 and "New" in after.text
