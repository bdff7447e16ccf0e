"""The static copy of the site: what it contains, and how a second build brings it up to date."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from posixpath import splitext
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from blogapi.content.media.addresses import make_file_path
from blogapi.reader_site import static_copy, theme
from blogapi.storage import files as stored_files
from tests.conftest import ARTICLES
from tests.reader_site.conftest import URL
from tests.reader_site.test_languages import LANGUAGES
from tests.stored_pictures import store_picture

BELOW = "https://x.example/blog"
PAGES, REDIRECTS = "/api/v1/blog/pages/", "/api/v1/blog/redirects/"


class Links(HTMLParser):
    """Collects the addresses in a page."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.found += [values[name] for name in ("href", "src") if name in values]
        self.found += [one.split()[0] for one in values.get("srcset", "").split(",") if one.strip()]
        if values.get("http-equiv") == "refresh":
            self.found.append(values["content"].partition("url=")[2])


def read(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def find_dead_links(files, url):
    """Return the links of all pages that lead to no file below the address, as (file, link)."""
    dead = set()
    for name, content in files.items():
        if not name.endswith(".html"):
            continue
        own = f"{url}/{name.removesuffix('index.html')}"
        for link in Links(content.decode()).found:
            parts = urlsplit(urljoin(own, link))
            if parts.scheme not in ("http", "https") or parts.netloc != urlsplit(url).netloc:
                continue
            path = unquote(parts.path)
            file = path.removeprefix(urlsplit(url).path).strip("/")
            if not f"{path}/".startswith(f"{urlsplit(url).path}/") or (
                (file if splitext(file)[1] else f"{file}/index.html".strip("/")) not in files
            ):
                dead.add((name, link))
    return dead


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "copy"


@pytest.fixture
def build(app, folder):
    """Return a function that builds the site, and returns the result of the command."""

    def run(*options, status=0, folder=folder):
        result = app.test_cli_runner().invoke(args=["site", "build", str(folder), *options])
        assert result.exit_code == status, result.output
        return result.output

    return run


@pytest.fixture
def blog(app, set_site, as_admin, as_login, make_article, make_category, make_tag):
    """A blog in two languages whose site is off, with pictures, pages, redirects, and former slugs."""
    picture = store_picture(app, "red")
    kitchen = make_category(name="Kitchen")
    make_category(name="Ovens", parent={"uuid": str(kitchen.uuid)})
    rye = make_tag(name="Rye")
    set_site(
        title="The Bread Blog",
        url=URL,
        service_url="https://api.example",
        languages=LANGUAGES,
        logo=make_file_path(picture.hash, picture.name),
        navigation=[{"label": "About us", "url": "/about/"}, {"label": "Home", "url": "/"}],
        article_path="{/language}/{slug}/",
    )
    for number in range(11):
        make_article(
            title=f"Loaf {number}",
            category=kitchen,
            tags=[rye],
            published_at=f"2026-01-{number + 1:02}T12:00:00Z",
        )
    text = (
        f"![](media:{picture.uuid}) [a](/loaf-1/) [b](https://other.example/) "
        f'[c](https://api.example/media/{picture.hash}/red.png) `href="/code/"` [d](//other.example/x)'
    )
    make_article(
        title="Wörter & <Bilder>", slug="woerter", language="de", content=text, content_type="markdown"
    )
    page = {"title": "About", "content": "Who we are", "status": "published"}
    above = as_admin.post(PAGES, json=page).json["uuid"]
    below = {"title": "Team", "content": "All of us", "status": "published", "parent": above}
    assert as_admin.post(PAGES, json=below).status_code == 201
    renamed = make_article(title="Renamed", slug="former")
    assert as_admin.patch(f"{ARTICLES}{renamed.uuid}/", json={"slug": "present"}).status_code == 200
    for old, new, status in (
        ("/old/", "/about/", 301),
        ("/feed.php", "/feeds/rss.xml", 301),
        ("/away.html", "https://other.example/", 302),
        ("/nothing/", "/no-such-page/", 301),
        ("/gone/", "", 410),
    ):
        redirect = {"path": old, "target": new, "status": status}
        assert as_login.post(f"{REDIRECTS}own/", json=redirect).status_code == 201, old
    return picture


@pytest.mark.parametrize("url", [BELOW, "https://x.example"])
@pytest.mark.usefixtures("blog")
def test_every_link_of_every_page_leads_to_a_file(build, folder, url):
    assert "0 refused." in build("--url", url)
    files = read(folder)
    assert find_dead_links(files, url) == set()
    locations = re.findall("<loc>(.*?)</loc>", files["sitemap.xml"].decode())
    assert len(locations) > 15
    for location in locations:
        assert f"{location.removeprefix(url).strip('/')}/index.html".lstrip("/") in files, location
    assert not any(URL.encode() in content or b"api.example" in content for content in files.values())


@pytest.mark.usefixtures("blog")
def test_a_copy_has_the_pages_feeds_and_files_of_the_site(build, folder):
    build("--url", BELOW)
    files = read(folder)
    for name in (
        *("index.html", "page/2/index.html", "de/index.html", "archive/index.html", "404.html", "style.css"),
        *("archive/2026/01/index.html", "archive/2026/01/page/2/index.html", "de/woerter/index.html"),
        *("category/kitchen/page/2/index.html", "tag/rye/index.html", "about/team/index.html"),
        *("category/kitchen/feeds/rss.xml", "de/feeds/atom.xml", "feeds/feed.json", "author/ada/index.html"),
    ):
        assert name in files, name
    assert not any(name.startswith("search") for name in files)
    assert files["robots.txt"].decode().endswith(f"Sitemap: {BELOW}/sitemap.xml\n")
    feed = json.loads(files["de/feeds/feed.json"])
    assert feed["feed_url"] == f"{BELOW}/de/feeds/feed.json" and len(feed["items"]) == 1
    assert b'href="/blog/category/kitchen/feeds/atom.xml"' in files["category/kitchen/index.html"]


def test_addresses_in_texts_lead_below_the_copy(blog, build, folder):
    build("--url", BELOW)
    files = read(folder)
    text = files["de/woerter/index.html"].decode()
    assert f'src="/blog/media/{blog.hash}/red.png"' in text and 'href="/blog/loaf-1/"' in text
    assert 'href="//other.example/x"' in text and 'href="/code/"' in re.sub("&quot;", '"', text)
    assert files[f"media/{blog.hash}/red.png"].startswith(b"\x89PNG")
    assert b'<a href="/blog/about/"' in files["index.html"]
    assert b'aria-current="page" dir="auto">About us' in files["about/index.html"]
    assert f"{BELOW}/media/{blog.hash}/red.png" in files["de/feeds/atom.xml"].decode()
    assert f"{BELOW}/loaf-1/" in files["de/feeds/atom.xml"].decode()


@pytest.mark.usefixtures("blog")
def test_redirects_are_lines_for_hosts_and_pages_that_lead_on(build, folder):
    build("--url", BELOW)
    files = read(folder)
    assert sorted(files["_redirects"].decode().splitlines()) == [
        "# left out, because these hosts have no status 410: /blog/gone/",
        "/blog/away.html https://other.example/ 302",
        "/blog/feed.php /blog/feeds/rss.xml 301",
        "/blog/former/ /blog/present/ 308",
        "/blog/old/ /blog/about/ 301",
    ]
    assert b"url=/blog/present/" in files["former/index.html"]
    assert b"url=https://other.example/" in files["away.html"]
    assert b"Gone" in files["gone/index.html"] or b"gone" in files["gone/index.html"]
    assert "feed.php" not in files and "nothing/index.html" not in files


@pytest.mark.parametrize(
    ("url", "root"),
    [("https://x.example/blög", "/bl%C3%B6g"), ("https://x.example/my%20blog/", "/my%20blog"), (URL, "")],
)
@pytest.mark.usefixtures("unlisted")
def test_the_path_of_a_copy_is_percent_encoded_once(
    build, folder, set_site, as_login, as_admin, make_article, url, root
):
    set_site(url="https://former.example/tägebuch")
    article = make_article(title="Former")
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "present"}).status_code == 200
    for old, new in (("/old/", "/present/"), ("/älter/", "https://former.example/tägebuch/present/")):
        for path in (old, f"/tägebuch/below{old}"):
            redirect = {"path": path, "target": new, "status": 301}
            assert as_login.post(f"{REDIRECTS}own/", json=redirect).status_code == 201
    assert "2 redirects to them left out" in build("--url", url)
    files = read(folder)
    assert sorted(files["_redirects"].decode().splitlines()) == [
        f"{root}/%C3%A4lter/ {root}/present/ 301",
        f"{root}/below/%C3%A4lter/ {root}/present/ 301",
        f"{root}/below/old/ {root}/present/ 301",
        f"{root}/former/ {root}/present/ 308",
        f"{root}/old/ {root}/present/ 301",
    ]
    assert f"url={root}/present/".encode() in files["former/index.html"]
    assert files.keys() >= {"below/älter/index.html", "present/index.html"}
    assert not any(re.match("freunde|vertraut|bl|my|t.*gebuch", name) for name in files)


@pytest.mark.usefixtures("blog")
def test_a_second_build_changes_nothing(build, folder):
    build()
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.rglob("*")}
    output = build()
    assert ": 0 written," in output and " 0 removed, 0 refused." in output
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.rglob("*")} == before


def test_pages_of_what_is_gone_are_removed(build, folder, set_site, make_article, make_tag, as_admin):
    set_site(url=URL)
    article = make_article(title="Short lived", tags=[make_tag(name="Fleeting")])
    make_article(title="Stays")
    build()
    assert {"short-lived/index.html", "tag/fleeting/index.html"} <= read(folder).keys()
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    assert " removed, 0 refused." in build()
    assert not (folder / "short-lived").exists() and not (folder / "tag").exists()
    files = read(folder)
    assert "stays/index.html" in files
    assert not any(b"Short lived" in content or b"leeting" in content for content in files.values())


def test_files_that_no_build_wrote_stay(build, folder, set_site, make_article, as_admin):
    set_site(url=URL)
    article = make_article(title="Hello")
    build()
    (folder / "CNAME").write_text("blog.example", encoding="utf-8")
    (folder / "style.css").write_text("mine", encoding="utf-8")
    (folder / "hello" / "index.html").write_text("mine", encoding="utf-8")
    assert as_admin.delete(f"{ARTICLES}{article.uuid}/").status_code == 204
    output = build(status=1)
    assert "refused  style.css: No build has written" in output and "refused  hello/index.html" in output
    assert {read(folder)[name] for name in ("style.css", "hello/index.html")} == {b"mine"}
    build("--overwrite")
    files = read(folder)
    assert files["style.css"] != b"mine" and "hello/index.html" not in files and "CNAME" in files
    assert " 0 written," in build()


def test_a_folder_with_unknown_files_is_refused(build, folder, set_site, make_article):
    set_site(url=URL)
    make_article(title="Hello")
    folder.mkdir()
    (folder / "old.html").write_text("old", encoding="utf-8")
    output = build(status=1)
    assert "This folder contains files that no build of this blog has written" in output
    assert read(folder) == {"old.html": b"old"}
    build("--overwrite")
    assert read(folder).keys() >= {"old.html", "hello/index.html"}


def test_folders_of_blogs_are_refused(app, build, tmp_path, set_site):
    set_site(url=URL)
    instance = Path(app.instance_path)
    other = tmp_path / "other"
    (other / "instance").mkdir(parents=True)
    (other / "instance" / "secret_key").write_text("x", encoding="utf-8")
    for refused in (instance, instance.parent, instance / "media" / "site", other):
        assert "is, contains or lies in the folder of a blog" in build(status=1, folder=refused)


def test_a_folder_that_cannot_be_created_is_named(build, tmp_path, set_site, make_article):
    set_site(url=URL)
    make_article(title="Hello")
    file = tmp_path / "file"
    file.write_text("text", encoding="utf-8")
    output = build(status=1, folder=file / "copy")
    assert output.startswith(f"Error: {file}") and " cannot be written (" in output
    assert file.read_text(encoding="utf-8") == "text"


def test_a_copy_needs_a_valid_address(build, set_site, folder):
    assert "use --url" in build(status=1)
    assert "Must be an absolute" in build("--url", "/blog", status=2)
    set_site(url=URL, tag_path="/media/{slug}/")
    assert "`tag_path` must not begin with /media" in build(status=1)
    assert not folder.exists()


def test_the_site_itself_stays_as_it_is(build, folder, set_site, as_login):
    set_site(url=URL)
    build("--url", BELOW)
    site = as_login.get("/api/v1/blog/site/").json
    assert (site["url"], site["service_url"], site["built_in"]) == (URL, "", False)


@pytest.fixture
def secrets(app, set_site, as_login, as_admin, make_tag, make_category):
    """Texts that readers may not see, each with the word Geheim in all that it has."""
    set_site(url=URL)
    field = {"name": "note", "label": "note", "kinds": ["article"], "type": "text", "read_by": "admins"}
    assert as_login.post("/api/v1/blog/fields/", json=field).status_code == 201
    private = store_picture(app, "blue")

    def make(**fields):
        text = {"content": "Text", "content_type": "text", "status": "published"}
        response = as_admin.post(ARTICLES, json=text | fields)
        assert response.status_code == 201, response.json
        return response.json["uuid"]

    words = {
        "content": f"Geheim ![](media:{private.uuid})",
        "content_type": "markdown",
        "seo": {"title": "Geheim", "description": "Geheim"},
        "custom": {"note": "Geheim"},
    }
    hello = make(title="Hello", custom={"note": "Geheim"})
    states = {
        "draft": {"status": "draft"},
        "scheduled": {"published_at": "2099-01-01T00:00:00Z"},
        "archived": {"status": "archived"},
        "later": {"status": "unlisted", "published_at": "2099-01-01T00:00:00Z"},
        "deleted": {},
    }
    made = {}
    for name, state in states.items():
        terms = {"tags": [{"uuid": str(make_tag(name=f"Geheim {name}").uuid)}]}
        terms["category"] = {"uuid": str(make_category(name=f"Geheim {name} shelf").uuid)}
        made[name] = make(title=f"Geheim {name}", **terms, **words, **state)
    assert as_admin.delete(f"{ARTICLES}{made['deleted']}/").status_code == 204
    edits = {"title": "Geheim edits", "content": "Geheim", "content_type": "markdown"}
    assert as_admin.put(f"{ARTICLES}{hello}/working-copy/", json=edits).status_code == 201
    page = {"title": "Geheim page", "content": "Geheim", "status": "draft"}
    assert as_admin.post(PAGES, json=page).status_code == 201
    return private


@pytest.mark.parametrize("options", [(), ("--unlisted",)])
def test_no_byte_and_no_name_has_words_of_hidden_texts(secrets, build, folder, options):
    build(*options)
    files = read(folder)
    assert b"Hello" in files["hello/index.html"]
    for name, content in files.items():
        for secret in ("geheim", secrets.hash):
            assert secret not in name.lower() and secret.encode() not in content.lower(), name


@pytest.fixture
def unlisted(set_site, as_admin, as_login, make_article, make_tag, make_category):
    """An unlisted article and page, redirects to them, and a text that links to one."""
    set_site(url=URL)
    words = {"tags": [make_tag(name="Vertraut tag")], "category": make_category(name="Vertraut shelf")}
    article = make_article(title="Vertraut", slug="vertraut-frueher", status="unlisted", **words)
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "vertraut"}).status_code == 200
    page = {"title": "Vertraut page", "content": "Vertraut", "status": "unlisted"}
    assert as_admin.post(PAGES, json=page).status_code == 201
    redirect = {"path": "/freunde/", "target": "/vertraut/", "status": 302}
    assert as_login.post(f"{REDIRECTS}own/", json=redirect).status_code == 201
    set_site(navigation=[{"label": "Friends", "url": "/vertraut-page/"}])
    text = f"Look [here](article:{article.uuid}), [there](/vertraut/#top) and [away](/vertraut/below/)."
    make_article(title="Hello", content=text, content_type="markdown")


@pytest.mark.usefixtures("unlisted")
def test_unlisted_texts_are_left_out(build, folder):
    output = build()
    assert output.endswith("2 unlisted texts and 2 redirects to them left out; --unlisted writes them.\n")
    files = read(folder)
    below = b'<a href="/vertraut/below/">'
    assert (
        b"Look here, there and " + below in files["hello/index.html"] and b"here" in files["feeds/atom.xml"]
    )
    for name, content in files.items():
        assert "vertraut" not in name.lower(), name
        assert b"vertraut" not in re.sub(b"/vertraut/below/", b"", content.lower()), name
    assert "freunde/index.html" not in files and b"Friends" not in files["index.html"]


UNLISTED_SPELLINGS = (
    *("/vertraut", "/vertraut/", "/vertraut/?a=1&b=2#top", "/vertr%61ut/", f"{URL}/vertraut/"),
    *(f"{URL}/vertraut", "http://BLOG.example/vertraut/?a=1"),
)


@pytest.mark.parametrize("url", [URL, "https://copy.example", BELOW])
@pytest.mark.usefixtures("unlisted")
def test_an_unlisted_address_is_left_out_in_every_spelling(
    build, folder, set_site, as_login, make_article, url
):
    entries = (*UNLISTED_SPELLINGS, f"{url}/vertraut", f"{URL}/hello/", "/vertraut/below/")
    set_site(navigation=[{"label": f"Entry {entry}.", "url": entry} for entry in entries])
    links = "".join(f'<p><a href="{entry}">Look {number}</a></p>' for number, entry in enumerate(entries))
    make_article(title="Links", content=f'{links}<a href="https://[x/">odd</a>', content_type="html")
    for number, target in enumerate((*UNLISTED_SPELLINGS, "/way0/", f"{URL}/way7/", f"{URL}/hello/?b")):
        redirect = {"path": f"/way{number}/", "target": target, "status": 301}
        assert as_login.post(f"{REDIRECTS}own/", json=redirect).status_code == 201, target
    build("--url", url, "--unlisted")
    assert all(f"way{number}/index.html" in read(folder) for number in range(10))
    # The fixture has two more: from the former slug, and a custom one.
    assert "11 redirects to them left out" in build("--url", url)
    files, root = read(folder), urlsplit(url).path
    for name, content in files.items():
        addresses = [*Links(content.decode()).found, *re.findall(r"https?://\S+", content.decode())]
        if name.endswith((".html", ".xml", "_redirects")):
            pattern = r"/vertr(a|%61)ut(?!-page|-frueher|/below)"
            assert not [one for one in addresses if re.search(pattern, one)], name
    assert files["_redirects"].decode() == f"{root}/way9/ {root}/hello/?b 301\n"
    text = files["links/index.html"].decode()
    assert "Look 0" in text and f'<a href="{root}/vertraut/below/">Look 9' in text
    assert re.search(rf'<a href="({URL})?/hello/">Look 8', text)


@pytest.mark.parametrize(
    ("status", "says"),
    [("published", ""), ("unlisted", "1 unlisted text and 0 redirects to them left out; ")],
)
def test_one_text_without_redirects(build, set_site, make_article, status, says):
    set_site(url=URL)
    make_article(title="Bread", status=status)
    output = build()
    assert says in output and ("unlisted" in output) is bool(says)


@pytest.mark.usefixtures("unlisted")
def test_unlisted_texts_are_written_if_asked(build, folder):
    build()
    output = build("--unlisted")
    assert output.endswith("2 unlisted texts and 2 redirects to them written.\n")
    files = read(folder)
    for name in ("vertraut", "vertraut-page", "vertraut-frueher", "freunde", "tag/vertraut-tag"):
        assert f"{name}/index.html" in files, name
    assert b'href="/vertraut/"' in files["hello/index.html"]
    assert b"vertraut" not in files["sitemap.xml"] and b"Vertraut" not in files["index.html"]
    assert b'<a href="/vertraut-page/"' in files["index.html"]
    assert find_dead_links(files, URL) == {("hello/index.html", "/vertraut/below/")}


def test_an_address_with_an_extension_is_a_file(build, folder, set_site, make_article, make_tag):
    set_site(url=URL, tag_path="/t/{slug}.html", article_path="/posts/{slug}")
    tag = make_tag(name="Rye")
    for number in range(11):
        make_article(title=f"Loaf {number}", tags=[tag])
    build()
    files = read(folder)
    assert files.keys() >= {"t/rye.html", "t/rye/page/2/index.html", "posts/loaf-1/index.html"}
    assert find_dead_links(files, URL) == set()


def test_names_that_collide_or_cannot_be_written_are_left_out(
    build, folder, set_site, make_article, make_tag, make_category
):
    set_site(url=URL, tag_path="/Tag/{slug}/", page_path="/{path}/", category_path=f"/{'x' * 160}{{slug}}/")
    shelf = make_category(name="y" * 96)
    make_article(title="Lower", slug="tag", category=shelf, tags=[make_tag(name="Rye")])
    make_article(title="Archive", slug="archive")
    refused = set(re.findall("refused  (.*?):", build(status=1)))
    long = f"{'x' * 160}{'y' * 96}/index.html"
    assert refused >= {"Tag/rye/index.html", "archive/index.html", long} and len(refused) == 3
    files = read(folder)
    assert b"Lower" in files["tag/index.html"] and b"Lower" in files["archive/index.html"]
    assert len({name.casefold() for name in files}) == len(files)


@pytest.mark.parametrize("part", ["", ".", "..", "a\0b", "x" * 256])
def test_no_file_has_an_impossible_name(part):
    assert static_copy._is_invalid_name(part) and not static_copy._is_invalid_name("x" * 255)


@pytest.mark.parametrize("part", ["con", "aux.html", "a:b", "a.", "a ", "a\\b"])
def test_names_that_windows_cannot_hold_are_left_out_there(monkeypatch, part):
    assert static_copy._is_invalid_name(part) is (os.name == "nt")
    monkeypatch.setattr(os, "name", "nt")
    assert static_copy._is_invalid_name(part) and not static_copy._is_invalid_name("console")


def test_with_languages_in_the_patterns_the_root_leads_to_the_first_home(
    build, folder, set_site, make_article
):
    pattern = "/{language}/{slug}/"
    set_site(url=URL, languages=LANGUAGES, article_path=pattern, page_path="/{language}/{path}/")
    make_article(title="Hello")
    make_article(title="Hallo", language="de")
    build("--url", BELOW)
    files = read(folder)
    assert b"url=/blog/en/" in files["index.html"]
    assert files.keys() >= {"en/hello/index.html", "de/hallo/index.html", "en/index.html", "de/index.html"}
    assert find_dead_links(files, BELOW) == set()


def test_a_template_that_fails_is_replaced_and_named(
    build, folder, set_site, make_article, theme_folder, monkeypatch
):
    monkeypatch.setattr(theme, "_CHECK_INTERVAL", 0.0)
    set_site(url=URL)
    make_article(title="Hello")
    (theme_folder / "article.html").write_text("{{ 1 / 0 }}", encoding="utf-8")
    (theme_folder / "style.css").write_text("body { color: red }", encoding="utf-8")
    (theme_folder / "notes.txt").write_text("private", encoding="utf-8")
    output = build()
    assert "theme/article.html is not used: ZeroDivisionError" in output
    files = read(folder)
    assert b"Hello" in files["hello/index.html"] and files["theme/style.css"] == b"body { color: red }"
    assert b"/theme/style.css?v=" in files["index.html"] and "theme/notes.txt" not in files


def test_a_style_sheet_in_another_encoding_is_copied_with_its_pictures(
    app, build, folder, set_site, theme_folder, monkeypatch
):
    monkeypatch.setattr(theme, "_CHECK_INTERVAL", 0.0)
    set_site(url=URL)
    picture = store_picture(app, "red")
    path = make_file_path(picture.hash, picture.name)
    for encoding in ("latin-1", "utf-8"):
        style = f'/* café */ body {{ background: url("{path}") }} a::after {{ content: "»" }}'
        (theme_folder / "style.css").write_bytes(style.encode(encoding))
        assert " 0 refused." in build()
        files = read(folder)
        assert files["theme/style.css"] == style.encode(encoding)
        assert files[path.strip("/")].startswith(b"\x89PNG")


def test_a_link_in_the_folder_is_not_followed(build, folder, tmp_path, set_site, make_article):
    set_site(url=URL)
    make_article(title="Hello")
    build()
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "hello" / "index.html").unlink()
    (folder / "hello").rmdir()
    (folder / "hello").symlink_to(outside, target_is_directory=True)
    assert "A link leads out of the folder of the build" in build("--overwrite", status=1)
    assert not any(outside.iterdir())


def test_an_interrupted_build_can_be_repeated(build, folder, set_site, make_article, monkeypatch):
    set_site(url=URL)
    make_article(title="Hello")
    with monkeypatch.context() as patch:
        patch.setattr(static_copy._SiteCopier, "_make_redirect_files", lambda copy: 1 / 0)
        build(status=1)
    assert "hello/index.html" in read(folder) and "sitemap.xml" not in read(folder)
    make_article(title="Second")
    assert ": 0 refused" not in build() and "sitemap.xml" in read(folder)


def test_the_frame_of_all_pages_is_read_once(build, set_site, make_article, record_statements):
    set_site(url=URL)
    for number in range(4):
        make_article(title=f"Loaf {number}")
    with record_statements() as few:
        build()
    make_article(title="One more")
    with record_statements() as more:
        build()
    assert len(more) - len(few) <= 15


def test_texts_with_odd_addresses_do_not_stop_a_build(app, build, folder, set_site, make_article):
    set_site(url=URL)
    picture = store_picture(app, "red")
    odd = (f"{picture.hash}/a%2Fb.png", f"{picture.hash}/x.{'y' * 300}", f"{'0' * 64}/w400.webp", "x/y.png")
    content = "".join(f'<p><a href="/media/{path}">x</a></p>' for path in odd)
    make_article(title="Hello", content=content, content_type="html")
    assert " 0 refused." in build()
    assert not any(name.startswith("media/") for name in read(folder))


def test_a_width_that_a_picture_lacks_is_the_picture_itself(app, build, folder, set_site, make_article):
    set_site(url=URL)
    picture = store_picture(app, "red")
    content = f'<p><a href="/media/{picture.hash}/w400.webp">x</a></p>'
    make_article(title="Hello", content=content, content_type="html")
    build()
    # The picture is not wider, so that the service leads from this width to the picture itself.
    assert read(folder)[f"media/{picture.hash}/w400.webp"].startswith(b"\x89PNG")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_the_first_month_of_all_has_a_page(build, folder, set_site, make_article, get_page, zone):
    set_site(url=URL, time_zone=zone, built_in=True)
    for number, time in enumerate(("0001-01-01T00:00:00Z", "0001-01-31T12:00:00Z", "0001-02-02T00:00:00Z")):
        make_article(title=f"Loaf {number}", published_at=time)
    build()
    files = read(folder)
    shown = {
        month: re.findall("Loaf [0-9]<", files[f"archive/0001/{month}/index.html"].decode())
        for month in ("01", "02")
    }
    assert ({*shown["01"]}, {*shown["02"]}) == ({"Loaf 0<", "Loaf 1<"}, {"Loaf 2<"})
    assert "Loaf 0<" in get_page("/archive/0001/01/").text
    get_page("/archive/0001/03/", 404)
    assert find_dead_links(files, URL) == set()


def test_a_site_below_a_path_can_be_copied_elsewhere(build, folder, set_site, as_login, make_article):
    set_site(url="https://former.example/journal", navigation=[{"label": "Old", "url": "/journal/hello/"}])
    make_article(title="Hello", content="[a](/journal/hello/) [b](/c/)", content_type="markdown")
    redirect = {"path": "/journal/old/", "target": "/journal/hello/", "status": 301}
    assert as_login.post(f"{REDIRECTS}own/", json=redirect).status_code == 201
    build("--url", BELOW)
    files = read(folder)
    assert b'href="/blog/hello/"' in files["index.html"] and b"journal" not in files["index.html"]
    text = files["hello/index.html"].decode()
    assert '<a href="/blog/hello/">a</a>' in text and '<a href="/blog/c/">b</a>' in text
    assert files["_redirects"] == b"/blog/old/ /blog/hello/ 301\n" and "old/index.html" in files


def test_two_builds_do_not_write_at_once(build, app, folder, set_site):
    set_site(url=URL)
    build()
    (manifest,) = (Path(app.instance_path) / static_copy.MANIFEST_FOLDER).glob("*.txt")
    with stored_files.lock_file(manifest.with_suffix(".lock")):
        assert "Another build is writing" in build(status=1)


def test_the_help_names_all_options(app):
    result = app.test_cli_runner().invoke(args=["site", "build", "--help"])
    assert result.exit_code == 0
    assert all(option in result.output for option in ("FOLDER", "--url", "--unlisted", "--overwrite"))
