"""The field `url` of articles, categories and tags: computed when it is read, and absent without a site."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.delivery.response_cache.cached_blog import add_cache

HOME = "https://blog.example"
FUTURE = "2999-01-01T00:00:00Z"
OWN = f"{ARTICLES}author/me/"


@pytest.fixture
def blog(make_article, make_category, make_tag):
    """The paths of an article, its category and its tag, and the query that selects the address."""
    category, tag = make_category(name="Kitchen"), make_tag("bread")
    article = make_article(title="Rye", category=category, tags=(tag,))
    return {
        "article": f"{ARTICLES}{article.uuid}/",
        "category": f"{CATEGORIES}{category.uuid}/",
        "tag": f"{TAGS}{tag.uuid}/",
    }


def get_url(client, path):
    return client.get(f"{path}?fields=url").json


def test_without_a_site_address_the_field_is_absent(as_reader, blog):
    for path in blog.values():
        assert get_url(as_reader, path) == {}
    assert as_reader.get(f"{ARTICLES}?fields=slug,url").json == [{"slug": "rye"}]
    assert as_reader.get(f"{CATEGORIES}?fields=slug,url").json == [{"slug": "kitchen"}]
    assert as_reader.get(f"{TAGS}?fields=url").json == [{}]


def test_single_items_show_their_address(as_reader, blog, set_site):
    set_site(url=HOME, article_path="/{category}/{year}/{slug}/")
    assert get_url(as_reader, blog["article"]) == {"url": f"{HOME}/kitchen/2026/rye/"}
    assert get_url(as_reader, blog["category"]) == {"url": f"{HOME}/category/kitchen/"}
    assert get_url(as_reader, blog["tag"]) == {"url": f"{HOME}/tag/bread/"}
    shown = as_reader.get(f"{blog['category']}?fields=slug,url,articles").json
    assert list(shown) == ["slug", "url", "articles"]


def test_lists_show_addresses_in_the_documented_order_of_fields(as_reader, blog, set_site):
    set_site(url=HOME)
    article = {"slug": "rye", "html": "<p>Words.</p>\n", "url": f"{HOME}/rye/"}
    (shown,) = as_reader.get(f"{ARTICLES}?fields=url,html,slug").json
    assert list(shown) == list(article) and shown["url"] == article["url"]
    (found,) = as_reader.get(f"{ARTICLES}?fields=url,snippet&q=words").json
    assert found == {"url": f"{HOME}/rye/", "snippet": "<mark>Words</mark>."}
    assert as_reader.get(f"{CATEGORIES}?fields=url,slug&page=1").json == [
        {"slug": "kitchen", "url": f"{HOME}/category/kitchen/"}
    ]
    assert as_reader.get(f"{TAGS}?fields=url").json == [{"url": f"{HOME}/tag/bread/"}]


def test_the_page_of_an_author_is_not_their_own_website(as_admin, as_reader, blog, set_site):
    set_site(url=HOME)
    (ada,) = [author for author in as_admin.get(AUTHORS).json if author["slug"] == "ada"]
    path = f"{AUTHORS}{ada['uuid']}/"
    as_admin.patch(path, json={"url": "https://ada.example"})
    assert as_reader.get(f"{path}?fields=page_url,slug,url").json == {
        **{"slug": "ada", "url": "https://ada.example", "page_url": f"{HOME}/author/ada/"}
    }
    assert as_reader.get(f"{AUTHORS}?fields=page_url").json == [{"page_url": f"{HOME}/author/ada/"}]
    assert as_reader.get(AUTHORS).text.count('"url":') == 1
    shown = as_admin.get(f"{path}?fields=name,slug,url,page_url").json
    assert as_admin.put(path, json=shown).status_code == 200
    set_site(url="")
    assert as_reader.get(f"{path}?fields=page_url").json == {}


def test_documented_responses_have_no_address(as_reader, blog, set_site):
    set_site(url=HOME)
    for path in (*blog.values(), ARTICLES, CATEGORIES, TAGS):
        answer = as_reader.get(path)
        assert (answer.status_code, HOME in answer.text) == (200, False), path


def test_an_admin_sees_the_addresses_of_dated_articles_in_any_status(as_admin, make_article, set_site):
    set_site(url=HOME)
    make_article(status="draft", title="Undated")
    make_article(status="draft", title="Dated", published_at="2026-02-01T00:00:00Z")
    make_article(status="scheduled", title="Scheduled", published_at=FUTURE)
    shown = as_admin.get(f"{OWN}?fields=title,url").json
    assert {article["title"]: article.get("url") for article in shown} == {
        "Undated": None,
        "Dated": f"{HOME}/dated/",
        "Scheduled": f"{HOME}/scheduled/",
    }


@pytest.mark.parametrize("status", ["draft", "scheduled", "archived"])
def test_the_address_of_a_hidden_article_is_shown_to_admins_only(
    as_admin, as_reader, as_published_admin, make_article, set_site, status
):
    set_site(url=HOME)
    date = FUTURE if status == "scheduled" else "2026-02-01T00:00:00Z"
    article = make_article(status="draft")
    path = f"{ARTICLES}{article.uuid}/"
    assert as_admin.patch(path, json={"status": status, "published_at": date}).status_code == 200
    for client in (as_reader, as_published_admin):
        assert client.get(f"{path}?fields=url").status_code == 404
        assert client.get(f"{ARTICLES}?fields=url").json == []
    assert "url" in as_admin.get(f"{path}?fields=url").json


def test_put_accepts_a_response_with_the_address(as_admin, blog, set_site):
    set_site(url=HOME)
    for path in blog.values():
        wide = "uuid,name,slug,url" if path != blog["article"] else "uuid,title,slug,category,tags,url"
        shown = as_admin.get(f"{path}?fields={wide}").json
        assert as_admin.put(path, json=shown).status_code == 200
        assert as_admin.get(f"{path}?fields={wide}").json == shown


@pytest.mark.parametrize("number", [1, 20])
def test_the_address_costs_few_statements_per_response(
    as_reader, make_article, make_tag, set_site, record_statements, number
):
    set_site(url=HOME)
    for _ in range(number):
        article = make_article(tags=(make_tag(),))
    as_reader.get(ARTICLES)
    # All addresses need the site; the slugs of the categories come with the articles.
    for path in (f"{ARTICLES}?page=1&", f"{ARTICLES}{article.uuid}/?", f"{CATEGORIES}?", f"{TAGS}?page=1&"):
        with record_statements() as without:
            as_reader.get(f"{path}fields=slug")
        with record_statements() as with_address:
            as_reader.get(f"{path}fields=slug,url")
        assert len(with_address) - len(without) == 1, path


# Never stale


CHANGES = {
    "site": lambda admin, blog, set_site: set_site(url="https://other.example"),
    "pattern": lambda admin, blog, set_site: set_site(
        article_path="/{slug}", category_path="/{slug}", tag_path="/{slug}"
    ),
    "slug": lambda admin, blog, set_site: [
        admin.patch(path, json={"slug": "new-slug"}) for path in blog.values()
    ],
}


def read_all(client, blog):
    """Return the bodies and ETags of all responses with addresses, each asked for twice."""
    paths = (*blog.values(), ARTICLES, CATEGORIES, TAGS)
    return [
        (response.text, response.headers["ETag"])
        for path in paths
        for response in [client.get(f"{path}?fields=url") for _ in range(2)][1:]
    ]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows_at_once_behind_the_response_cache(
    app, as_admin, as_reader, blog, set_site, monkeypatch, change
):
    set_site(url=HOME)
    cached = add_cache(app, monkeypatch)
    before = read_all(as_reader, blog)
    requests = len(cached.application.paths)
    assert read_all(as_reader, blog) == before
    assert len(cached.application.paths) == requests
    CHANGES[change](as_admin, blog, set_site)
    after = read_all(as_reader, blog)
    assert all(old[0] != new[0] and old[1] != new[1] for old, new in zip(before, after, strict=True))


def test_a_new_slug_of_the_category_changes_the_addresses_of_its_articles(
    app, as_admin, as_reader, blog, set_site, monkeypatch
):
    set_site(url=HOME, article_path="/{category}/{slug}")
    add_cache(app, monkeypatch)
    (old, *_), etag = read_all(as_reader, blog)[0], read_all(as_reader, blog)[0][1]
    as_admin.patch(blog["category"], json={"slug": "cellar"})
    response = as_reader.get(f"{blog['article']}?fields=url", headers={"If-None-Match": etag})
    assert (response.status_code, response.json) == (200, {"url": f"{HOME}/cellar/rye"})
    assert old == f'{{"url":"{HOME}/kitchen/rye"}}'


def test_an_unchanged_address_gets_a_304(as_reader, blog, set_site):
    set_site(url=HOME)
    for path in (*blog.values(), ARTICLES, CATEGORIES, TAGS):
        etag = as_reader.get(f"{path}?fields=url").headers["ETag"]
        again = as_reader.get(f"{path}?fields=url", headers={"If-None-Match": etag})
        assert (again.status_code, again.data) == (304, b"")


def test_an_unknown_article_has_no_address(as_reader, set_site):
    set_site(url=HOME)
    assert as_reader.get(f"{ARTICLES}{uuid4()}/?fields=url").status_code == 404


def test_neighbours_and_related_articles_have_the_addresses_of_their_pages(
    as_reader, make_article, make_category, set_site
):
    category = make_category(name="Bread & co")
    first, second = (
        make_article(category=category, title=title, published_at=f"2026-0{month}-01T00:00:00Z")
        for month, title in ((1, "First"), (2, "Second"))
    )
    path = f"{ARTICLES}{first.uuid}/?fields=next,related"
    shown = as_reader.get(path).json
    assert "url" not in shown["next"] and "url" not in shown["related"][0]
    set_site(url="https://blog.example", article_path="/{category}/{year}/{month}/{slug}")
    shown = as_reader.get(path).json
    address = f"https://blog.example/{category.slug}/2026/02/{second.slug}"
    assert (shown["next"]["url"], shown["related"][0]["url"]) == (address, address)


def test_links_are_the_addresses_of_the_pages_of_category_tags_and_authors(
    as_reader, make_article, make_category, make_tag, set_site
):
    category, tags = make_category(name="Bread & co"), (make_tag("rye"), make_tag("oat"))
    path = f"{ARTICLES}{make_article(category=category, tags=tags).uuid}/"
    assert as_reader.get(f"{path}?fields=title,links").json.keys() == {"title"}
    set_site(url="https://blog.example", tag_path="/tags/{uuid}")
    expected = {
        "category": "https://blog.example/category/bread-co/",
        "tags": [f"https://blog.example/tags/{tag.uuid}" for tag in tags],
        "authors": ["https://blog.example/author/ada/"],
    }
    assert as_reader.get(f"{path}?fields=links").json == {"links": expected}
    assert as_reader.get(f"{ARTICLES}?fields=links").json == [{"links": expected}]
