"""The versions, working copies and preview links of pages, which have the same operations as articles."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.site.conftest import set_site

__all__ = ["set_site"]

ARTICLES = "/api/v1/blog/articles/"
PAGES = "/api/v1/blog/pages/"
# Operations on the parts of an item: method, path below the item, and body.
PARTS = [
    ("GET", "working-copy/", None),
    ("PUT", "working-copy/", {"title": "Edits"}),
    ("DELETE", "working-copy/", None),
    ("POST", "working-copy/publish/", {}),
    ("GET", "revisions/", None),
    ("POST", "revisions/", {"name": "Mine"}),
    ("GET", "revisions/1/", None),
    ("PATCH", "revisions/1/", {"name": "Mine"}),
    ("GET", "revisions/1/compare/", None),
    ("POST", "revisions/1/restore/", {}),
    ("GET", "preview/", None),
    ("POST", "preview/", {}),
    ("POST", "open/", None),
]


@pytest.fixture
def page(fill_blog, make_page):
    """A published page below another one."""

    def fill():
        return make_page("Team", content="first", parent=make_page("About")["uuid"], position=3)

    return fill_blog("a page below another one", fill)


@pytest.fixture
def path(page):
    """The path of the page."""
    return f"{PAGES}{page['uuid']}/"


@pytest.mark.parametrize(("method", "part", "body"), PARTS)
def test_neither_path_has_the_parts_of_the_items_of_the_other(
    as_admin, page, make_article, method, part, body
):
    article = make_article(title="Rye")
    for item, own, other in ((page["uuid"], PAGES, ARTICLES), (article.uuid, ARTICLES, PAGES)):
        as_admin.patch(f"{own}{item}/", json={"title": "Second version"})
        as_admin.put(f"{own}{item}/working-copy/", json={"title": "Edits"})
        answer = as_admin.open(f"{other}{item}/{part}", method=method, json=body)
        assert answer.status_code == 404, (other, answer.json)
        assert as_admin.open(f"{own}{item}/{part}", method=method, json=body).status_code < 300


@pytest.mark.parametrize(("method", "part", "body"), PARTS)
def test_a_page_that_does_not_exist_has_no_parts(as_admin, method, part, body):
    for id in (uuid4(), "imprint"):
        assert as_admin.open(f"{PAGES}{id}/{part}", method=method, json=body).status_code == 404


def test_an_author_does_not_work_on_pages(path, as_author):
    for method, part, body in PARTS:
        assert as_author.open(f"{path}{part}", method=method, json=body).status_code == 403


@pytest.mark.parametrize(
    "body", [{"title": "T", "category": str(uuid4())}, {"title": "T", "place": None}, {"title": ""}]
)
def test_the_working_copy_of_a_page_has_no_category_and_no_place(as_admin, path, body):
    answer = as_admin.put(f"{path}working-copy/", json=body)
    assert answer.status_code == 422
    assert as_admin.post(f"{path}revisions/", json={"name": "N", **body}).status_code == 422


def test_a_working_copy_of_a_page_is_published(as_admin, as_reader, page, path):
    saved = as_admin.put(f"{path}working-copy/", json={"title": "Team", "content": "second"})
    assert saved.status_code == 201
    assert "category" not in saved.json
    assert as_admin.put(f"{path}working-copy/", json=saved.json).status_code == 200
    assert as_reader.get(path).json == page
    published = as_admin.post(f"{path}working-copy/publish/", headers={"If-Match": saved.headers["ETag"]})
    assert published.json == page | {"content": "second"}
    assert as_reader.get(path).headers["ETag"] == published.headers["ETag"]
    assert as_admin.post(f"{path}working-copy/publish/?fields=parent").json == {"parent": page["parent"]}


def test_a_draft_of_a_page_is_published_without_a_working_copy(as_admin, make_page):
    draft = make_page("Imprint", status="draft")
    answer = as_admin.post(f"{PAGES}{draft['uuid']}/working-copy/publish/")
    assert (answer.status_code, answer.json["status"]) == (200, "published")


def test_a_version_of_a_page_has_its_place_and_its_restoration_keeps_it(as_admin, page, path):
    as_admin.patch(path, json={"title": "People", "content": "second", "parent": None, "position": 1})
    version = as_admin.get(f"{path}revisions/1/").json
    assert (version["parent"], version["position"]) == (page["parent"], 3)
    assert "category" not in version
    changes = as_admin.get(f"{path}revisions/1/compare/").json["changes"]
    assert {"field": "position", "before": 3, "after": 1} in changes
    restored = as_admin.post(f"{path}revisions/1/restore/")
    assert restored.json == as_admin.get(path).json
    assert (restored.json["content"], restored.json["parent"], restored.json["position"]) == (
        "first",
        None,
        1,
    )


def test_a_deleted_page_is_restored_in_its_place(as_admin, page, path):
    assert as_admin.delete(path).status_code == 204
    assert as_admin.get(f"{ARTICLES}{page['uuid']}/revisions/").status_code == 404
    (version,) = as_admin.get(f"{path}revisions/").json
    restored = as_admin.post(f"{path}revisions/{version['number']}/restore/")
    assert restored.json == page | {"status": "draft", "seo": restored.json["seo"]}


def test_a_deleted_page_is_restored_at_the_top_if_the_page_above_it_is_gone(as_admin, page, path):
    for uuid in (page["uuid"], page["parent"]):
        assert as_admin.delete(f"{PAGES}{uuid}/").status_code == 204
    restored = as_admin.post(f"{path}revisions/1/restore/").json
    assert (restored["parent"], restored["position"]) == (None, 3)


def test_a_preview_of_a_page_shows_its_edits_and_its_place(as_admin, as_stranger, page, path):
    link = as_admin.post(f"{path}preview/").json
    assert as_stranger.get(link["api_url"]).json == page
    assert as_stranger.get(f"{link['api_url']}?fields=category,parent").json == {"parent": page["parent"]}
    as_admin.put(f"{path}working-copy/", json={"title": "Edited", "content": "new"})
    shown = as_stranger.get(link["api_url"]).json
    assert (shown["title"], shown["content"], shown["parent"]) == ("Edited", "new", page["parent"])
    assert "category" not in shown
    assert as_stranger.get(f"{link['api_url']}?fields=position,html,category,next").json == {
        "html": "new",
        "position": 3,
    }
    assert "Edited" in as_stranger.get(link["url"], headers={"Accept": "text/html"}).text
    assert [one["uuid"] for one in as_admin.get(f"{path}preview/").json] == [link["uuid"]]
    assert as_admin.delete(f"{path}preview/{link['uuid']}/").status_code == 204
    assert as_stranger.get(link["api_url"]).status_code == 404


def test_a_page_has_an_seo_record(as_admin, page, path):
    seo = {"title": "The team", "description": "Who we are", "canonical_url": "https://a.example/"}
    changed = as_admin.patch(path, json={"seo": seo}).json
    assert changed["seo"].items() >= seo.items()
    assert changed["seo"]["article"] == page["uuid"]


def test_the_list_of_pages_shows_who_has_one_open(as_admin, path, as_editor):
    assert as_editor.post(f"{path}open/").json == []
    (other,) = as_admin.post(f"{path}open/").json
    assert other["username"]
    assert as_admin.get(f"{path}?fields=open_by").json["open_by"] == [other]


def test_a_page_has_no_fields_of_articles(as_admin, page, path):
    for asked in (path, PAGES, f"{path}revisions/", f"{path}revisions/1/"):
        assert as_admin.get(f"{asked}?fields=category").status_code == 400, asked


@pytest.mark.parametrize("is_bulk", [False, True])
def test_without_bin_days_the_history_keeps_the_working_copy_of_a_deleted_page(
    app, as_admin, page, path, is_bulk
):
    app.config["BIN_DAYS"] = 0
    as_admin.put(f"{path}working-copy/", json={"title": "Edits"})
    gone = f"{PAGES}?uuid={page['uuid']}" if is_bulk else path
    assert as_admin.delete(gone).status_code == 204
    versions = as_admin.get(f"{path}revisions/?fields=title").json
    assert [version["title"] for version in versions] == ["Edits", "Team"]
    assert as_admin.post(f"{path}revisions/2/restore/").json["title"] == "Edits"


def test_a_version_of_a_working_copy_has_the_current_place_of_the_page(as_admin, path):
    as_admin.put(f"{path}working-copy/", json={"title": "Edits"})
    assert as_admin.patch(path, json={"parent": None, "position": 9}).status_code == 200
    number = as_admin.post(f"{path}revisions/", json={"name": "Mine"}).json["number"]
    version = as_admin.get(f"{path}revisions/{number}/").json
    assert (version["title"], version["parent"], version["position"]) == ("Edits", None, 9)
