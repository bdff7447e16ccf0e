"""Links to other articles by their uuids, in the responses with the HTML of an article."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from blogapi import blueprints
from tests.conftest import ARTICLES

SITE = "/api/v1/blog/site/"


@pytest.fixture
def site(as_login):
    """The address of the site and the paths of its articles."""
    as_login.patch(SITE, json={"url": "https://blog.example", "article_path": "/{category}/{slug}/"})


@pytest.fixture
def target(make_article):
    """The article to which the others link."""
    return make_article(title="Tide tables")


@pytest.fixture
def link_to(make_article):
    """Return a function that creates a published article with a link to a uuid."""

    def make(uuid, **fields):
        content = f"A [*tide* here](article:{uuid}) goes."
        return make_article(**{"content": content, "content_type": "markdown", **fields})

    return make


def read(client, article):
    return client.get(f"{ARTICLES}{article.uuid}/?fields=html").json["html"]


@pytest.mark.parametrize("fields", ["title,html", "title,custom"])
def test_the_etag_of_a_long_list_changes_with_an_unlisted_item(
    site, as_admin, as_login, as_reader, make_article, link_to, monkeypatch, fields
):
    monkeypatch.setattr("blogapi.content.articles.responses.article_bodies.CHUNK_SIZE", 2)
    target = make_article(title="Gem", status="unlisted")
    as_login.post("/api/v1/blog/fields/", json={"name": "next", "label": "Next", "type": "article"})
    for number in range(3):
        path = f"{ARTICLES}{link_to(target.uuid, title=f'Linking {number}').uuid}/"
        assert as_admin.patch(path, json={"custom": {"next": str(target.uuid)}}).status_code == 200
    address = f"{ARTICLES}?fields={fields}"
    first = as_reader.get(address)
    again = as_reader.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert as_admin.patch(f"{ARTICLES}{target.uuid}/", json={"status": "draft"}).status_code == 200
    changed = as_reader.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200 and changed.json != first.json


def make_html(address):
    return f'<p>A <a href="{address}"><em>tide</em> here</a> goes.</p>\n'


PLAIN = "<p>A <em>tide</em> here goes.</p>\n"


def test_a_link_leads_to_the_current_address_of_the_article(site, as_admin, as_reader, target, link_to):
    article = link_to(target.uuid)
    assert read(as_reader, article) == make_html("https://blog.example/shelf/tide-tables/")
    as_admin.patch(f"{ARTICLES}{target.uuid}/", json={"slug": "low-and-high"})
    before = as_reader.get(f"{ARTICLES}{article.uuid}/?fields=html")
    assert before.json["html"] == make_html("https://blog.example/shelf/low-and-high/")
    as_admin.patch(f"/api/v1/blog/categories/{target.category_id}/", json={"slug": "sea"})
    after = as_reader.get(f"{ARTICLES}{article.uuid}/?fields=html")
    assert after.json["html"] == make_html("https://blog.example/sea/low-and-high/")
    assert before.headers["ETag"] != after.headers["ETag"]
    # What the author wrote stays as it is.
    assert (
        as_reader.get(f"{ARTICLES}{article.uuid}/").json["content"].endswith(f"(article:{target.uuid}) goes.")
    )


def test_without_an_address_of_the_site_a_link_is_a_path(as_reader, target, link_to):
    assert read(as_reader, link_to(target.uuid)) == make_html("/tide-tables/")


@pytest.mark.parametrize("status", ["draft", "archived"])
@pytest.mark.parametrize("caller", ["as_reader", "as_admin"])
def test_a_link_to_an_article_that_readers_cannot_see_is_its_text(
    request, site, as_admin, target, link_to, status, caller
):
    article, path = link_to(target.uuid), f"{ARTICLES}{target.uuid}/"
    as_admin.patch(path, json={"status": status})
    assert read(request.getfixturevalue(caller), article) == PLAIN
    as_admin.delete(path)
    assert read(request.getfixturevalue(caller), article) == PLAIN


def test_a_link_to_a_scheduled_article_begins_with_its_time(
    site, as_reader, make_article, link_to, set_clock
):
    target = make_article(title="Later", published_at="2100-01-01T00:00:00Z")
    article = link_to(target.uuid)
    assert read(as_reader, article) == PLAIN
    set_clock(datetime(2100, 1, 1, tzinfo=UTC))
    assert read(as_reader, article) == make_html("https://blog.example/shelf/later/")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            '<a title="T" href=" ARTICLE:{upper}#a&b ">x</a>',
            '<a title="T" href="/tide-tables/#a&amp;b">x</a>',
        ),
        ('<a href="article:{uuid}" rel="nofollow">"x"</a>', '<a href="/tide-tables/" rel="nofollow">"x"</a>'),
        ('<a href="article:{uuid}">a</a> <a href="article:{none}">b</a>', '<a href="/tide-tables/">a</a> b'),
        ("<code>article:{uuid}</code>", "<code>article:{uuid}</code>"),
        ('<a href="article:{uuid}/x">x</a>', "x"),
        ('<a href="article:x">x</a>', "x"),
        ('<a href="art&#10;icle:{uuid}">x</a>', "x"),
        ('<img src="article:{uuid}" alt="x">', '<img alt="x">'),
        ('<video src="article:{uuid}"></video>', "<video></video>"),
        ('<q cite="article:{uuid}">x</q>', "<q>x</q>"),
        ('<img srcset="article:{uuid} 2x" alt="">', '<img alt="">'),
    ],
)
def test_references_in_html(as_reader, make_article, target, written, shown):
    names = {"uuid": target.uuid, "upper": str(target.uuid).upper(), "none": uuid4()}
    article = make_article(content=written.format(**names), content_type="html")
    assert read(as_reader, article) == shown.format(**names)


def test_an_address_that_needs_escaping(as_login, as_reader, target, link_to):
    as_login.patch(SITE, json={"url": "https://blog.example", "article_path": "/a'&/{slug}"})
    assert read(as_reader, link_to(target.uuid)) == make_html("https://blog.example/a&#x27;&amp;/tide-tables")


def test_the_preview_of_a_text_shows_what_readers_see(as_admin, target):
    def render(uuid):
        body = {"content": f"A [*tide* here](article:{uuid}) goes.", "content_type": "markdown"}
        return as_admin.post("/api/v1/blog/render/", json=body).json["html"]

    assert render(target.uuid) == make_html("/tide-tables/")
    assert render(uuid4()) == PLAIN


def test_feeds_and_preview_pages_have_the_address(site, as_admin, as_stranger, target, link_to):
    article = link_to(target.uuid)
    address = "https://blog.example/shelf/tide-tables/"
    assert repr(make_html(address)) in str(as_stranger.get("/feeds/feed.json").json["items"])
    link = as_admin.post(f"{ARTICLES}{article.uuid}/preview/").json["url"]
    page = as_stranger.get(link, headers={"Accept": "text/html"})
    assert make_html(address) in page.text


def test_a_list_finds_all_addresses_with_one_statement(as_reader, target, link_to, record_statements):
    def count():
        with record_statements() as statements:
            html = [item["html"] for item in as_reader.get(f"{ARTICLES}?fields=html").json]
        assert html.count(make_html("/tide-tables/")) == len(html) - 1
        return len(statements)

    # The first request stores when the key was used.
    as_reader.get(ARTICLES)
    link_to(target.uuid)
    before = count()
    for _ in range(5):
        link_to(target.uuid)
    assert count() == before


def test_a_change_of_the_target_purges_the_page_that_links_to_it(app, site, as_stranger, target, link_to):
    app.config["PUBLIC_READS"] = True
    blueprints.store_operations(app)
    article = link_to(target.uuid)
    tags = as_stranger.get(f"{ARTICLES}{article.uuid}/?fields=html").headers["Surrogate-Key"].split()
    assert {f"article-{article.uuid}", f"article-{target.uuid}", f"category-{target.category_id}"} <= {*tags}
    others = as_stranger.get(f"{ARTICLES}{article.uuid}/?fields=title").headers["Surrogate-Key"].split()
    assert f"article-{target.uuid}" not in others


PAGES = "/api/v1/blog/pages/"


@pytest.fixture
def page(as_admin):
    """A page below another one, to which articles link."""
    above = as_admin.post(PAGES, json={"title": "About", "status": "published"}).json["uuid"]
    return as_admin.post(PAGES, json={"title": "Tides", "status": "published", "parent": above}).json


def test_a_link_leads_to_the_current_address_of_a_page(site, as_admin, as_reader, page, target, link_to):
    article = link_to(page["uuid"])
    assert read(as_reader, article) == make_html("https://blog.example/about/tides/")
    as_admin.patch(f"{PAGES}{page['parent']}/", json={"slug": "us"})
    before = as_reader.get(f"{ARTICLES}{article.uuid}/?fields=html")
    assert before.json["html"] == make_html("https://blog.example/us/tides/")
    as_admin.patch(f"{PAGES}{page['uuid']}/", json={"parent": None})
    after = as_reader.get(f"{ARTICLES}{article.uuid}/?fields=html")
    assert after.json["html"] == make_html("https://blog.example/tides/")
    assert before.headers["ETag"] != after.headers["ETag"]
    as_admin.patch(f"{PAGES}{page['uuid']}/", json={"status": "draft"})
    assert read(as_reader, article) == PLAIN


def test_the_text_of_a_page_links_to_articles_and_pages(site, as_admin, as_reader, page, target):
    content = f"[a](article:{target.uuid}) [b](article:{page['uuid']}#low)"
    body = {"content": content, "content_type": "markdown"}
    as_admin.patch(f"{PAGES}{page['uuid']}/", json=body)
    assert as_reader.get(f"{PAGES}tides/?fields=html").json["html"] == (
        '<p><a href="https://blog.example/shelf/tide-tables/">a</a> '
        '<a href="https://blog.example/about/tides/#low">b</a></p>\n'
    )


def test_a_change_of_a_page_purges_what_links_to_it(app, site, as_stranger, page, target, link_to):
    app.config["PUBLIC_READS"] = True
    blueprints.store_operations(app)
    article = link_to(page["uuid"], content=f"[a](article:{page['uuid']}) [b](article:{target.uuid})")
    tags = as_stranger.get(f"{ARTICLES}{article.uuid}/?fields=html").headers["Surrogate-Key"].split()
    assert {f"page-{page['uuid']}", f"article-{target.uuid}", f"category-{target.category_id}"} <= {*tags}
    assert not [tag for tag in tags if "None" in tag]
    for path in (PAGES, f"{PAGES}{page['uuid']}/?fields=html"):
        tags = as_stranger.get(path).headers["Surrogate-Key"].split()
        assert {"pages", "articles", "categories"} <= {*tags}


def test_a_list_finds_the_addresses_of_pages_with_two_statements(
    as_admin, as_reader, page, link_to, record_statements
):
    other = as_admin.post(PAGES, json={"title": "Other", "status": "published"}).json
    counts = []
    as_reader.get(ARTICLES)
    for uuid in (page["uuid"], other["uuid"], other["uuid"]):
        link_to(uuid)
        with record_statements() as statements:
            html = as_reader.get(f"{ARTICLES}?fields=html").text
        counts.append(len(statements))
    assert "/about/tides/" in html and "/other/" in html
    assert len({*counts}) == 1
