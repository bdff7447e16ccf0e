"""The static site generator: the sites that it writes, and how it brings them up to date."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin
from xml.etree.ElementTree import fromstring

import feedparser
import pytest

from blogapi.docs.assets import STATIC
from tests.frontend.conftest import CORPUS, open_blog

GENERATOR = Path(__file__).parent / "generator" / "build.mjs"
ARTICLES, CATEGORIES, TAGS = "/api/v1/blog/articles/", "/api/v1/blog/categories/", "/api/v1/blog/tags/"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SERVICE_FILES = {"sitemap.xml", "feeds/rss.xml", "feeds/atom.xml", "feeds/feed.json"}
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DEMO_SECRETS = ("Marmalade", "eye splice", "swing bridge", "2099", "feeds the cat")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
]


class PageParser(HTMLParser):
    """Collects the ids of a page and its links, except links in the content that lead to other pages."""

    def __init__(self, html):
        super().__init__()
        self.links, self.ids, self.depth = [], set(), 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "div" and (self.depth or values.get("class") == "content"):
            self.depth += 1
        self.ids |= {values.get("id"), values.get("name")}
        # An author can link to any page, even to one that does not exist.
        if tag in ("a", "link") and "href" in values and (not self.depth or values["href"].startswith("#")):
            self.links.append(values["href"])

    def handle_endtag(self, tag):
        if tag == "div" and self.depth:
            self.depth -= 1


def build(blog, folder, key, editor_key=""):
    """Run the generator, beside which the client is; return its output."""
    program = folder.parent / "program"
    program.mkdir(exist_ok=True)
    for file in (GENERATOR, STATIC / "blogapi.js"):
        shutil.copy(file, program)
    finished = subprocess.run(
        ["node", str(program / GENERATOR.name), str(folder)],
        env=os.environ | {"API": blog.service_url, "KEY": key, "EDITOR_KEY": editor_key},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.strip()


def read_files(folder):
    """Return the texts of all files by path; every file is valid UTF-8."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def find_file(blog, url):
    """Return the path of the file with the page of an address, or None for an address of another site."""
    url = url.partition("?")[0]
    if not url.startswith(f"{blog.site_url}/"):
        return None
    path = unquote(url.removeprefix(f"{blog.site_url}/"))
    if path.endswith("/") or not path:
        return f"{path}index.html"
    return path if path.endswith((".xml", "feed.json")) else f"{path}.html"


def find_broken_links(blog, files):
    """Return the links to files or ids of the site that do not exist, as (file, link)."""
    pages = {name: PageParser(text) for name, text in files.items() if name.endswith(".html")}
    broken = []
    for name, page in pages.items():
        own = f"{blog.site_url}/{name.removesuffix('index.html').removesuffix('.html')}"
        for link in page.links:
            url, fragment = urldefrag(urljoin(own, link))
            file = find_file(blog, url)
            if file is not None and (
                file not in files or (fragment and unquote(fragment) not in pages[file].ids)
            ):
                broken.append((name, link))
    return broken


def list_sitemap(files):
    sitemap = fromstring(files["sitemap.xml"])  # noqa: S314
    return [entry.text for entry in sitemap.iter(f"{SITEMAP}loc")]


def check_site(blog, files):
    """Check that the site has a page for each address of the sitemap, its feeds and its redirects."""
    pages = {name for name in files if name.endswith(".html")}
    languages = [one["language"] for one in blog.admin.get("/api/v1/blog/site/").json["languages"]]
    mapped = {find_file(blog, url) for url in list_sitemap(files)}
    assert mapped <= pages
    assert {name for name in pages - mapped if not name.startswith("page/")} == {
        "404.html",
        "search/index.html",
        *(f"{language}/index.html" for language in languages),
    }
    articles = blog.admin.get(f"{ARTICLES}?fields=url").json
    assert {find_file(blog, article["url"]) for article in articles} <= mapped
    feeds = {name for name in SERVICE_FILES if name.startswith("feeds/")}
    feeds |= {f"{language}/{name}" for language in languages for name in feeds}
    assert files.keys() - pages == SERVICE_FILES | feeds | {"_redirects"}
    for name in ("feeds/rss.xml", "feeds/atom.xml"):
        feed = feedparser.parse(files[name].encode())
        assert not feed.bozo and {entry.link for entry in feed.entries} <= set(list_sitemap(files))
    assert json.loads(files["feeds/feed.json"])["home_page_url"] == f"{blog.site_url}/"
    for line in files["_redirects"].splitlines():
        _, new, status = line.split()
        assert status == "308" and find_file(blog, blog.site_url + new) in pages


@pytest.fixture(scope="module")
def key(blog):
    """A key like that of a build."""
    blog.set_site(article_path="/{year}/{month}/{slug}/")
    return blog.create_key()


@pytest.fixture(scope="module")
def files(blog, key):
    """The files of the site of the sample blog."""
    build(blog, blog.folder, key)
    return read_files(blog.folder)


def test_the_site_has_all_pages_and_no_broken_links(blog, files):
    check_site(blog, files)
    assert find_broken_links(blog, files) == []
    bread = files["2024/06/the-bread-that-waits-for-me/index.html"]
    assert f'<link rel="canonical" href="{blog.site_url}/2024/06/the-bread-that-waits-for-me/">' in bread
    assert '<html lang="en-GB">' in bread and ">9 June 2024</time>" in bread
    assert "page/2/index.html" in files and "page/3/index.html" not in files


def test_no_page_shows_an_article_that_readers_may_not_see(blog, files):
    hidden = [one for one in blog.admin.get(f"{ARTICLES}author/me/").json if one["status"] != "published"]
    assert len(hidden) == len(DEMO_SECRETS)
    for secret in (one[name] for one in hidden for name in ("title", "slug", "uuid")):
        assert [name for name, text in files.items() if secret in name + text] == []
    for secret in DEMO_SECRETS:
        # A uuid can contain the digits of a year.
        assert [name for name, text in files.items() if secret in name + UUID.sub("", text)] == []


def test_a_visitor_reads_searches_and_gets_lost(blog, files, open_site):
    page = open_site("/")
    page.get_by_role("link", name="Older", exact=True).click()
    page.wait_for_url("**/page/2/")
    page.get_by_role("link", name="The bread that waits for me").first.click()
    page.wait_for_url("**/2024/06/the-bread-that-waits-for-me/")
    assert page.locator("h1").inner_text() == "The bread that waits for me"
    types = [item["@type"] for item in json.loads(page.locator("head script").inner_text())["@graph"]]
    assert types == ["BlogPosting", "BreadcrumbList"]
    for css, path in ((".tags a", "tag"), (".byline a", "author")):
        page.locator(css).first.click()
        page.wait_for_url(f"**/{path}/*/")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("bread")
    page.get_by_role("searchbox").press("Enter")
    page.locator("#results mark").first.wait_for()
    page.goto("/no/such/page/")
    assert page.title() == page.locator("h1").inner_text() == "Not found"
    (fault,) = open_site.faults
    assert "404" in fault
    open_site.faults.clear()


def test_an_updated_site_equals_a_new_build(blog, key, files, open_site, tmp_path):
    assert build(blog, blog.folder, key) == "Nothing has changed."

    def write(method, path, expected, **body):
        response = blog.admin.open(path, method=method, json=body or None)
        assert response.status_code == expected, response.json

    def find(path, slug):
        (found,) = blog.admin.get(f"{path}?slug={slug}").json
        return f"{path}{found['uuid']}/"

    new = {"content": "# One\n\nText.", "content_type": "markdown", "status": "published"}
    new |= {"category": {"slug": "kitchen"}, "tags": [{"slug": "bread"}]}
    write("POST", ARTICLES, 201, title="Straße & <Meer> 海", **new)
    write("POST", ARTICLES, 201, title="Secret draft", **new | {"status": "draft"})
    write("PATCH", find(ARTICLES, "the-bread-that-waits-for-me"), 200, slug="bread-again")
    write("PATCH", find(ARTICLES, "minato-no-asa"), 200, status="draft")
    write("DELETE", find(ARTICLES, "a-note-on-the-foghorn"), 204)
    write("PATCH", find(TAGS, "slow-food"), 200, slug="slow", name="Slow")
    write("PATCH", find(CATEGORIES, "workshop"), 200, name="Shed & shop")
    build(blog, blog.folder, key)
    build(blog, tmp_path / "new", key)
    updated = read_files(blog.folder)
    assert updated == read_files(tmp_path / "new") != files
    check_site(blog, updated)
    assert find_broken_links(blog, updated) == []
    for gone in ("the-bread-that-waits", "minato-no-asa", "a-note-on-the-foghorn", "tag/slow-food", "secret"):
        assert [name for name in updated if gone in name] == []
    today = datetime.now(UTC)
    assert any(name.startswith(f"{today.year}/") and "strasse" in name for name in updated)
    page = open_site("/2024/06/the-bread-that-waits-for-me/")
    assert page.url == f"{blog.site_url}/2024/06/bread-again/"


def test_a_site_whose_cursor_is_unknown_is_built_again(blog, key, tmp_path):
    folder = tmp_path / "site"
    build(blog, folder, key)
    state = tmp_path / "site.state.json"
    content = json.loads(state.read_text(encoding="utf-8"))
    state.write_text(json.dumps(content | {"cursor": "00000000-p1"}), encoding="utf-8")
    assert build(blog, folder, key) == "0 files written, 0 deleted."
    assert json.loads(state.read_text(encoding="utf-8"))["cursor"] == content["cursor"]


@pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")
def test_the_site_of_a_real_blog_has_all_pages_and_no_broken_links(tmp_path):
    with open_blog(tmp_path) as blog:
        blog.import_corpus()
        blog.set_site(language="zh-CN", time_zone="Asia/Shanghai", article_path="/{category}/{slug}")
        build(blog, blog.folder, blog.create_key())
        files = read_files(blog.folder)
        assert len(files) > 100
        check_site(blog, files)
        assert find_broken_links(blog, files) == []
