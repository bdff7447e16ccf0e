"""All pages that links lead to: each works, and none contains a word of a text that readers do not see."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from blogapi.reader_site import pages
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import outcome
from tests.reader_site.conftest import BROWSER, URL
from tests.reader_site.crawling import LinkParser, crawl

pytestmark = pytest.mark.slow

PAGES, FIELDS, SITE = "/api/v1/blog/pages/", "/api/v1/blog/fields/", "/api/v1/blog/site/"
CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
FUTURE = "2999-01-01T00:00:00Z"
# How the hidden items differ from published ones; the last ones are deleted.
STATES = {
    "draft": {"status": "draft"},
    "scheduled": {"status": "published", "published_at": FUTURE},
    "archived": {"status": "archived"},
    "unlisted": {"status": "unlisted"},
    "deleted": {"status": "published"},
}


def make_word(*parts):
    """Return a word that nothing else contains; a search for `hush` finds it."""
    return f"hush {''.join(parts)}q"


@pytest.fixture
def blog(fill_blog, as_admin, as_login, turn_on):
    """A blog with the site on, and hidden items of each kind and state; their paths by state."""
    return fill_blog("crawl", lambda: fill(as_admin, as_login, turn_on))


def fill(as_admin, as_login, turn_on):
    """Fill the blog; return the paths of the hidden items by state."""
    turn_on(languages=[{"language": "de", "title": "Das Brot"}])

    def send(path, client=as_admin, **body):
        answer = client.post(path, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json

    field = {"name": "note", "type": "text", "kinds": ["article", "page"], "searched": True}
    send(FIELDS, as_login, label="Note", **field)
    send(FIELDS, as_login, name="secret", label="Secret", type="text", read_by="admins")
    shown = {"name": "Kitchen"}, {"name": "rye"}, {"name": "Ada Guest"}
    category, tag, author = (
        {"uuid": send(path, **body)["uuid"]}
        for path, body in zip((CATEGORIES, TAGS, AUTHORS), shown, strict=True)
    )
    listed = [
        send(
            ARTICLES,
            **{
                "title": f"Loaf {number}",
                "content": "Rye bread",
                "status": "published",
                "category": category,
            },
            **{"tags": [tag], "authors": [author], "custom": {"secret": make_word("forAdmins")}},
            published_at=f"2026-01-{number + 1:02}T12:00:00Z",
            language="" if number % 4 else "de",
        )
        for number in range(12)
    ]
    above = send(PAGES, title="About", content="Who we are", status="published")
    send(PAGES, title="Imprint", content="An address", status="published", parent=above["uuid"])
    edits = {"title": make_word("edits"), "content": make_word("edits"), "content_type": "markdown"}
    own = f"{ARTICLES}{listed[0]['uuid']}/"
    edits |= {"category": category["uuid"], "tags": []}
    saved = as_admin.put(f"{own}working-copy/", json=edits, headers={"If-None-Match": "*"})
    assert saved.status_code in (200, 201), saved.text
    paths = {}
    for state, fields in STATES.items():
        word = {
            name: make_word(state, name)
            for name in (
                "title",
                "subtitle",
                "content",
                "excerpt",
                "note",
                "tag",
                "category",
                "author",
                "bio",
            )
        }
        terms = {
            "category": {
                "uuid": send(CATEGORIES, name=word["category"], description=word["category"])["uuid"]
            },
            "tags": [tag, {"uuid": send(TAGS, name=word["tag"])["uuid"]}],
            "authors": [author, {"uuid": send(AUTHORS, name=word["author"], bio=word["bio"])["uuid"]}],
        }
        texts = {name: word[name] for name in ("title", "subtitle", "content", "excerpt")} | fields
        article = send(ARTICLES, **texts, **terms, custom={"note": word["note"]})
        texts = {name: f"{text} page" if name in word else text for name, text in texts.items()}
        page = send(PAGES, **texts, custom={"note": word["note"]}, parent=above["uuid"])
        if state == "deleted":
            for path in (f"{ARTICLES}{article['uuid']}/", f"{PAGES}{page['uuid']}/"):
                assert as_admin.delete(path).status_code == 204
        slug = f"hush-{state}titleq"
        paths[state] = (f"/{slug}/", f"/about/{slug}-page/")
        if state not in ("deleted", "unlisted"):
            # The address of an unlisted article is known to who reads a link to it.
            link = f"[Here](article:{article['uuid']})"
            send(ARTICLES, title=f"Link {state}", content=link, content_type="markdown", status="published")
    return paths


def read(client, **headers):
    """Return a function that asks for a path as a browser does."""
    return lambda path: client.get(path, headers=BROWSER | headers)


def test_everything_that_links_lead_to_works_and_nothing_hidden_is_in_it(blog, as_stranger, monkeypatch):
    # The archive leads to months.
    monkeypatch.setattr(pages, "MAX_ARCHIVE_TITLES", 5)
    searches = ("/search/?q=hush", "/search/?q=bread", "/search/?q=bread&page=2")
    found = crawl(read(as_stranger), also=searches)
    assert {path: one.status for path, one in found.items() if one.status_code != 200} == {}
    for path in ("/page/2/", "/de/", "/archive/2026/01/", "/tag/rye/", "/about/imprint/", "/loaf-3/"):
        assert path in found, "the crawl comes to pages of each kind"
    assert "Nothing found" in found["/search/?q=hush"].text
    answers = {path: one.text for path, one in found.items()}
    missing = ["/zzz/", *(path for state in STATES if state != "unlisted" for path in blog[state])]
    for path in missing:
        response = as_stranger.get(path, headers=BROWSER)
        assert response.status_code == 404, path
        answers[path] = response.text
    answers["/search/?q=hush"] = answers["/search/?q=hush"].replace('value="hush"', "")
    for path, text in answers.items():
        assert re.findall(r".{0,60}hush.{0,30}", text, re.IGNORECASE) == [], path


def test_an_unlisted_text_is_at_its_own_address_alone(blog, as_stranger):
    found = crawl(read(as_stranger))
    for path in blog["unlisted"]:
        text = as_stranger.get(path, headers=BROWSER).text
        assert "hush unlistedtitleq" in text and "noindex" in text
        others = re.sub(r"hush.unlisted\w+", "", text)
        assert "hush" not in others, "a page shows no other hidden text"
        assert path not in found


def test_an_admin_gets_the_same_pages_as_a_stranger(blog, as_stranger, as_login, as_reading_admin):
    """The pages are those of a stranger with the cookie of an admin too, and with a key that reads drafts."""
    assert as_login.get(f"{ARTICLES}?status=any").json != as_stranger.get(f"{ARTICLES}?status=any").json
    also = ("/zzz/", *(path for paths in blog.values() for path in paths), "/search/?q=hush")
    found = crawl(read(as_stranger), also=also)
    for client in (as_login, as_reading_admin):
        for path, response in found.items():
            if not path.startswith("/feeds/"):
                own = client.get(path, headers=BROWSER)
                assert (own.status_code, own.data) == (response.status_code, response.data), path


def test_each_address_of_the_sitemap_is_a_page_that_a_link_leads_to(blog, as_stranger):
    addresses = re.findall(r"<loc>(.*?)</loc>", as_stranger.get("/sitemap.xml").text)
    found = crawl(lambda path: as_stranger.get(path, headers=BROWSER))
    assert len(addresses) > 20
    for address in addresses:
        response = found[address.removeprefix(URL)]
        assert (response.status_code, response.mimetype) == (200, "text/html")
        assert f'<link rel="canonical" href="{address}">' in response.text


def test_with_the_site_off_every_answer_is_as_it_was(blog, as_stranger, as_login):
    paths = [*crawl(read(as_stranger)), "/zzz/", "/hush-unlistedtitleq/", "/search/?q=bread"]
    assert as_login.patch(SITE, json={"built_in": False}).status_code == 200
    for path in paths:
        response = as_stranger.get(path, headers=BROWSER)
        if path == "/":
            assert (response.status_code, response.headers["Location"]) == (302, "/admin/")
        elif path.startswith(("/feeds/", "/sitemap", "/robots")):
            assert response.status_code == 200
        else:
            assert outcome(response) == (404, "not_found"), path


@pytest.mark.release
@pytest.mark.once
@pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")
@pytest.mark.parametrize("name", ["wxr/wp-theme-test-data", "markdown-i18n/sofastack-zh"])
def test_each_link_that_the_service_made_in_a_real_blog_works(app, turn_on, as_reading_admin, name):
    """Links of an author can be dead, but not those of the templates, and of references in texts."""
    turn_on(article_path="/{year}/{month}/{slug}/", page_path="/{path}/")
    command = ("import", str(Path(CORPUS, name)), "--author", "ada", "--define-fields", "everyone")
    assert app.test_cli_runner().invoke(args=command).exit_code in (0, 1), "1: files were refused"
    texts = [
        item["html"]
        for path in (ARTICLES, PAGES)
        for item in as_reading_admin.get(f"{path}?fields=html").json
    ]
    assert len(texts) > 40
    in_texts = {link for text in texts for link in LinkParser(text).links if link.startswith(f"{URL}/")}
    also = tuple({urldefrag(link).url.removeprefix(URL) for link in in_texts})
    found = crawl(read(app.test_client()), also=also)
    assert len(found) > 100
    assert {path: one.status for path, one in found.items() if one.status_code != 200} == {}
    headings = {path: LinkParser(one.text).ids for path, one in found.items() if one.mimetype == "text/html"}
    contents = [
        (path, link)
        for path, ids in headings.items()
        for link in LinkParser(found[path].text).links
        if link.startswith("#") and unquote(link[1:]) not in ids
    ]
    assert contents == []
