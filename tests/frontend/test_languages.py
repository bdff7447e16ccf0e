"""A static site in two languages, with pages and custom fields, built and opened in Chromium."""

from __future__ import annotations

import shutil

import pytest

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import queries as users
from tests.admin import blogs
from tests.frontend.conftest import open_blog
from tests.frontend.test_generator import build, find_broken_links, find_file, list_sitemap, read_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
]

SECRETS = ("Heimlicher Entwurf", "secret note")
UNLISTED = {"soup-of-friends/index.html": "Only for friends", "guests/index.html": "Only for guests"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory):
    """A blog in English and German, with secrets in drafts, an unlisted article and a field for admins."""
    with open_blog(tmp_path_factory.mktemp("blog")) as opened:
        opened.set_site(article_path="{/language}/{local_slug}/", page_path="{/language}/{path}/")
        login = blogs.Blog(opened.app, opened.service_url).client("demo")
        login.patch("blog/site/", {"languages": [{"language": "de", "title": "Hafen & Heim"}]})
        for name, more in (("rating", {"type": "number"}), ("note", {"type": "text", "read_by": "admins"})):
            field = {"name": name, "label": name, "kinds": ["article", "page"]}
            login.post("blog/fields/", field | more)
        custom = {"rating": 4.5, "note": SECRETS[1]}
        for title, slug, more in (
            ("Fish soup", "fish-soup", {"translation_key": "soup", "custom": custom}),
            ("Fischsuppe", "fish-soup-de", {"translation_key": "soup", "language": "de"}),
            (SECRETS[0], "bread-de", {"translation_key": "soup", "language": "de", "status": "draft"}),
            ("Only for friends", "soup-of-friends", {"status": "unlisted", "custom": custom}),
        ):
            body = {"title": title, "slug": slug, "content": f"# {title}", "content_type": "markdown"}
            login.post("blog/articles/", body | {"status": "published"} | more)
        house = {"title": "House", "status": "published", "custom": custom}
        above = login.post("blog/pages/", house)["uuid"]
        for title, slug, more in (
            ("Team", "team", {"translation_key": "team"}),
            ("Mannschaft", "mannschaft", {"translation_key": "team", "language": "de"}),
            (SECRETS[0], "heimlich", {"status": "draft"}),
            ("Only for guests", "guests", {"status": "unlisted", "parent": None}),
        ):
            body = {"title": title, "slug": slug, "status": "published", "parent": above}
            login.post("blog/pages/", body | more)
        yield opened


@pytest.fixture(scope="module")
def editor_key(blog):
    """The key of an editor, which only the generator gets."""
    with blog.app.app_context():
        return api_keys.issue(users.get_user_by_name("demo").uuid, "read").value


@pytest.fixture(scope="module")
def files(blog, editor_key):
    """The files of the site."""
    build(blog, blog.folder, blog.create_key(), editor_key)
    return read_files(blog.folder)


def test_the_site_has_both_languages_and_no_secrets(blog, files, editor_key):
    assert find_broken_links(blog, files) == []
    assert {find_file(blog, url) for url in list_sitemap(files)} <= files.keys()
    german, english = files["de/fish-soup/index.html"], files["fish-soup/index.html"]
    assert '<html lang="de">' in german and '<html lang="en-GB">' in english
    for page in (german, english):
        for language, path in (("de", "/de/fish-soup/"), ("en-GB", "/fish-soup/")):
            assert f'hreflang="{language}" href="{blog.site_url}{path}"' in page
    assert (
        "<dt>rating</dt><dd>4.5</dd>" in english
        and "<dt>rating</dt><dd>4.5</dd>" in files["house/index.html"]
    )
    assert "Fischsuppe" in files["de/index.html"] and "Fish soup" not in files["de/index.html"]
    assert "Fischsuppe" in files["de/feeds/rss.xml"] and "Fish soup" not in files["de/feeds/rss.xml"]
    assert "Fischsuppe" not in files["index.html"]
    assert "house/team/index.html" in files and "de/house/mannschaft/index.html" in files
    for secret in (*SECRETS, editor_key, "heimlich", "bread-de"):
        assert [name for name, text in files.items() if secret in name + text] == []
    for home in (files["index.html"], files["de/index.html"]):
        for language, path in (("de", "/de/"), ("en-GB", "/")):
            assert f'hreflang="{language}" href="{blog.site_url}{path}"' in home


def test_unlisted_items_have_a_page_that_nothing_mentions(blog, files, editor_key, tmp_path):
    for own_file, title in UNLISTED.items():
        address = f"/{own_file.removesuffix('index.html')}"
        assert [name for name, text in files.items() if title in text or address in text] == [own_file]
    build(blog, tmp_path / "site", blog.create_key())
    assert not read_files(tmp_path / "site").keys() & UNLISTED.keys()


def test_a_change_of_an_unlisted_article_is_built(blog, files, editor_key, tmp_path):
    key = blog.create_key()
    build(blog, tmp_path / "site", key, editor_key)
    article = blog.admin.get("/api/v1/blog/articles/soup-of-friends/").json["uuid"]
    change = {"status": "draft"}
    assert blog.admin.patch(f"/api/v1/blog/articles/{article}/", json=change).status_code == 200
    build(blog, tmp_path / "site", key, editor_key)
    assert "soup-of-friends/index.html" not in read_files(tmp_path / "site")


def test_a_reader_changes_the_language(blog, files, open_site):
    page = open_site("/")
    page.get_by_role("link", name="Fish soup", exact=True).first.click()
    page.get_by_role("navigation", name="Languages").get_by_role("link", name="de").click()
    page.wait_for_url("**/de/fish-soup/")
    assert page.locator("main h1").first.inner_text() == "Fischsuppe"
    (alternate,) = page.locator('link[hreflang="en-GB"]').all()
    assert alternate.get_attribute("href") == f"{blog.site_url}/fish-soup/"
    assert page.locator("html").get_attribute("lang") == "de"
    page.get_by_role("link", name="Hafen & Heim").click()
    page.wait_for_url("**/de/")
    page.get_by_role("link", name="Mannschaft").click()
    page.wait_for_url("**/de/house/mannschaft/")
    page.get_by_role("navigation", name="Languages").get_by_role("link", name="en-GB").click()
    page.wait_for_url("**/house/team/")
    assert page.locator("main h1").inner_text() == "Team"
    page.get_by_role("main").get_by_role("link", name="House").click()
    page.wait_for_url("**/house/")
    page.get_by_role("main").get_by_role("link", name="Team").click()
    page.wait_for_url("**/house/team/")


def test_a_reader_of_an_unlisted_article_sees_it(files, open_site):
    page = open_site("/soup-of-friends/")
    assert page.locator("main h1").first.inner_text() == "Only for friends"
    assert page.locator("dd").inner_text() == "4.5"
