"""Slugs whose address another page of the site has."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES
from tests.contracts.client import outcome

PAGES, TAGS = "/api/v1/blog/pages/", "/api/v1/blog/tags/"
LANGUAGES = [{"language": "de", "title": "", "description": ""}]
RESERVED = ["search", "archive", "page", "admin", "api", "media", "feeds", "theme", "mcp", "de"]


@pytest.mark.parametrize("slug", RESERVED)
@pytest.mark.parametrize("path", [ARTICLES, PAGES])
def test_a_given_slug_is_refused_and_a_derived_one_is_numbered(as_admin, turn_on, get_page, path, slug):
    turn_on(languages=LANGUAGES)
    given = as_admin.post(path, json={"title": "Bread", "slug": slug, "status": "published"})
    assert outcome(given) == (422, "slug_reserved") and given.json["errors"]["slug"]
    derived = as_admin.post(path, json={"title": slug, "status": "published"})
    assert (derived.status_code, derived.json["slug"]) == (201, f"{slug}-2")
    assert slug in get_page(f"/{slug}-2/").text


@pytest.mark.parametrize("slug", ["search", "admin", "de"])
def test_without_the_site_every_slug_is_free(as_admin, set_site, slug):
    set_site(languages=LANGUAGES)
    created = as_admin.post(ARTICLES, json={"title": slug, "status": "published"})
    assert (created.status_code, created.json["slug"]) == (201, slug)


def test_an_unchanged_slug_passes_and_a_new_one_is_refused(as_admin, set_site, turn_on, make_article):
    article = make_article(title="Search")
    other = make_article(title="Bread")
    turn_on()
    own = f"{ARTICLES}{article.uuid}/"
    fields = as_admin.get(own).json
    assert as_admin.patch(own, json={"slug": "search", "content": "New"}).status_code == 200
    assert as_admin.put(own, json=fields | {"content": "Newer"}).status_code == 200
    refused = as_admin.patch(f"{ARTICLES}{other.uuid}/", json={"slug": "archive"})
    assert outcome(refused) == (422, "slug_reserved")


def test_patterns_decide_which_slugs_are_reserved(as_admin, turn_on):
    turn_on(article_path="/posts/{slug}/", tag_path="/{slug}/")
    assert as_admin.post(ARTICLES, json={"title": "Bread", "slug": "search"}).status_code == 201
    assert outcome(as_admin.post(TAGS, json={"name": "A", "slug": "search"})) == (422, "slug_reserved")
    assert as_admin.post(TAGS, json={"name": "Search"}).json["slug"] == "search-2"
    tag = as_admin.post(TAGS, json={"name": "Rye"}).json
    refused = as_admin.patch(f"{TAGS}{tag['uuid']}/", json={"slug": "admin"})
    assert outcome(refused) == (422, "slug_reserved")


@pytest.mark.parametrize(
    ("kind", "free"), [({}, "search"), ({"type": "article"}, "search"), ({"type": "page"}, "search-2")]
)
def test_a_rendering_has_the_free_slug_of_its_kind(as_admin, turn_on, kind, free):
    turn_on(article_path="/posts/{slug}/")
    rendered = as_admin.post("/api/v1/blog/render/", json={"title": "Search", "content": ""} | kind)
    assert (rendered.status_code, rendered.json["free_slug"]) == (200, free)


@pytest.mark.parametrize("status", ["published", "draft"])
@pytest.mark.parametrize(("path", "title"), [(ARTICLES, "title"), (PAGES, "title"), (TAGS, "name")])
def test_the_address_of_an_item_of_another_kind_is_reserved(as_admin, turn_on, path, title, status):
    """An article, a page and a category would have the address /bread/."""
    turn_on(tag_path="/{slug}/", category_path="/{slug}/")
    body = {title: "Bread"} | ({"status": status} if title == "title" else {})
    assert as_admin.post(path, json=body).json["slug"] == "bread"
    for other in {ARTICLES, PAGES, TAGS, CATEGORIES} - {path}:
        name = "title" if other in (ARTICLES, PAGES) else "name"
        if {path, other} == {ARTICLES, PAGES}:
            continue
        refused = as_admin.post(other, json={name: "Loaf", "slug": "bread"})
        assert outcome(refused) == (422, "slug_reserved"), other
        derived = as_admin.post(other, json={name: "Bread"})
        assert derived.status_code == 201 and derived.json["slug"] != "bread", other


def test_a_page_below_others_reserves_the_address_of_a_category(as_admin, turn_on):
    turn_on()
    above = as_admin.post(PAGES, json={"title": "Category", "status": "published"}).json
    below = {"title": "Kitchen", "status": "published", "parent": above["uuid"]}
    assert as_admin.post(PAGES, json=below).status_code == 201
    assert as_admin.post(PAGES, json={"title": "Workshop", "status": "published"}).status_code == 201
    assert as_admin.post(CATEGORIES, json={"name": "Kitchen"}).json["slug"] == "kitchen-2"
    assert as_admin.post(CATEGORIES, json={"name": "Workshop"}).json["slug"] == "workshop"


def test_a_deleted_article_comes_back_with_another_slug(as_admin, turn_on, make_article):
    article = make_article(title="Search")
    own = f"{ARTICLES}{article.uuid}/"
    assert as_admin.delete(own).status_code == 204
    turn_on()
    restored = as_admin.post(f"{own}restore/")
    assert (restored.status_code, restored.json["slug"]) == (200, "search-2")


def test_an_import_numbers_slugs_and_a_second_one_changes_nothing(app, as_admin, turn_on, tmp_path):
    folder, exported = tmp_path / "posts", tmp_path / "export"
    folder.mkdir()
    for name, slug in (("a", "search"), ("b", "archive")):
        text = f"---\ntitle: Loaf {name}\nslug: {slug}\ndate: 2026-01-01\ntags: [Rye]\n---\nBread\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    runner = app.test_cli_runner()

    def run(*arguments):
        result = runner.invoke(args=[*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.output

    assert "2 created" in run("import", folder, "--author", "ada")
    run("export", exported)
    for uuid in [one["uuid"] for one in as_admin.get(f"{ARTICLES}?fields=uuid").json]:
        assert as_admin.delete(f"{ARTICLES}{uuid}/").status_code == 204
    turn_on(tag_path="/{slug}/", article_path="/{slug}/")
    assert "2 created" in run("import", exported, "--author", "ada", "--restore-deleted")
    found = as_admin.get(f"{ARTICLES}?fields=title,slug&ordering=title").json
    assert found == [{"title": "Loaf a", "slug": "search-2"}, {"title": "Loaf b", "slug": "archive-2"}]
    assert "2 unchanged" in run("import", exported, "--author", "ada", "--restore-deleted")
