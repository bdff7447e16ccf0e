"""The files of systems that are not read are refused, with a sentence that says what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import paths, reader
from blogapi.importing.refusals import RefusedFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POST = "---\ntitle: Hello\ndate: 2020-01-02\n---\nText"
KIRBY = "Title: Hello\n\n----\n\nDate: 2020-01-02\n\n----\n\nText: Hi\n"
NIKOLA = {"conf.py": "POSTS = ()\n"}


@pytest.fixture
def read(tmp_path):
    """Writes a file and other files, and returns the record of the file when the folder is imported."""

    def read(name, text, others=(), inner=""):
        for path, content in {**dict(others), name: text}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content, encoding="utf-8")
        entries = {entry.path: entry for entry in walk_path(tmp_path / inner)}
        return reader.read_article(entries[tmp_path / name], ImportOptions(now=NOW))

    return read


@pytest.mark.parametrize(
    ("name", "text", "others", "inner", "system"),
    [
        ("pages/01.blog/hello/item.md", POST, {}, "", "Grav"),
        ("pages/01.blog/hello/item.md", POST, {}, "pages/01.blog", "Grav"),
        ("pages/02.about/default.fr.md", POST, {}, "", "Grav"),
        ("blog/hello/item.md", POST, {"blog/blog.md": ""}, "blog/hello", "Grav"),
        ("user/pages/about/text.md", POST, {"user/config/system.yaml": ""}, "user/pages", "Grav"),
        (
            "content/collections/blog/2020-01-02.a.md",
            POST,
            {"content/collections/blog.yaml": ""},
            "",
            "Statamic",
        ),
        (
            "content/collections/blog/a.md",
            POST,
            {"content/collections/blog.yaml": ""},
            "content/collections/blog",
            "Statamic",
        ),
        ("1_blog/2_hello/article.txt", KIRBY, {}, "", "Kirby"),
        ("content/about/default.txt", "Title: About\n", {"site/blueprints/a.yml": ""}, "content", "Kirby"),
        ("content/about/default.txt", "Title: About\n", {"kirby/index.php": ""}, "", "Kirby"),
        ("content/blog/contents.lr", "title: A\n---\nbody: Text", {}, "", "Lektor"),
        ("content/blog/contents+de.lr", "title: A\n---\nbody: Text", {}, "", "Lektor"),
        (
            "posts/a.txt",
            ".. title: C\n.. slug: c\n.. date: 2013-01-02\n\n``code``\n",
            {},
            "",
            "reStructuredText",
        ),
        ("posts/a.txt", "\n.. slug: c\n.. title: C\n\nText\n", {}, "", "reStructuredText"),
        ("posts/a.txt", "Title\n=====\n\n``code``\n", NIKOLA, "posts", "reStructuredText"),
    ],
)
def test_a_page_of_another_system_is_refused(read, name, text, others, inner, system):
    with pytest.raises(RefusedFile, match=system) as refusal:
        read(name, text, others, inner)
    assert "Markdown" in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [
        ("posts/item.md", POST, {}),
        ("posts/hello/item.md", POST, {}),
        ("posts/hello/item.md", POST, {"hugo.toml": "title = 'A'\n"}),
        ("posts/01.hello/about-the-default.md", POST, {}),
        ("collections/blog/a.md", POST, {}),
        ("pages/a.md", POST, {"config/site.yaml": ""}),
        ("content/posts/a.md", POST, {"site/index.html": ""}),
        ("a/b.txt", "title: A\ndate: 2020-01-02\n\nPart one\n----\n\nNote: this is no field.\n", {}),
        ("a/2020-01-02-b.txt", "A text about .. title: and .. code::\n", {}),
        ("posts/a.md", ".. title: C\n.. date: 2013-01-02\n\nText\n", NIKOLA),
    ],
)
def test_a_similar_file_is_an_article(read, name, text, others):
    assert read(name, text, others).status == "published"


def test_a_file_in_the_root_folder_of_the_computer_belongs_to_no_system():
    paths.refuse_unsupported_path(Path("/item.md"), "/item.md", 7)
