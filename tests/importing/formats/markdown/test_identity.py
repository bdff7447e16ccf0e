"""Files that were imported before are recognised by their place, or by their path in their blog."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry, find_root_folder, walk_path
from blogapi.importing.formats.markdown.source import MarkdownSource, assign_keys
from blogapi.importing.refusals import RefusedFile


@pytest.fixture
def import_blog(tmp_path):
    """Imports the files of a folder, and returns the keys of all files that were imported."""
    roots = {}

    def import_blog(root, files=None):
        path = tmp_path / root
        for name, text in (files or {}).items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text, encoding="utf-8")
        for entry, former_key in assign_keys([*walk_path(path)], roots):
            roots.pop(former_key, None)
            roots[entry.key] = find_root_folder(entry.path, entry.key)
        return sorted(roots)

    return import_blog


def test_a_file_with_another_path_is_another_file(import_blog):
    import_blog("blog", {"a.md": "1"})
    assert import_blog("blog", {"b.md": "1"}) == ["blog/a.md", "blog/b.md"]


def test_files_of_two_blogs_with_equal_folders_keep_their_keys(import_blog):
    assert import_blog("a/posts", {"x.md": "1", "y.md": "2"}) == ["posts/x.md", "posts/y.md"]
    both = ["b/posts/x.md", "b/posts/z.md", "posts/x.md", "posts/y.md"]
    assert import_blog("b/posts", {"x.md": "3", "z.md": "4"}) == both
    assert [import_blog("a/posts"), import_blog("b/posts"), import_blog("b/posts")] == [both] * 3
    assert import_blog("b/posts", {"x.md": "changed"}) == both


def test_files_of_an_inner_or_outer_folder_are_recognised_at_their_places_if_they_have_changed(import_blog):
    keys = import_blog("blog/posts", {"a.md": "1", "cafe\u0301.md": "2"})
    changed = {"posts/a.md": "changed", "posts/cafe\u0301.md": "changed", "about.md": "3"}
    outer = import_blog("blog", changed)
    assert outer == ["blog/about.md", "blog/posts/a.md", "blog/posts/caf\u00e9.md"]
    assert (keys, import_blog("blog/posts", {"a.md": "changed again"})) == (
        ["posts/a.md", "posts/caf\u00e9.md"],
        outer,
    )


def test_a_new_file_gets_a_key_below_the_outer_folder_of_the_others(import_blog):
    import_blog("blog", {"posts/a.md": "1"})
    assert import_blog("blog/posts", {"b.md": "2"}) == ["blog/posts/a.md", "blog/posts/b.md"]


def test_a_third_blog_gets_a_longer_key(import_blog):
    for root in ("one/a/posts", "one/b/posts", "two/b/posts"):
        import_blog(root, {"x.md": root})
    keys = ["b/posts/x.md", "posts/x.md", "two/b/posts/x.md"]
    assert [import_blog(root) for root in ("two/b/posts", "one/a/posts")] == [keys] * 2


def test_equal_files_of_two_blogs_are_two_files(import_blog):
    import_blog("a/posts", {"hello.md": "Hello", "x.md": "1", "y.md": "2"})
    keys = import_blog("b/posts", {"hello.md": "Hello", "x.md": "3", "y.md": "4"})
    assert [key for key in keys if key.endswith("hello.md")] == ["b/posts/hello.md", "posts/hello.md"]


def test_a_copy_of_a_blog_is_the_same_blog(import_blog):
    import_blog("a/posts", {"x.md": "1", "y.md": "2"})
    assert import_blog("b/posts", {"x.md": "1", "y.md": "changed", "z.md": "3"}) == [
        *("posts/x.md", "posts/y.md", "posts/z.md")
    ]


def test_a_blog_that_was_moved_is_the_same_blog(import_blog, tmp_path):
    import_blog("a/posts", {"x.md": "1"})
    shutil.rmtree(tmp_path / "a")
    assert import_blog("b/posts", {"x.md": "changed"}) == ["posts/x.md"]


def test_a_subfolder_of_the_second_blog_is_recognised(import_blog):
    import_blog("a/posts", {"x.md": "1"})
    import_blog("b/site", {"posts/x.md": "2"})
    assert import_blog("b/site/posts") == ["posts/x.md", "site/posts/x.md"]


def test_the_files_of_a_folder_keep_one_key_if_the_keys_of_its_blog_are_taken_later(import_blog):
    import_blog("a/posts", {"x.md": "1"})
    import_blog("b/posts", {"z.md": "2"})
    keys = import_blog("b/posts", {"x.md": "3", "z.md": "changed"})
    assert keys == ["b/posts/x.md", "b/posts/z.md", "posts/x.md"]


def test_files_without_a_known_root_keep_their_keys(tmp_path):
    entries = [
        Entry("posts/x.md", tmp_path / "posts" / "x.md"),
        Entry("posts/y.md", tmp_path / "posts" / "y.md", RefusedFile("Broken.")),
    ]
    assert assign_keys(entries, {}) == [(entry, "") for entry in entries]


def test_a_root_in_another_unicode_form_is_the_same_place(tmp_path):
    entry = Entry("posts/x.md", tmp_path / "caf\u00e9" / "posts" / "x.md")
    roots = {"posts/x.md": str(tmp_path / "cafe\u0301")}
    assert assign_keys([entry], roots) == [(entry, "posts/x.md")]


def test_the_root_of_a_key_is_the_folder_below_which_it_is_a_path(tmp_path):
    path = tmp_path / "blog" / "é.md"
    assert find_root_folder(path, "blog/é.md") == str(tmp_path)
    assert find_root_folder(path, "other/é.md") is None
    assert find_root_folder(path, "wordpress:example.com:1") is None


def test_an_inner_folder_has_the_languages_and_parents_of_the_first_import(tmp_path):
    for name in ("_config.yml", "_posts/2020-01-02-a.md", "team/index.md", "team/ada.md", "en/b.md"):
        (tmp_path / "site/blog" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site/blog" / name).write_text("---\ntitle: A\n---\nText", encoding="utf-8")
    shutil.copytree(tmp_path / "site/blog/en", tmp_path / "site/blog/de")
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def read(folder, roots):
        items = MarkdownSource([*walk_path(folder)], ImportOptions(now=now, roots=roots)).read()
        return {item.key: item for item in items if isinstance(item, ArticleRecord)}

    first = read(tmp_path / "site", {})
    assert {record.language for record in first.values()} == {"", "de", "en"}
    assert first["site/blog/team/ada.md"].parent_key == "site/blog/team/index.md"
    expected = {key: replace(record, former_key=key) for key, record in first.items()}
    roots = dict.fromkeys(first, str(tmp_path))
    assert read(tmp_path / "site/blog", roots) == expected
    team = {key: record for key, record in expected.items() if "/team/" in key}
    assert read(tmp_path / "site/blog/team", roots) == team
