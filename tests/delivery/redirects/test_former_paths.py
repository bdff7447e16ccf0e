"""Redirects from the paths that imported articles had in another system."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from blogapi.content.articles.models import FormerPath
from blogapi.site.paths import extract_former_path
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES, TAGS
from tests.contracts.client import outcome
from tests.delivery.redirects.test_routes import REDIRECTS
from tests.site.conftest import set_site as set_site


@pytest.fixture
def add_paths(app):
    """Stores former paths of an article."""

    def add(article, *paths):
        with app.app_context(), transaction():
            db.session.add_all(FormerPath(path=path, article_id=article.uuid) for path in paths)

    return add


@pytest.fixture
def pair(make_article, add_paths):
    """Two articles whose former paths have the same last segment."""
    first, second = make_article(slug="a"), make_article(slug="a-2")
    add_paths(first, "/2009/a")
    add_paths(second, "/2012/a")
    return first, second


def find(client, path):
    """Return the current slugs to which a path leads."""
    response = client.get(f"{REDIRECTS}?path={quote(path)}")
    assert response.status_code == 200, response.json
    return [row["new"] for row in response.json]


def test_two_paths_that_end_alike_lead_to_two_articles(as_reader, pair, set_site):
    set_site(url="https://example.org/blog", article_path="/posts/{slug}/")
    rows = as_reader.get(REDIRECTS).json
    assert [(row["old"], row["new"], row["old_url"], row["new_url"]) for row in rows] == [
        ("/2009/a", "a", "https://example.org/2009/a", "https://example.org/blog/posts/a/"),
        ("/2012/a", "a-2", "https://example.org/2012/a", "https://example.org/blog/posts/a-2/"),
    ]
    assert rows[1]["article"] == rows[1]["item"] == str(pair[1].uuid)
    assert as_reader.get(f"{REDIRECTS}?format=netlify").text.splitlines() == [
        "/2009/a /blog/posts/a/ 308",
        "/2012/a /blog/posts/a-2/ 308",
    ]
    assert as_reader.get(f"{REDIRECTS}?format=nginx").text.splitlines()[1] == '"/2012/a" /blog/posts/a-2/;'


@pytest.mark.parametrize("url", ["", "https://example.org", "https://example.org/blog"])
def test_a_path_is_looked_up_as_a_whole(as_reader, pair, set_site, url):
    set_site(url=url, article_path="/posts/{slug}/")
    for path, slugs in (
        *(("/2009/a", ["a"]), ("/2009/a/", ["a"]), ("/2012/a", ["a-2"]), ("/2012/%61", ["a-2"])),
        *(("/a", []), ("/2012", []), ("/2012/", []), ("/2012/a/b", []), ("/2010/a", []), ("/2012/A", [])),
        *(("/", []), ("//2012/a/", []), ("/2012/a?x=1", []), ("/x/../2012/a", []), ("/\ufffd", [])),
    ):
        assert find(as_reader, path) == slugs, path
    assert as_reader.get(f"{REDIRECTS}?path=/2012/a").headers["X-Total-Count"] == "1"
    (row,) = as_reader.get(f"{REDIRECTS}?path=/2012/a").json
    assert ("old_url" in row) == bool(url)


def test_a_lookup_finds_former_slugs_of_all_kinds_by_their_address(
    as_admin, as_reader, make_article, make_tag, set_site
):
    set_site(article_path="/{year}/{category}/{slug}.html", tag_path="/tags/{slug}/")
    article, tag = make_article(slug="first"), make_tag("bread")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    as_admin.patch(f"{TAGS}{tag.uuid}/", json={"slug": "rye"})
    assert find(as_reader, "/2026/shelf/first.html") == ["second"]
    assert find(as_reader, "/tags/bread") == find(as_reader, "/tags/bread/") == ["rye"]
    for path in ("/2025/shelf/first.html", "/2026/other/first.html", "/2026/shelf/second.html", "/tags/rye/"):
        assert find(as_reader, path) == []


def test_an_exact_path_takes_precedence(as_admin, as_reader, make_article, add_paths):
    first, second, third = (make_article(slug=slug) for slug in ("a", "b", "c"))
    add_paths(first, "/old")
    add_paths(second, "/old/")
    as_admin.patch(f"{ARTICLES}{third.uuid}/", json={"slug": "old"})
    as_admin.patch(f"{ARTICLES}{third.uuid}/", json={"slug": "d"})
    assert (find(as_reader, "/old"), find(as_reader, "/old/")) == (["a"], ["b"])


@pytest.mark.parametrize(
    "query", ["path=", "path=a", "path=/a&page=1", "path=/a&format=nginx", "path=/a&path=/b"]
)
def test_a_wrong_lookup_is_refused(as_reader, query):
    assert outcome(as_reader.get(f"{REDIRECTS}?{query}")) == (400, "invalid_query")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/{slug}/", "/live/"),
        ("/{slug}/", "/live"),
        ("/{year}/{month}/{slug}.html", "/2026/01/live.html"),
        ("/{category}/{year}-{slug}", "/shelf/2026-live"),
        ("/p/{slug}/read/", "/p/live/read/"),
        ("/{slug}/{slug}", "/live/live"),
        ("/caf%C3%A9/{slug}", "/café/live"),
        ("/read.html?slug={slug}", "/read.html"),
    ],
)
def test_a_former_path_is_never_the_address_of_a_live_article(
    as_admin, as_reader, make_article, add_paths, set_site, pattern, path
):
    set_site(article_path=pattern)
    moved, live = make_article(slug="moved"), make_article(slug="live", status="draft")
    add_paths(moved, path, "/other/live/")
    if "?" not in pattern:
        # The address of a draft is not known.
        assert [row["old"] for row in as_reader.get(REDIRECTS).json] == sorted([path, "/other/live/"])
    as_admin.patch(
        f"{ARTICLES}{live.uuid}/", json={"status": "published", "published_at": "2026-01-01T00:00:00Z"}
    )
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/other/live/"]
    assert (find(as_reader, path), find(as_reader, "/other/live/")) == ([], ["moved"])
    for name in ("netlify", "nginx"):
        assert len(as_reader.get(f"{REDIRECTS}?format={name}").text.splitlines()) == int("?" not in pattern)


def test_an_article_is_not_redirected_to_itself(as_reader, make_article, add_paths, set_site):
    set_site(article_path="/{slug}/")
    add_paths(make_article(slug="a"), "/a", "/2009/a")
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/2009/a"]
    set_site(article_path="/2009/{slug}/")
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["/a"]


def test_only_public_articles_are_found_by_their_former_paths(
    as_admin, as_reader, make_article, add_paths, set_clock
):
    time = datetime(2999, 1, 1, tzinfo=UTC)
    article = make_article(slug="a", status="draft")
    add_paths(article, "/2009/a")
    for fields in (
        {"status": "draft"},
        {"status": "published", "published_at": time.isoformat()},
        {"status": "archived"},
    ):
        assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json=fields).status_code == 200
        for client in (as_reader, as_admin):
            assert (client.get(REDIRECTS).json, find(client, "/2009/a")) == ([], [])
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"status": "draft"})
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"status": "published"})
    set_clock(time)
    assert find(as_reader, "/2009/a") == ["a"]
    as_admin.delete(f"{ARTICLES}{article.uuid}/")
    assert as_reader.get(REDIRECTS).json == []


def test_many_redirects_take_as_many_statements_as_few(
    as_reader, make_article, add_paths, set_site, record_statements
):
    set_site(article_path="/{year}/{slug}")

    def count(path):
        with record_statements() as statements:
            as_reader.get(path)
        return len(statements)

    articles = [make_article(slug=f"a-{number}") for number in range(12)]
    add_paths(articles[0], "/2009/a")
    paths = (REDIRECTS, f"{REDIRECTS}?path=/2009/a", f"{REDIRECTS}?page=1&page_size=5")
    # The first request stores the use of the key.
    as_reader.get(TAGS)
    few = [count(path) for path in paths]
    for number, article in enumerate(articles):
        add_paths(article, f"/2010/{number}", f"/2011/{number}")
    assert [count(path) for path in paths] == few
    assert max(few) <= 6


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/2009/a", "/2009/a"),
        ("/2009/%E6%9D%B1/", "/2009/東/"),
        ("/a b", "/a b"),
        ("/%FF", "/\ufffd"),
        *(
            (address, None)
            for address in ("", "/", "a", "/?p=1", "/a?b", "/a#b", "/a//b", "/a/../b", "/%00", "/\x7f")
        ),
        ("/" + "é" * 1_001, None),
        ("/" + "é" * 999, "/" + "é" * 999),
    ],
)
def test_an_address_gives_a_former_path(address, path):
    assert extract_former_path(address) == path
