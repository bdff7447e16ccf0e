"""Files that were imported before are recognised even if their key has changed."""

from __future__ import annotations

import pytest

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.identity import match_entries, separate_blogs


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


def test_the_folder_of_another_blog_is_not_recognised_by_names_alone(match):
    assert (
        match("other", {"posts/a.md": "3", "posts/b.md": "4"}, {"posts/a.md": "1", "posts/b.md": "2"}) == {}
    )


def test_the_files_of_a_renamed_folder_are_recognised_by_their_contents(match):
    stored = {"blog/a.md": "1", "blog/b.md": "2", "blog/c/d.md": "3"}
    found = match("site", {"a.md": "1", "b.md": "changed", "c/d.md": "3"}, stored)
    assert found == {"site/a.md": "blog/a.md", "site/c/d.md": "blog/c/d.md"}


def test_a_renamed_file_is_recognised_by_its_content(match):
    stored = {"blog/a.md": "1", "blog/b.md": "2"}
    assert match("blog", {"a.md": "1", "drafts/c.md": "2"}, stored) == {"blog/drafts/c.md": "blog/b.md"}


def test_a_copy_of_a_file_that_still_exists_is_not_matched(match):
    assert match("blog", {"a.md": "1", "b.md": "1"}, {"blog/a.md": "1"}) == {}
    assert match("blog/b", {"c.md": "1"}, {"blog/a.md": "1"}, present=["blog/a.md"]) == {}


def test_each_stored_file_is_matched_once(match):
    assert match("blog", {"b.md": "1", "c.md": "1"}, {"blog/a.md": "1"}) == {"blog/b.md": "blog/a.md"}


def test_stored_files_without_a_digest_are_not_compared(match):
    assert match("site", {"a.md": "1"}, {"blog/a.md": None}) == {}


def test_a_file_that_cannot_be_read_is_not_recognised_by_content(tmp_path):
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


@pytest.fixture
def import_blog(tmp_path):
    """Imports the files of a folder, and returns the former and the new keys of all that were imported."""
    stored, roots = {}, {}

    def read(entry):
        return entry.path.read_text(encoding="utf-8")

    def import_blog(root, files=None):
        path = tmp_path / root
        for name, text in (files or {}).items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text, encoding="utf-8")
        entries = separate_blogs([*folder.walk_path(path)], stored, roots, read)
        matches = match_entries(entries, stored, read, roots)
        for entry in entries:
            former = matches.get(entry.key, entry.key)
            key = former if former.endswith(f"/{entry.key}") else entry.key
            stored.pop(former, None), roots.pop(former, None)
            stored[key], roots[key] = read(entry), folder.find_root(entry.path, key)
        return sorted(stored)

    return import_blog


def test_files_of_two_blogs_with_equal_folders_keep_their_keys(import_blog):
    assert import_blog("a/posts", {"x.md": "1", "y.md": "2"}) == ["posts/x.md", "posts/y.md"]
    both = ["b/posts/x.md", "b/posts/z.md", "posts/x.md", "posts/y.md"]
    assert import_blog("b/posts", {"x.md": "3", "z.md": "4"}) == both
    assert [import_blog("a/posts"), import_blog("b/posts"), import_blog("b/posts")] == [both] * 3
    assert import_blog("b/posts", {"x.md": "changed"}) == both


def test_files_of_an_inner_or_outer_folder_are_recognised_at_their_paths_if_they_have_changed(import_blog):
    keys = import_blog("blog/posts", {"a.md": "1", "cafe\u0301.md": "2"})
    changed = {"posts/a.md": "changed", "posts/cafe\u0301.md": "changed", "about.md": "3"}
    outer = import_blog("blog", changed)
    assert outer == ["blog/about.md", "blog/posts/a.md", "blog/posts/caf\u00e9.md"]
    assert (keys, import_blog("blog/posts", {"a.md": "changed again"})) == (
        ["posts/a.md", "posts/caf\u00e9.md"],
        outer,
    )


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
    (tmp_path / "a" / "posts" / "x.md").unlink()
    assert import_blog("b/posts", {"x.md": "changed"}) == ["posts/x.md"]


def test_a_subfolder_of_the_second_blog_is_recognised(import_blog):
    import_blog("a/posts", {"x.md": "1"})
    import_blog("b/site", {"posts/x.md": "2"})
    assert import_blog("b/site/posts") == ["posts/x.md", "site/posts/x.md"]


def test_a_file_is_recognised_at_its_path_if_the_keys_of_its_blog_are_taken_later(import_blog):
    import_blog("a/posts", {"x.md": "1"})
    import_blog("b/posts", {"z.md": "2"})
    keys = import_blog("b/posts", {"x.md": "3", "z.md": "changed"})
    assert keys == ["b/posts/x.md", "b/posts/z.md", "posts/x.md"]


def test_files_without_a_known_root_are_the_same_files(tmp_path):
    entry = folder.Entry("posts/x.md", tmp_path / "posts" / "x.md")
    assert separate_blogs([entry], {"posts/x.md": "1"}, {}, lambda entry: None) == [entry]


def test_the_root_of_a_key_is_the_folder_below_which_it_is_a_path(tmp_path):
    path = tmp_path / "blog" / "é.md"
    assert folder.find_root(path, "blog/é.md") == str(tmp_path)
    assert folder.find_root(path, "other/é.md") is None
    assert folder.find_root(path, "wordpress:example.com:1") is None
