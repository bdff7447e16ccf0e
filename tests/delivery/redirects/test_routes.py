"""Former slugs and the list of redirects."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import outcome
from tests.site.conftest import set_site as set_site

REDIRECTS = "/api/v1/blog/redirects/"


@pytest.fixture
def renamed_article(as_admin, make_article):
    """A public article whose slug was `first` and is now `second`."""
    article = make_article(slug="first")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    return article


def test_a_former_slug_still_finds_its_article(as_reader, renamed_article):
    for slug in ("first", "second"):
        assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug={slug}").json] == ["second"]


def test_the_list_shows_each_former_slug_with_the_current_slug(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"slug": "third"})
    expected = [(row["old"], row["new"], row["article"]) for row in as_reader.get(REDIRECTS).json]
    assert expected == [
        ("first", "third", str(renamed_article.uuid)),
        ("second", "third", str(renamed_article.uuid)),
    ]
    assert as_reader.get(f"{REDIRECTS}?page=2&page_size=1&fields=old").json == [{"old": "second"}]


def test_a_former_slug_that_the_article_uses_again_is_not_a_redirect(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"slug": "first"})
    assert [row["old"] for row in as_reader.get(REDIRECTS).json] == ["second"]


def test_a_draft_cannot_take_a_former_slug(as_admin, as_reader, renamed_article):
    body = {"title": "x", "slug": "first", "category": {"uuid": str(renamed_article.category_id)}}
    response = as_admin.post(ARTICLES, json=body)
    assert (response.status_code, response.json["code"]) == (409, "slug_taken")
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=first").json] == ["second"]


def test_a_derived_slug_gets_a_number_if_it_equals_a_former_slug(as_admin, renamed_article, make_article):
    assert make_article(title="First").slug == "first-2"


def test_a_derived_slug_with_a_number_also_differs_from_former_slugs(as_admin, as_reader, make_article):
    article = make_article(slug="first-2")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "second"})
    assert [make_article(title="First").slug for _ in range(2)] == ["first", "first-3"]
    assert [found["slug"] for found in as_reader.get(f"{ARTICLES}?slug=first-2").json] == ["second"]


def test_a_renamed_draft_makes_no_redirect(as_admin, as_reader, make_article):
    article = make_article(slug="secret", status="draft")
    for body in ({"slug": "other"}, {"status": "published"}):
        assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json=body).status_code == 200
    assert as_reader.get(REDIRECTS).json == []


def test_an_article_that_is_no_longer_public_has_no_redirects(as_admin, as_reader, renamed_article):
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"status": "archived"})
    assert as_reader.get(REDIRECTS).json == []
    assert as_reader.get(f"{ARTICLES}?slug=first").json == []


def test_a_scheduled_article_has_no_redirects_before_its_publication_time(
    as_admin, as_reader, renamed_article, set_clock
):
    time = datetime(2999, 1, 1, tzinfo=UTC)
    as_admin.patch(f"{ARTICLES}{renamed_article.uuid}/", json={"published_at": time.isoformat()})
    for now, expected in ((time - timedelta.resolution, []), (time, ["first"])):
        set_clock(now)
        assert [row["old"] for row in as_reader.get(REDIRECTS).json] == expected
        assert len(as_reader.get(f"{ARTICLES}?slug=first").json) == len(expected)


def test_redirects_are_ordered_by_former_slug_and_show_the_time_of_the_change(
    as_admin, as_reader, make_article, set_clock
):
    for year, slug in ((2031, "b"), (2032, "c"), (2033, "a")):
        set_clock(datetime(year, 1, 1, tzinfo=UTC))
        path = f"{ARTICLES}{make_article(slug=slug).uuid}/"
        as_admin.patch(path, json={"slug": f"new-{slug}"})
    listed = as_reader.get(REDIRECTS).json
    assert [(row["old"], row["new"], row["created"][:4]) for row in listed] == [
        *(("a", "new-a", "2033"), ("b", "new-b", "2031"), ("c", "new-c", "2032")),
    ]
    assert as_reader.get(f"{REDIRECTS}?page=2&page_size=2").headers["X-Total-Count"] == "3"


def test_the_former_slugs_of_a_deleted_article_can_be_used_again(
    as_admin, as_reader, renamed_article, make_article
):
    as_admin.delete(f"{ARTICLES}{renamed_article.uuid}/")
    assert as_reader.get(REDIRECTS).json == []
    assert make_article(title="First").slug == "first"


# Other kinds


@pytest.fixture
def make_author(as_admin, make_guest):
    """Stores an author with a former slug, and gives the articles this author."""

    def make(*articles, slug="ada-lovelace", former="ada-byron"):
        author = make_guest("Ada", slug=former).uuid
        assert as_admin.patch(f"{AUTHORS}{author}/", json={"slug": slug}).status_code == 200
        for article in articles:
            body = {"authors": [{"uuid": str(author)}]}
            assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json=body).status_code == 200
        return author

    return make


@pytest.fixture
def renamed_items(as_admin, make_article, make_category, make_tag, make_author):
    """The uuid of one renamed item of each kind."""
    category, tag = make_category(name="Kitchen"), make_tag("dough")
    article = make_article(category=category, slug="bread")
    for path, slug in (
        (f"{ARTICLES}{article.uuid}/", "rye-bread"),
        (f"{CATEGORIES}{category.uuid}/", "cooking"),
        (f"{TAGS}{tag.uuid}/", "sour-dough"),
    ):
        assert as_admin.patch(path, json={"slug": slug}).status_code == 200
    items = {
        "article": article.uuid,
        "category": category.uuid,
        "tag": tag.uuid,
        "author": make_author(article),
    }
    return {kind: str(uuid) for kind, uuid in items.items()}


@pytest.mark.parametrize(
    "caller", ["as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin"]
)
def test_the_list_contains_the_former_slugs_of_all_kinds(request, renamed_items, caller):
    rows = request.getfixturevalue(caller).get(REDIRECTS).json
    assert [(row["kind"], row["old"], row["new"], row["item"], row["article"]) for row in rows] == [
        ("author", "ada-byron", "ada-lovelace", renamed_items["author"], None),
        ("article", "bread", "rye-bread", renamed_items["article"], renamed_items["article"]),
        ("tag", "dough", "sour-dough", renamed_items["tag"], None),
        ("category", "kitchen", "cooking", renamed_items["category"], None),
    ]
    assert all("old_url" not in row and "new_url" not in row for row in rows)


def test_the_list_needs_credentials(as_stranger, renamed_items):
    for query in ("", "?format=netlify"):
        assert outcome(as_stranger.get(f"{REDIRECTS}{query}")) == (401, "key_missing")


@pytest.mark.parametrize("caller", ["as_reader", "as_published_admin", "as_member", "as_admin"])
def test_an_author_without_public_articles_has_no_redirects(request, caller, make_author, make_article):
    make_author(make_article(status="draft"), make_article(published_at="2999-01-01T00:00:00Z"))
    client = request.getfixturevalue(caller)
    assert client.get(REDIRECTS).json == []
    assert client.get(f"{REDIRECTS}?format=nginx").text == ""


def test_the_list_has_pages_over_all_kinds(as_reader, renamed_items):
    pages = [as_reader.get(f"{REDIRECTS}?page={page}&page_size=3&fields=kind,old") for page in (1, 2, 3)]
    assert [[row["old"] for row in page.json] for page in pages] == [
        ["ada-byron", "bread", "dough"],
        ["kitchen"],
        [],
    ]
    assert pages[0].headers["X-Total-Count"] == "4"
    assert pages[0].json[0] == {"kind": "author", "old": "ada-byron"}


def test_the_rows_contain_the_addresses_of_the_pages(as_reader, renamed_items, set_site):
    set_site(url="https://example.org", article_path="/{year}/{category}/{slug}/")
    rows = {row["kind"]: (row["old_url"], row["new_url"]) for row in as_reader.get(REDIRECTS).json}
    assert rows == {
        "article": ("https://example.org/2026/cooking/bread/", "https://example.org/2026/cooking/rye-bread/"),
        "category": ("https://example.org/category/kitchen/", "https://example.org/category/cooking/"),
        "tag": ("https://example.org/tag/dough/", "https://example.org/tag/sour-dough/"),
        "author": ("https://example.org/author/ada-byron/", "https://example.org/author/ada-lovelace/"),
    }
    assert as_reader.get(f"{REDIRECTS}?fields=old_url&page_size=1").json == [
        {"old_url": "https://example.org/author/ada-byron/"}
    ]


# Formats


def test_the_netlify_format_has_one_line_per_redirect(as_reader, renamed_items):
    response = as_reader.get(f"{REDIRECTS}?format=netlify")
    assert response.content_type == "text/plain; charset=utf-8"
    assert response.text.splitlines() == [
        "/author/ada-byron/ /author/ada-lovelace/ 308",
        "/bread/ /rye-bread/ 308",
        "/tag/dough/ /tag/sour-dough/ 308",
        "/category/kitchen/ /category/cooking/ 308",
    ]
    again = as_reader.get(f"{REDIRECTS}?format=netlify", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


def test_the_nginx_format_has_one_line_per_redirect(as_reader, renamed_items, set_site):
    set_site(url="https://example.org/blog", article_path="/{year}/{slug}")
    lines = as_reader.get(f"{REDIRECTS}?format=nginx").text.splitlines()
    assert lines[1] == '"/blog/2026/bread" /blog/2026/rye-bread;'
    assert len(lines) == 4


def test_a_format_can_be_read_in_pages(as_reader, renamed_items):
    text = as_reader.get(f"{REDIRECTS}?format=netlify&page=2&page_size=3").text
    assert text == "/category/kitchen/ /category/cooking/ 308\n"


@pytest.mark.parametrize(
    "query", ["format=", "format=caddy", "format=nginx&fields=old", "format=nginx&format=netlify"]
)
def test_an_unknown_format_and_a_format_with_fields_are_refused(as_reader, query):
    assert outcome(as_reader.get(f"{REDIRECTS}?{query}")) == (400, "invalid_query")


@pytest.mark.parametrize("name", ["netlify", "nginx"])
@pytest.mark.parametrize(
    "pattern",
    [
        "/post?slug={slug}",
        "/#/{slug}",
        "/{uuid}/",
        "/a%0a{slug}/",
        "/%2fevil.example/{slug}",
        "/..%2f{slug}",
        "/./{slug}",
    ],
)
def test_a_format_omits_addresses_that_a_server_cannot_redirect(
    as_reader, renamed_article, set_site, name, pattern
):
    set_site(article_path=pattern)
    assert as_reader.get(f"{REDIRECTS}?format={name}").text == ""


@pytest.mark.parametrize("name", ["netlify", "nginx"])
def test_a_format_contains_no_loop_and_each_path_once(
    as_admin, as_reader, renamed_article, make_tag, set_site, name
):
    set_site(tag_path="/{slug}/")
    for slugs in (("first", "other"), ("second", "first-tag")):
        tag = make_tag(slugs[0])
        as_admin.patch(f"{TAGS}{tag.uuid}/", json={"slug": slugs[1]})
    # `/first/` was the address of an article and of a tag, and `/second/` is the address of the article.
    lines = as_reader.get(f"{REDIRECTS}?format={name}").text.splitlines()
    assert len(lines) == 1 and "/first/" in lines[0] and "/second/" in lines[0]


HOSTILE_PATTERNS = [
    *(
        '/a"b\\c/{slug}/',
        "/$uri;{slug}}",
        "/a b/{slug}",
        "/:splat/*/{slug}",
        "/~^.*/{slug}",
        "/caf%C3%A9/é/{slug}/",
    ),
    *("/#{slug}".replace("#", "%23"), "/%25{slug}", "/'{slug}'"),
]


@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS)
def test_no_pattern_adds_words_to_a_netlify_line(as_reader, renamed_article, set_site, pattern):
    set_site(article_path=pattern)
    (line,) = as_reader.get(f"{REDIRECTS}?format=netlify").text.splitlines()
    assert re.fullmatch(r"/[\w./~%-]+ /[\w./~%-]+ 308", line, re.ASCII), line
