"""A private section page makes the articles below the section private."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def statuses(tmp_path):
    """Writes a section page into `blog/section` and returns the status of each article of the blog."""

    def read(section, folder_path="blog/section"):
        below = tmp_path / "blog" / "section" / "below"
        below.mkdir(parents=True)
        for path in (below / "low.md", below.parent / "middle.md", tmp_path / "blog" / "top.md"):
            path.write_text("---\ntitle: Hello\ndate: 2020-01-02\n---\nText", encoding="utf-8")
        (tmp_path / folder_path / "_index.md").write_text(section, encoding="utf-8")
        found = {}
        for entry in walk_path(tmp_path / "blog"):
            try:
                found[entry.path.stem] = reader.read_article(entry, ImportOptions(now=NOW)).status
            except NotAnArticle:
                continue
        return found

    return read


@pytest.mark.parametrize(
    "section",
    [
        "+++\ntitle = 'Secret'\ndraft = true\n+++\n",
        "---\ncascade: {draft: true}\n---\n",
        "---\ncascade: {build: {render: never}}\n---\n",
        "---\ncascade: [{params: {a: b}}, {_build: {list: never}}]\n---\n",
        "+++\n[[cascade]]\ndraft = true\n+++\n",
        "---\ntitle: [\n---\n",
    ],
)
def test_all_articles_below_a_private_section_are_drafts(statuses, section):
    assert statuses(section) == {"low": "draft", "middle": "draft", "top": "published"}


@pytest.mark.parametrize(
    "section",
    [
        "---\ntitle: Notes\nbuild: {render: never}\n---\n",
        "+++\nrender = false\n+++\n",
        "---\ndraft: false\ncascade: {type: docs}\n---\n",
        "---\ncascade: docs\n---\n",
        "Text",
        "",
    ],
)
def test_fields_that_concern_only_the_section_page_do_not_affect_its_articles(statuses, section):
    assert set(statuses(section).values()) == {"published"}


def test_section_pages_above_the_imported_folder_are_not_read(statuses):
    assert set(statuses("---\ndraft: true\n---\n", folder_path="").values()) == {"published"}


@pytest.fixture
def blog(tmp_path):
    """Writes files into `blog`, with `---` around the fields, and returns the status of each article."""

    def read(**files):
        for name, front in files["files"].items():
            path = tmp_path / "blog" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\ntitle: Hello\ndate: 2020-01-02\n{front}\n---\nText", encoding="utf-8")
        found = {}
        for entry in walk_path(tmp_path / "blog"):
            try:
                found[entry.key.removeprefix("blog/")] = reader.read_article(
                    entry, ImportOptions(now=NOW)
                ).status
            except NotAnArticle:
                continue
        return found

    return lambda files: read(files=files)


@pytest.mark.parametrize("name", ["_index.fr.md", "_index.pt-BR.markdown", "_INDEX.md", "_index.mkd"])
def test_the_section_page_of_a_language_makes_articles_private(blog, name):
    found = blog({f"a/{name}": "cascade: {draft: true}", "a/b/c.md": "", "d.md": ""})
    assert found == {"a/b/c.md": "draft", "d.md": "published"}


def test_the_section_page_of_a_language_does_not_affect_articles_in_other_languages(blog):
    files = {"a/_index.fr.md": "draft: true", "a/b.fr.md": "", "a/b.en.md": "", "a/c/index.en.md": ""}
    found = blog(files)
    assert found == {"a/b.fr.md": "draft", "a/b.en.md": "published", "a/c/index.en.md": "published"}


@pytest.mark.parametrize("name", ["index.md", "index.markdown", "index.html", "index.fr.md"])
@pytest.mark.parametrize(
    "front", ["draft: true", "headless: true", "published: false", "build: {render: never}"]
)
def test_the_files_of_a_private_bundle_are_drafts(blog, name, front):
    found = blog({f"trip/{name}": front, "trip/part.md": "", "trip/more/part.md": "", "top.md": ""})
    found.pop(f"trip/{name}", None)
    assert found == {"trip/part.md": "draft", "trip/more/part.md": "draft", "top.md": "published"}


def test_the_files_of_a_public_bundle_are_published(blog):
    found = blog({"trip/index.md": "", "trip/index.fr.md": "draft: true", "trip/part.en.md": ""})
    assert found == {
        "trip/index.md": "published",
        "trip/index.fr.md": "draft",
        "trip/part.en.md": "published",
    }


def test_an_index_page_that_is_only_left_out_of_lists_does_not_affect_other_files(blog):
    fields = "eleventyExcludeFromCollections: true\nhide: true\npermalink: false"
    assert blog({"index.md": fields, "a.md": ""}) == {"index.md": "draft", "a.md": "published"}
