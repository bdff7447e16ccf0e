"""A `README.md` is the page of its folder in VuePress, and where it is a post in a folder."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POST = "---\ntitle: Hello\ndate: 2019-02-03\n---\nText"
VUEPRESS = "src/.vuepress/config.js"


@pytest.fixture
def read(tmp_path):
    """Writes a file, and an empty one, and returns the record of the first when the folder is imported."""

    def read(name, text, other="", inner=""):
        for path, content in ((other or "x.csv", ""), (name, text)):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content, encoding="utf-8")
        entries = {entry.path: entry for entry in walk_path(tmp_path / inner)}
        return reader.read_article(entries[tmp_path / name], ImportOptions(now=NOW))

    return read


@pytest.mark.parametrize(
    ("name", "text", "other", "inner"),
    [
        ("src/_blog/001-hello/README.md", POST, VUEPRESS, "src/_blog"),
        ("src/guide/001-hello/README.md", POST, VUEPRESS, ""),
        ("src/guide/001-hello/readme.md", "---\ntitle: Hello\n---\nText", VUEPRESS, "src"),
        ("posts/001-hello/README.md", POST, "", ""),
        ("_posts/x/001-hello/README.md", POST, "", "_posts"),
    ],
)
def test_a_readme_is_the_post_of_its_folder(read, name, text, other, inner):
    record = read(name, text, other, inner)
    assert (record.status, record.slug, record.title) == ("published", "001-hello", "Hello")


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        ("src/README.md", POST.replace("date: 2019-02-03\n", ""), VUEPRESS),
        ("README.md", "# A blog", VUEPRESS),
        ("posts/001-hello/README.md", "---\ntitle: Hello\n---\nText", ""),
        ("src/guide/001-hello/LICENSE.md", "---\ntitle: MIT\n---\nText", VUEPRESS),
    ],
)
def test_another_repository_file_is_skipped(read, name, text, other):
    with pytest.raises(NotAnArticle, match="repository file"):
        read(name, text, other)


@pytest.mark.parametrize(
    "name", ["README.md", "software/001-hello/README.md", "posts/001-hello/CHANGELOG.md"]
)
def test_another_repository_file_with_title_and_date_is_a_draft(read, name):
    assert read(name, POST).status == "draft"


def test_a_readme_does_not_hide_the_files_beside_it(read):
    read("posts/a/README.md", "---\ntitle: Hello\ndraft: true\ndate: 2019-02-03\n---\nText")
    assert read("posts/a/b.md", POST).status == "published"
