"""The page without a build step, on another origin than the service, as a visitor uses it in Chromium."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.browser import PageOpener
from tests.frontend.conftest import CORPUS, open_blog

pytestmark = pytest.mark.once

PAGE = Path(__file__).parent / "page"
BREAD = "the-bread-that-waits-for-me"
PATHS = {f"{kind}_path": f"/?{kind}={{slug}}" for kind in ("article", "category", "tag", "author")}
PATHS["preview_url"] = "/"


def publish(blog):
    """Publish the page with the address of the service and a key."""
    shutil.copy(PAGE / "blog.js", blog.folder)
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    html = html.replace("http://127.0.0.1:8000", blog.service_url).replace("blogapi_…", blog.create_key())
    (blog.folder / "index.html").write_text(html, encoding="utf-8")
    blog.set_site(**PATHS)


@pytest.fixture(scope="module", autouse=True)
def site(blog):
    """The page of the sample blog."""
    publish(blog)


@pytest.fixture
def visit(open_site):
    """Opens an address of the page and waits until it is complete."""

    def open_address(address="/"):
        page = open_site(address)
        wait(page)
        return page

    return open_address


def wait(page):
    """Wait until the page is complete."""
    page.locator("main[data-state=ready]").wait_for()


def click(page, locator):
    """Click on a link and wait until the next page is complete."""
    with page.expect_navigation():
        locator.click()
    wait(page)


def list_titles(page):
    return page.locator("main article h2").all_inner_texts()


def get_slug(blog, title):
    (found,) = (one for one in blog.admin.get("/api/v1/blog/articles/").json if one["title"] == title)
    return found["slug"]


def test_the_index_is_paged_and_shows_the_site(blog, visit):
    expected = [article["title"] for article in blog.admin.get("/api/v1/blog/articles/").json]
    page = visit()
    assert page.locator("html").get_attribute("lang") == "en-GB"
    assert page.title() == page.locator("h1").inner_text() == "Harbour & Home"
    assert page.get_by_role("link", name="Start").get_attribute("href") == f"{blog.site_url}/"
    found = list_titles(page)
    while page.get_by_role("link", name="Older", exact=True).count():
        click(page, page.get_by_role("link", name="Older", exact=True))
        found += list_titles(page)
    assert found == expected and len(found) > 5
    click(page, page.get_by_role("link", name="Newer", exact=True))
    assert f"{len(expected)} articles, page" in page.get_by_role("navigation", name="Pages").inner_text()


def test_an_article_is_complete(blog, visit):
    page = visit()
    click(page, page.get_by_role("link", name="Older", exact=True))
    title = list_titles(page)[0]
    click(page, page.get_by_role("link", name=title))
    slug = get_slug(blog, title)
    fields = "*,html,toc,authors,head,url,published_at,previous,next,related"
    article = blog.admin.get(f"/api/v1/blog/articles/{slug}/?fields={fields}").json
    assert page.locator("h1").inner_text() == title
    assert page.locator(".byline a").all_inner_texts() == [author["name"] for author in article["authors"]]
    assert page.locator(".byline time").get_attribute("datetime") == article["published_at"]
    as_parsed = "html => Object.assign(document.createElement('div'), {innerHTML: html}).innerHTML"
    assert page.locator(".content").inner_html() == page.evaluate(as_parsed, article["html"])
    contents = page.get_by_role("navigation", name="Contents").locator("li")
    assert contents.all_inner_texts() == [entry["text"] for entry in article["toc"]]
    assert page.locator(".tags a").all_inner_texts() == [f"#{tag['name']}" for tag in article["tags"]]
    assert page.locator("aside li").all_inner_texts() == [other["title"] for other in article["related"]]
    neighbours = page.get_by_role("navigation", name="Neighbours")
    assert neighbours.locator("[rel=previous]").inner_text() == article["previous"]["title"]
    click(page, neighbours.locator("[rel=next]"))
    assert page.locator("h1").inner_text() == article["next"]["title"]


def test_the_head_of_an_article_has_the_canonical_address_and_json_ld(blog, visit):
    page = visit(f"/?article={BREAD}")
    assert page.locator("head title").count() == 1
    assert page.locator("link[rel=canonical]").get_attribute("href") == page.url
    assert page.locator("meta[property='og:url']").get_attribute("content") == page.url
    json_ld = json.loads(page.locator("script[type='application/ld+json']").inner_text())
    assert [item["@type"] for item in json_ld["@graph"]] == ["BlogPosting", "BreadcrumbList"]
    assert json_ld["@graph"][0]["publisher"]["name"] == "Harbour & Home"


def test_a_category_a_tag_and_an_author_show_their_articles(blog, visit):
    page = visit(f"/?article={BREAD}")
    for kind, css in (("category", "main > p:first-child a"), ("tag", ".tags a"), ("author", ".byline a")):
        name = page.locator(css).first.inner_text().removeprefix("#")
        click(page, page.locator(css).first)
        slug = re.search(rf"\?{kind}=([\w-]+)$", page.url)[1]
        assert page.locator("h1").inner_text() == name
        articles = blog.admin.get(f"/api/v1/blog/articles/?{kind}={slug}&page=1&page_size=5")
        assert list_titles(page) == [article["title"] for article in articles.json]
        total = articles.headers["X-Total-Count"]
        assert f"{total} articles" in page.get_by_role("navigation", name="Pages").inner_text()
        feed = page.locator("link[type='application/rss+xml']").get_attribute("href")
        assert feed.endswith(f"/feeds/rss.xml?{kind}={slug}")
        page.go_back()
        wait(page)


def test_a_search_shows_the_matches(visit):
    page = visit()
    page.get_by_role("searchbox").fill("bread <b>")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**/?q=*")
    wait(page)
    assert page.locator("h1").inner_text() == "Search: bread <b>"
    page.goto("/?q=bread")
    wait(page)
    assert "bread" in page.locator("main mark").first.inner_text().lower()
    assert page.get_by_role("searchbox").input_value() == "bread"


def test_the_feeds_of_a_category_are_linked(visit):
    page = visit("/?category=kitchen")
    for name in ("RSS", "Atom", "JSON Feed"):
        link = page.locator("body > footer > .feeds").get_by_role("link", name=name)
        response = page.request.get(link.get_attribute("href"))
        assert (response.status, "The bread that waits for me" in response.text()) == (200, True)
        assert "Kitchen - Harbour & Home" in response.text().replace("&amp;", "&")


def test_a_former_slug_leads_to_the_current_address(blog, visit):
    articles, tags = "/api/v1/blog/articles/", "/api/v1/blog/tags/"
    for path, kind, old in ((articles, "article", "a-note-on-the-foghorn"), (tags, "tag", "bicycles")):
        (item,) = blog.admin.get(f"{path}?slug={old}").json
        assert blog.admin.patch(f"{path}{item['uuid']}/", json={"slug": f"renamed-{kind}"}).status_code == 200
        page = visit(f"/?{kind}={old}")
        assert page.url == f"{blog.site_url}/?{kind}=renamed-{kind}"
        assert page.locator("h1").inner_text() == item.get("title", item.get("name"))


def test_an_address_of_another_origin_is_not_shown(blog, visit):
    """The browser refuses it, for example on a copy of the page under another name."""
    (tag,) = blog.admin.get("/api/v1/blog/tags/?slug=radio").json
    assert blog.admin.patch(f"/api/v1/blog/tags/{tag['uuid']}/", json={"slug": "wireless"}).status_code == 200
    blog.set_site(url="https://blog.example")
    try:
        page = visit("/?tag=radio")
        assert page.locator("h1").inner_text() == tag["name"]
        assert page.url == f"{blog.site_url}/?tag=radio"
    finally:
        blog.set_site(url=blog.site_url)


def test_pictures_fit_a_phone(blog, open_site):
    picture = f"{blog.service_url}/docs/static/editor.webp"
    article = {"title": "Wide", "content": f'<p><img src="{picture}"></p>', "category": {"slug": "kitchen"}}
    article |= {"cover_image": picture, "status": "published", "content_type": "html"}
    made = blog.admin.post("/api/v1/blog/articles/", json=article)
    assert made.status_code == 201
    page = open_site("/?article=wide", width=360, height=640)
    wait(page)
    page.wait_for_function("[...document.images].every((image) => image.naturalWidth > 1000)")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert blog.admin.delete(made.headers["Location"]).status_code == 204


def test_a_preview_link_shows_a_draft(blog, visit):
    drafts = blog.admin.get("/api/v1/blog/articles/author/me/?status=draft").json
    link = blog.admin.post(f"/api/v1/blog/articles/{drafts[0]['uuid']}/preview/").json["url"]
    assert link.startswith(f"{blog.site_url}/?token=")
    page = visit(link.removeprefix(blog.site_url))
    assert page.locator("h1").inner_text() == drafts[0]["title"]
    assert page.locator("meta[name=robots]").get_attribute("content") == "noindex"


@pytest.mark.parametrize("address", ["?article=marmalade-third-attempt", "?author=nobody"])
def test_what_readers_may_not_see_is_not_found(open_site, visit, address):
    page = visit(f"/{address}")
    assert page.title() == page.locator("h1").inner_text() == "Not found"
    assert page.locator("meta[name=robots]").get_attribute("content") == "noindex"
    # The console shows each response with an error status.
    (fault,) = open_site.faults
    assert "404" in fault
    open_site.faults.clear()


def test_a_refused_request_is_explained(blog, open_site, visit):
    page = visit("/?page=0")
    assert "query" in page.get_by_role("alert").inner_text()
    (fault,) = open_site.faults
    assert "400" in fault
    open_site.faults.clear()


def test_the_page_of_another_origin_can_read_the_headers(blog, visit):
    page = visit()
    headers = page.evaluate(
        """async (url) => {
          const key = document.querySelector("meta[name=blogapi-key]").content;
          const response = await fetch(url, { headers: { "X-API-KEY": key } });
          return ["ETag", "Link", "X-Total-Count"].map((name) => response.headers.get(name));
        }""",
        f"{blog.service_url}/api/v1/blog/articles/?page=1",
    )
    assert all(headers)


@pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")
def test_the_page_shows_a_real_blog(browser, tmp_path):
    with open_blog(tmp_path) as blog:
        blog.import_corpus()
        publish(blog)
        opener = PageOpener(browser, blog.site_url, other_origins=[blog.service_url])
        fields = "title,url,toc,tags"
        articles = blog.admin.get(f"/api/v1/blog/articles/?fields={fields}&category=sofastack").json
        page = opener("/")
        # The images of this blog are on other servers.
        page.route(lambda url: not url.startswith((blog.site_url, blog.service_url)), lambda one: one.abort())
        for article in articles[:5]:
            page.goto(article["url"])
            wait(page)
            assert page.locator("h1").first.inner_text() == article["title"].strip()
            entries = page.get_by_role("navigation", name="Contents").locator("li")
            assert entries.count() == len(article["toc"]) > 0
            assert page.locator(".tags a").count() == len(article["tags"])
        page.goto("/?q=分布式")
        wait(page)
        assert page.locator("main mark").first.inner_text() == "分布式"
        opener.close()
        assert [fault for fault in opener.faults if blog.service_url in fault or "Error:" in fault] == []
