"""Pages of other systems become pages, with their places and addresses."""

from __future__ import annotations

import re

import pytest

from blogapi.importing.storing.service import Importer
from tests.conftest import ARTICLES
from tests.importing.formats.wordpress.exports import make_export, make_item, make_term
from tests.site.conftest import set_site

__all__ = ["set_site"]

PAGES = "/api/v1/blog/pages/"


@pytest.fixture
def run(app, people):
    """Imports the files with their texts into the blog; returns the report."""

    def run(folder, files, *options, exit_code=0):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        words = ["import", str(folder), "--author", "ada", *options]
        result = app.test_cli_runner().invoke(args=words)
        assert result.exit_code == exit_code, result.output
        return result.stdout

    return run


def make_page(id_, title, parent=0, order=0, **fields):
    fields |= {"post_id": str(id_), "title": title, "post_name": title.lower(), "post_type": "page"}
    return make_item(**fields, post_parent=str(parent), menu_order=str(order))


def list_pages(client):
    return {page["title"]: page for page in client.get(f"{PAGES}?fields=*,url").json}


def test_pages_of_wordpress_have_their_places(run, as_reader, as_admin, set_site, tmp_path):
    set_site(url="https://blog.example")
    post = make_item(
        post_id="9", title="Post", post_name="post", content="See https://example.com/?page_id=2"
    )
    # The page above comes after the one below it.
    pages = (make_page(3, "Team", parent=2, order=4), make_page(2, "About"), make_page(4, "Lost", parent=77))
    output = run(tmp_path / "blog", {"x.xml": make_export(post, *pages)})
    assert "3 of them pages" in output
    found = list_pages(as_reader)
    assert set(found) == {"Team", "About", "Lost"}
    assert (found["Team"]["parent"], found["Team"]["position"]) == (found["About"]["uuid"], 4)
    assert (found["About"]["parent"], found["Lost"]["parent"]) == (None, None)
    assert found["Team"]["url"] == "https://blog.example/about/team/"
    assert [tag["name"] for page in found.values() for tag in page["tags"]] == []
    assert [article["title"] for article in as_reader.get(ARTICLES).json] == ["Post"]
    # No reader knew the address that the page had before the page above it was stored.
    redirects = "/api/v1/blog/redirects/?path="
    assert as_reader.get(f"{redirects}/team/").json == []
    assert "3 of them pages, 0 created, 0 updated, 4 unchanged" in run(tmp_path / "blog", {})
    assert list_pages(as_reader) == found
    swapped = make_export(post, make_page(3, "Team"), make_page(2, "About", parent=3), pages[2])
    assert "2 updated" in run(tmp_path / "blog", {"x.xml": swapped})
    found = list_pages(as_reader)
    assert (found["About"]["parent"], found["Team"]["parent"]) == (found["Team"]["uuid"], None)
    (redirect,) = as_reader.get(f"{redirects}/about/team/").json
    assert redirect["new_url"] == "https://blog.example/team/"
    assert "4 unchanged" in run(tmp_path / "blog", {})


@pytest.mark.parametrize(
    ("format_", "files"),
    [
        (
            "markdown",
            {
                "_posts/2020-01-02-a.md": "---\ntitle: A\n---\nText",
                "about.md": "---\ntitle: About\n---\nText",
            },
        ),
        ("wordpress", {"x.xml": make_export(make_item(title="A"), make_page(2, "About"))}),
    ],
)
def test_pages_can_be_left_out(run, as_admin, tmp_path, format_, files):
    output = run(tmp_path / "blog", files, "--pages", "skip")
    assert f"Not imported from {format_}: pages" in output, output
    assert as_admin.get(f"{PAGES}?status=any").json == []


@pytest.mark.parametrize(
    ("files", "pages"),
    [
        (  # Jekyll
            {"_posts/2020-01-02-a.md": "", "about.md": "", "about/team.md": "", "_projects/b.md": ""},
            {"about", "team"},
        ),
        (  # Hexo writes a date into pages too.
            {"source/_posts/a.md": "date: 2020-01-02", "source/about/index.md": "date: 2020-01-02"},
            {"about"},
        ),
        (  # Hugo
            {
                **{"content/posts/a.md": "date: 2020-01-02", "content/about.md": "weight: 3"},
                **{"content/dated.md": "date: 2020-01-02", "content/imprint/index.md": ""},
            },
            {"about", "imprint"},
        ),
        ({"a.md": "layout: page", "b.md": "type: page", "c.md": "layout: post"}, {"a", "b"}),
        ({"_posts/2020-01-02-a.md": "layout: page"}, set()),
        ({"a.md": "date: 2020-01-02"}, set()),
    ],
)
def test_pages_of_generators_are_recognised(run, as_admin, tmp_path, files, pages):
    texts = {name: f"---\ntitle: {name}\n{fields}\n---\nText" for name, fields in files.items()}
    run(tmp_path / "blog", texts)
    found = as_admin.get(f"{PAGES}?status=any").json
    assert {page["slug"] for page in found} == pages
    assert len(as_admin.get(f"{ARTICLES}?status=any").json) == len(files) - len(pages)
    by_slug = {page["slug"]: page for page in found}
    if "team" in by_slug:
        assert by_slug["team"]["parent"] == by_slug["about"]["uuid"]
    if "imprint" in by_slug:
        assert by_slug["about"]["position"] == 3


def test_links_between_pages_and_articles_are_rewritten(run, as_reader, set_site, tmp_path):
    set_site(url="https://blog.example", page_path="/p/{path}/")
    files = {
        "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n[team](/about/team/)",
        "about.md": "---\ntitle: About\n---\n[a]({% post_url 2020-01-02-a %})",
        "about/team.md": "---\ntitle: Team\n---\nText",
    }
    run(tmp_path / "blog", files)
    html = as_reader.get(f"{ARTICLES}a/?fields=html").json["html"]
    assert 'href="/p/about/team/"' in html or 'href="https://blog.example/p/about/team/"' in html, html
    assert "/a/" in as_reader.get(f"{PAGES}about/?fields=html").json["html"]


@pytest.fixture
def old_import(run, as_admin, tmp_path):
    """The uuid of an article that an import made of a page, and the files of the import."""
    post, page = make_item(post_id="5", title="P", post_name="p"), make_page(2, "About")
    old_page = page.replace("[page]", "[post]").replace("</item>", f"{make_term('page', 'post_tag')}</item>")
    run(tmp_path / "blog", {"x.xml": make_export(post, old_page)})
    (found,) = as_admin.get(f"{ARTICLES}?tag=page").json
    return found["uuid"], {"x.xml": make_export(post, page)}


def test_a_page_that_was_imported_as_an_article_stays_one(run, as_reader, old_import, tmp_path):
    uuid, files = old_import
    assert "0 updated, 2 unchanged" in run(tmp_path / "blog", files)
    assert as_reader.get(f"{ARTICLES}{uuid}/").status_code == 200
    assert as_reader.get(PAGES).json == []


def set_parent(path, parent):
    """Change the page above that of an exported file."""
    text = re.sub(r"\n *parent:.*", "", path.read_text(encoding="utf-8"))
    line = rf"\n\1type: page\n\1parent: {parent}" if parent else r"\n\1type: page"
    path.write_text(re.sub(r"\n( *)type: page", line, text), encoding="utf-8")


def test_an_edit_before_a_page_gets_its_parent_is_not_overwritten_later(run, as_admin, tmp_path, monkeypatch):
    set_missing_parents = Importer.set_missing_parents

    def edit_first(importer):
        path = f"{PAGES}{list_pages(as_admin)['Team']['uuid']}/"
        assert as_admin.patch(path, json={"content": "My edit"}).status_code == 200
        set_missing_parents(importer)

    monkeypatch.setattr(Importer, "set_missing_parents", edit_first)
    run(tmp_path / "blog", {"x.xml": make_export(make_page(3, "Team", parent=2), make_page(2, "About"))})
    monkeypatch.undo()
    found = list_pages(as_admin)
    assert found["Team"]["parent"] == found["About"]["uuid"]
    pages = make_page(3, "Team", parent=2, content="New"), make_page(2, "About", content="New")
    report = run(tmp_path / "blog", {"x.xml": make_export(*pages)}, exit_code=1)
    assert "1 updated" in report and "1 refused" in report
    found = list_pages(as_admin)
    assert found["Team"]["content"] == "My edit" and "New" in found["About"]["content"]


@pytest.mark.parametrize("state", ["new", "imported", "edited"])
def test_exported_files_put_no_page_below_itself(app, run, as_admin, tmp_path, state):
    top = as_admin.post(PAGES, json={"title": "Top", "status": "published"}).json["uuid"]
    body = {"title": "Below", "status": "published", "parent": top}
    below, folder = as_admin.post(PAGES, json=body).json["uuid"], tmp_path / "export"
    assert app.test_cli_runner().invoke(args=["export", str(folder)]).exit_code == 0
    assert as_admin.delete(f"{PAGES}?uuid={top}&uuid={below}").status_code == 204
    if state != "new":
        run(folder, {})
    if state == "edited":
        as_admin.patch(f"{PAGES}{below}/", json={"title": "Edited"})
        set_parent(next(folder.rglob("below.*")), None)
    set_parent(next(folder.rglob("top.*")), below)
    run(folder, {}, exit_code=1 if state == "edited" else 0)
    parents = [page["parent"] for page in as_admin.get(f"{PAGES}?fields=parent").json]
    assert parents.count(None) == 1
