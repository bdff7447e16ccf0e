"""Files that were imported before are recognized even if their key has changed."""

from __future__ import annotations

import pytest

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.identity import match_entries


@pytest.fixture
def match(tmp_path):
    """Returns the stored keys that match the files of a folder. The content of a file is used as digest."""

    def match(root, files, stored, *, present=()):
        path = tmp_path / root
        for name in (*files, *present):
            target = path / name if name in files else tmp_path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(files.get(name, "-"), encoding="utf-8")
        entries = [
            entry for entry in folder.walk_path(path) if entry.path.relative_to(path).as_posix() in files
        ]
        return match_entries(entries, stored, lambda entry: entry.path.read_text(encoding="utf-8"))

    return match


def test_a_file_with_a_known_key_is_not_matched(match):
    assert match("blog", {"a.md": "new"}, {"blog/a.md": "1"}) == {}


def test_a_subfolder_of_an_imported_folder_is_recognized_even_if_its_files_have_changed(match):
    stored = {"blog/posts/a.md": "1", "blog/posts/b.md": None}
    found = match("blog/posts", {"a.md": "changed", "b.md": "2", "c.md": "3"}, stored)
    assert found == {"posts/a.md": "blog/posts/a.md", "posts/b.md": "blog/posts/b.md"}


def test_a_folder_above_an_imported_folder_is_recognized_by_one_unchanged_file(match):
    stored = {"posts/a.md": "1", "posts/b.md": "2"}
    found = match("blog", {"posts/a.md": "1", "posts/b.md": "changed", "about.md": "4"}, stored)
    assert found == {"blog/posts/a.md": "posts/a.md", "blog/posts/b.md": "posts/b.md"}


def test_the_folder_of_another_blog_is_not_recognized_by_names_alone(match):
    assert (
        match("other", {"posts/a.md": "3", "posts/b.md": "4"}, {"posts/a.md": "1", "posts/b.md": "2"}) == {}
    )


def test_a_renamed_folder_is_recognized(match):
    stored = {"blog/a.md": "1", "blog/b.md": "2", "blog/c/d.md": "3"}
    found = match("site", {"a.md": "1", "b.md": "changed", "c/d.md": "changed", "e.md": "5"}, stored)
    assert found == {"site/a.md": "blog/a.md", "site/b.md": "blog/b.md", "site/c/d.md": "blog/c/d.md"}


def test_a_renamed_file_is_recognized_by_its_content(match):
    stored = {"blog/a.md": "1", "blog/b.md": "2"}
    assert match("blog", {"a.md": "1", "drafts/c.md": "2"}, stored) == {"blog/drafts/c.md": "blog/b.md"}


def test_a_copy_of_a_file_that_still_exists_is_not_matched(match):
    assert match("blog", {"a.md": "1", "b.md": "1"}, {"blog/a.md": "1"}) == {}
    assert match("blog/b", {"c.md": "1"}, {"blog/a.md": "1"}, present=["blog/a.md"]) == {}


def test_files_with_the_same_content_are_matched_by_the_most_similar_path(match):
    stored = {"blog/p/z.md": "1", "blog/q/a.md": "1", "blog/q/z.md": "1"}
    found = match("site", {"n/a.md": "1", "o/b.md": "1", "p/z.md": "1"}, stored)
    assert found == {
        "site/n/a.md": "blog/q/a.md",
        "site/o/b.md": "blog/q/z.md",
        "site/p/z.md": "blog/p/z.md",
    }


def test_each_stored_file_is_matched_once(match):
    assert match("blog", {"b.md": "1", "c.md": "1"}, {"blog/a.md": "1"}) == {"blog/b.md": "blog/a.md"}


def test_stored_files_without_a_digest_are_not_compared(match):
    assert match("site", {"a.md": "1"}, {"blog/a.md": None}) == {}


def test_a_file_that_cannot_be_read_is_not_recognized_by_content(tmp_path):
    entries = [
        folder.Entry("blog/a.md", tmp_path / "blog" / "a.md"),
        folder.Entry("blog/b.md", tmp_path / "blog" / "b.md", RefusedFile("Broken.")),
    ]
    assert match_entries(entries, {"blog/c.md": "1"}, lambda entry: None) == {}


def test_no_file_is_read_if_there_is_nothing_to_match(tmp_path):
    def compute_digest(entry):
        raise AssertionError

    assert match_entries([folder.Entry("blog/a.md", tmp_path / "a.md")], {}, compute_digest) == {}
    entry = folder.Entry("blog/a.md", tmp_path / "blog" / "a.md")
    assert match_entries([entry], {"blog/a.md": "1"}, compute_digest) == {}
