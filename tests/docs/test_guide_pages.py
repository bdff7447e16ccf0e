"""The guide on the server: all pages, their links and their samples."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest

import blogapi
from blogapi import blueprints
from blogapi.docs import assets, guide_pages
from blogapi.web.operation import get_operation
from tests.admin import pictures, screenshots

FOLDER = Path(blogapi.__file__).parent / "docs" / "guide"
FRONT_END_TOPICS = ["Get a key", "Read", "Page", "Fields", "Search", "Previews", "Changes", "Errors", "Times"]

# A request with curl: the name of its key, its options and its path.
SAMPLE = r'^curl (?=.*X-API-KEY: \$([A-Z]+))(.*?)"?\$API(/[^"\s]*)'


class PageParser(HTMLParser):
    """Collects the links, the ids and the navigation of a page."""

    def __init__(self, html):
        super().__init__()
        self.links, self.ids = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if "id" in values:
            self.ids.append(values["id"])


@pytest.fixture(scope="module")
def parsed_pages():
    """The pages that tests of this module have read, by URL; they are the same in each blog."""
    return {}


@pytest.fixture
def read_page(as_stranger, parsed_pages):
    def read(url):
        if url not in parsed_pages:
            response = as_stranger.get(url)
            assert response.status_code == 200, url
            parsed_pages[url] = PageParser(response.get_data(as_text=True))
        return parsed_pages[url]

    return read


def find_page(name):
    (page,) = (page for page in guide_pages.list_pages() if page.name == name)
    return page


def test_every_file_of_the_guide_is_in_one_group():
    assert sorted(guide_pages.PAGE_NAMES) == sorted(path.stem for path in FOLDER.glob("*.md"))


def test_the_page_about_front_ends_begins_with_the_topics_of_a_front_end(as_stranger):
    page = find_page("build-a-front-end")
    assert [str(section.title) for section in page.sections] == FRONT_END_TOPICS
    html = as_stranger.get(page.url).get_data(as_text=True)
    assert f'<h1 id="build-a-front-end">{page.title}</h1>' in html


def test_the_first_page_leads_to_each_group(read_page):
    links = set(re.findall(r'<a href="(/docs/[^"#]*)', find_page("index").html))
    for group, names in guide_pages.PAGE_GROUPS.items():
        assert group == "Start" or links & {find_page(name).url for name in names}, group


def test_the_side_bar_opens_only_the_group_of_the_page(as_stranger):
    for group, names in guide_pages.PAGE_GROUPS.items():
        html = as_stranger.get(find_page(names[-1]).url).get_data(as_text=True)
        assert re.findall(r"<details open>\s*<summary>([^<]+)<", html) == [group]
        assert re.findall(r"<summary>([^<]+)<", html) == list(guide_pages.PAGE_GROUPS)


def test_the_links_to_the_next_page_go_through_the_guide_and_back(as_stranger):
    pages = guide_pages.list_pages()
    followed = []
    for page in pages:
        html = as_stranger.get(page.url).get_data(as_text=True)
        followed.append(tuple(re.findall(r'<a rel="(prev|next)" href="([^"]+)">', html)))
    urls = [page.url for page in pages]
    assert followed[0] == (("next", urls[1]),) and followed[-1] == (("prev", urls[-2]),)
    middle = zip(urls, urls[2:], strict=False)
    assert followed[1:-1] == [(("prev", before), ("next", after)) for before, after in middle]


@pytest.mark.parametrize("name", guide_pages.PAGE_NAMES)
def test_every_page_shows_its_file_and_links_to_all_pages(as_stranger, read_page, name):
    page = find_page(name)
    response = as_stranger.get(page.url).get_data(as_text=True)
    assert f"<title>{page.title} - blogapi</title>" in response and page.html in response
    assert page.title == (FOLDER / f"{page.name}.md").read_text(encoding="utf-8").splitlines()[0][2:]
    links = read_page(page.url).links
    assert {other.url for other in guide_pages.list_pages()} | {"/docs/api/"} <= set(links)


@pytest.mark.parametrize("name", guide_pages.PAGE_NAMES)
def test_every_link_leads_to_a_page_and_a_heading(read_page, name):
    page = find_page(name)
    parsed = read_page(page.url)
    assert len(parsed.ids) == len(set(parsed.ids))
    for link in parsed.links:
        url, fragment = urldefrag(urljoin(page.url, link))
        if not url.startswith("http"):
            assert url.startswith("/docs/"), link
            assert not fragment or fragment in read_page(url).ids, link


@pytest.mark.parametrize("name", guide_pages.MOVED_PAGES)
def test_a_former_page_leads_to_the_section_with_its_content(as_stranger, read_page, name):
    response = as_stranger.get(f"/docs/{name}/")
    assert response.status_code == 308
    path, _, section = response.headers["Location"].partition("#")
    assert section in read_page(path).ids


def test_the_samples_of_a_front_end_are_valid_requests(as_reader, as_admin, make_article):
    text = (FOLDER / "build-a-front-end.md").read_text(encoding="utf-8")
    paths = [path for name, _, path in re.findall(SAMPLE, text, re.MULTILINE) if name == "KEY"]
    assert len(paths) >= 7
    for path in paths:
        assert as_reader.get(f"/api/v1/blog{path}").status_code == 200, path
    article = make_article(status="draft")
    (path,) = re.findall(r"\$API(/articles/[0-9a-f-]+/preview/)", text)
    path = re.sub(r"[0-9a-f]{8}-[0-9a-f-]+", str(article.uuid), path)
    created = as_admin.post(f"/api/v1/blog{path}")
    assert created.status_code == 201
    assert as_reader.get(created.json["url"]).json["title"] == article.title


def test_the_interface_describes_every_documented_operation(app):
    """The views name the sections, from which the header `Allow` of their responses follows."""
    text = (FOLDER / "releases.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| (4\.\d) \| `([A-Z]+) (\S+)`", text, re.MULTILINE)
    served = [
        (section, method, re.sub(r"<[^>]+>", ":id", path))
        for path, method, endpoint, _ in blueprints.list_operations(app)
        if (section := get_operation(app.view_functions[endpoint]).section)
    ]
    assert described == sorted(served) and len(described) == 9


@pytest.mark.parametrize("name", guide_pages.PAGE_NAMES)
def test_the_key_of_a_sample_may_do_what_the_sample_shows(
    name, app, people, make_client, make_article, as_login
):
    """$KEY is an anonymous key; $READ and $WRITE are keys of an admin with that scope."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8").replace("\\\n", "")
    article = make_article()
    # Samples filter by this custom field.
    as_login.post("/api/v1/blog/fields/", json={"name": "rating", "label": "Rating", "type": "number"})
    scopes = {"KEY": None, "READ": people.key(people.admin), "WRITE": people.key(people.admin, "write")}
    for key, options, path in re.findall(SAMPLE, text, re.MULTILINE):
        client = make_client(app, scopes[key] or people.key(None))
        path = re.sub(r"\$UUID|[0-9a-f]{8}-[0-9a-f-]{27}", str(article.uuid), path)
        has_body = re.search(r" (-d|-F|--data-binary) ", options)
        method = (re.findall(r"-X ([A-Z]+)", options) or ["POST" if has_body else "GET"])[0]
        response = client.open(f"/api/v1/blog{path}", method=method)
        assert response.status_code not in (401, 403), path
        assert method != "GET" or response.status_code in (200, 308, 404), path


@pytest.mark.parametrize("name", guide_pages.PAGE_NAMES)
def test_highlighting_changes_no_sample(name):
    page = find_page(name)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    samples = re.findall(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shown = re.findall(r'<pre><code class="language-\w+">(.*?)</code></pre>', page.html, re.DOTALL)
    assert [unescape(re.sub(r"<[^>]+>", "", html)) for html in shown] == samples


def test_samples_are_highlighted():
    html = find_page("build-a-front-end").html
    assert '<span class="nv">$KEY</span>' in html and '<span class="kd">const</span>' in html
    languages = re.findall(r'<code class="language-(\w+)">(?=[^<]*</code>)', html)
    assert languages == []


def test_every_picture_of_the_guide_is_served(as_stranger):
    pages = "".join(page.html for page in guide_pages.list_pages())
    pictures = set(re.findall(r'<img [^>]*?src="([^"]*)"', pages))
    assert pictures and all(as_stranger.get(picture).mimetype == "image/webp" for picture in pictures)


def test_the_guide_and_the_readme_show_the_pictures_that_the_script_draws():
    pages = (*FOLDER.glob("*.md"), FOLDER.parents[2] / "README.md")
    texts = "".join(page.read_text(encoding="utf-8") for page in pages)
    shown = set(re.findall(r"!\[[^\]]+\]\([\w./-]*static/([\w-]+)\.webp\)", texts))
    stored = {path.stem for path in assets.STATIC_FOLDER.glob("*.webp")}
    assert shown == stored == {*pictures.PICTURES, pictures.FIRST}
    states = {state.name for state in screenshots.STATES}
    assert {file.rpartition("-")[0] for file in pictures.PICTURES.values()} <= states


def test_the_pictures_are_small():
    assert sum(path.stat().st_size for path in assets.STATIC_FOLDER.glob("*.webp")) <= 600_000
