"""Preview links to articles with a working copy: they show the edits, and change nothing."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES

STATUSES = [
    {"status": "draft"},
    {"status": "published", "published_at": "2999-01-01T00:00:00Z"},
    {"status": "published"},
    {"status": "archived"},
]
BROWSER = {"Accept": "text/html"}


@pytest.fixture
def edit(as_admin):
    """Return a function that saves a working copy of the article of a link."""

    def save(link, **fields):
        article = link["path"].partition("preview/")[0]
        path = f"{article}working-copy/"
        state = as_admin.get(f"{article}?fields=status,published_at").json
        if state["status"] == "scheduled":
            # A scheduled article takes what is saved; only a copy that it had before stays one.
            assert as_admin.patch(article, json={"status": "draft"}).status_code == 200
        response = as_admin.put(path, json={"title": "After", "content_type": "markdown"} | fields)
        assert response.status_code in (200, 201)
        if state["status"] == "scheduled":
            assert as_admin.patch(article, json=state).status_code == 200
        return path

    return save


@pytest.mark.parametrize("fields", STATUSES)
def test_a_link_shows_the_waiting_edits(as_admin, as_stranger, make_link, edit, make_tag, fields):
    link = make_link(title="Before", seo={"description": "Written"}, tags=[make_tag("old")], **fields)
    before = as_stranger.get(f"{link['api_url']}?fields=*,html").json
    tag = make_tag("new")
    edit(link, content="*Edited*", subtitle="s", tags=[str(tag.uuid)], seo={"description": "D"})
    article = as_stranger.get(f"{link['api_url']}?fields=*,html,excerpt,word_count,authors,head").json
    assert (article["title"], article["subtitle"], article["content"]) == ("After", "s", "*Edited*")
    assert (article["html"], article["excerpt"], article["word_count"]) == (
        "<p><em>Edited</em></p>\n",
        "Edited",
        1,
    )
    assert [row["name"] for row in article["tags"]] == ["new"]
    assert (article["seo"]["title"], article["seo"]["description"]) == ("After", "D")
    assert (article["slug"], article["status"]) == (before["slug"], before["status"])
    assert article["category"] == before["category"] and article["authors"]
    assert article["head"]["title"] == "After"
    page = as_stranger.get(link["url"], headers=BROWSER).text
    assert "After" in page and "Before" not in page
    assert ("with edits that are not public yet" in page) == (fields != STATUSES[0])


def test_the_preview_is_the_article_after_publishing(as_admin, as_stranger, make_link, edit, make_guest):
    link = make_link(title="Before", status="published")
    author = str(make_guest("Zoë").uuid)
    copy = edit(link, slug="other", content="![](/media/x.png)", cover_image="/c.png", authors=[author])
    fields = "fields=*,html,toc,cover,excerpt,authors,reading_minutes,related"
    preview = as_stranger.get(f"{link['api_url']}?{fields}").json
    published = as_admin.post(f"{copy}publish/?{fields}").json
    assert preview["seo"].pop("last_updated") <= published["seo"].pop("last_updated")
    assert preview == published
    assert as_stranger.get(f"{link['api_url']}?{fields}").json["title"] == "After"


@pytest.mark.parametrize("fields", STATUSES)
def test_a_link_changes_nothing_that_readers_see(as_admin, as_reader, as_stranger, make_link, edit, fields):
    link = make_link(title="Before", **fields)
    edit(link, content="Edited")
    path = link["path"].partition("preview/")[0]
    copy = as_admin.get(f"{path}working-copy/")

    def read():
        paths = (ARTICLES, path, "/feeds/atom.xml", "/sitemap.xml", "/api/v1/blog/changes/?since=0")
        public = [(one.status_code, one.data, one.headers.get("ETag")) for one in map(as_reader.get, paths)]
        own = as_admin.get(f"{path}?fields=*,html,last_updated,published_at,working_copy")
        return [*public, own.data, own.headers["ETag"], as_admin.get(f"{path}revisions/").data]

    before = read()
    created = as_admin.post(f"{path}preview/").json
    assert as_stranger.get(created["api_url"]).json["title"] == "After"
    assert as_stranger.get(created["url"], headers=BROWSER).status_code == 200
    assert read() == before
    after = as_admin.get(f"{path}working-copy/")
    assert (after.data, after.headers["ETag"]) == (copy.data, copy.headers["ETag"])


def test_the_edits_appear_nowhere_else(as_reader, as_stranger, as_login, make_link, edit):
    # Without an address there are no feeds.
    assert as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"}).status_code == 200
    link = make_link(title="Before", status="published", content="first")
    edit(link, content="unspeakable")
    assert as_stranger.get(link["api_url"]).json["content"] == "unspeakable"
    path = link["path"].partition("preview/")[0]
    for address in (path, ARTICLES, f"{ARTICLES}?q=unspeakable", "/feeds/atom.xml", "/sitemap.xml"):
        answer = as_reader.get(address)
        found = "unspeakable" in answer.text.replace("q=unspeakable", "")
        assert (answer.status_code, found) == (200, False), address
    own = as_reader.get(f"{link['api_url']}?fields=title,working_copy,editor").json
    assert own == {"title": "After", "editor": None, "working_copy": None}


def test_deleted_terms_are_left_out(as_admin, as_stranger, make_link, edit, make_tag, make_category):
    link, tag, category = make_link(status="published"), make_tag(), make_category()
    before = as_stranger.get(link["api_url"]).json["category"]
    edit(link, tags=[str(tag.uuid)], category=str(category.uuid))
    assert as_stranger.get(link["api_url"]).json["category"]["uuid"] == str(category.uuid)
    for kind, term in (("tags", tag), ("categories", category)):
        assert as_admin.delete(f"/api/v1/blog/{kind}/{term.uuid}/").status_code == 204
    after = as_stranger.get(link["api_url"]).json
    assert (after["tags"], after["category"]) == ([], before)


def test_without_its_working_copy_a_link_shows_the_article(as_admin, as_stranger, make_link, edit):
    link = make_link(title="Before", status="published")
    plain = as_stranger.get(link["api_url"]).json
    copy = edit(link)
    assert as_admin.delete(copy).status_code == 204
    assert as_stranger.get(link["api_url"]).json == plain
    page = as_stranger.get(link["url"], headers=BROWSER)
    assert (page.status_code, "edits" in page.text) == (200, False)


@pytest.mark.parametrize("number", [1, 20])
def test_the_edits_cost_a_fixed_number_of_statements(
    as_stranger, make_link, edit, make_tag, make_guest, record_statements, number
):
    link = make_link()
    authors = [str(make_guest().uuid) for _ in range(number)]
    edit(link, tags=[str(make_tag().uuid) for _ in range(number)], authors=authors)
    with record_statements() as executed:
        assert as_stranger.get(link["api_url"]).status_code == 200
    assert len(executed) == 8
