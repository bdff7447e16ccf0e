"""Folders with unusual names, links, pipes and unreadable files."""

from __future__ import annotations

import errno
import os
import sys
import unicodedata
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from blogapi.importing.format_api import source_files as folder
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle, RefusedFile

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has another file system")


@pytest.fixture
def blog(tmp_path):
    root = tmp_path / "blog"
    (root / "2021").mkdir(parents=True)
    for name in ("b.md", "a.md", "2021/c.md", "photo.png"):
        (root / name).write_text("Text", encoding="utf-8")
    return root


@pytest.fixture
def now():
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def deep_folders(blog, monkeypatch):
    """The names of nested folders whose complete path is too long for the operating system."""
    monkeypatch.chdir(blog)
    names = [letter * 200 for letter in "abcdefghijklmnopqrstuvwxyz"]
    for name in names:
        os.mkdir(name)  # noqa: PTH102 (relative, because the path is too long)
        os.chdir(name)
    with open("post.md", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("Text")
    yield names
    os.unlink("post.md")  # noqa: PTH108
    for name in reversed(names):
        os.chdir("..")
        os.rmdir(name)  # noqa: PTH106


def list_keys(path):
    return [entry.key for entry in folder.walk_path(path)]


def list_problems(path):
    """Return the type of the problem of each entry that has a problem, by the key of the entry."""
    return {entry.key: type(entry.problem) for entry in folder.walk_path(path) if entry.problem}


def by_key(path):
    return {entry.key: entry for entry in folder.walk_path(path)}


def test_files_are_sorted_and_their_keys_begin_with_the_folder_name(blog):
    assert list_keys(blog) == ["blog/2021/c.md", "blog/a.md", "blog/b.md", "blog/photo.png"]


def test_a_single_file_has_the_same_key_as_in_an_import_of_its_folder(blog):
    assert list_keys(blog / "a.md") == ["blog/a.md"]


def test_the_key_of_a_relative_path_begins_with_the_real_folder_name(blog, monkeypatch):
    monkeypatch.chdir(blog / "2021")
    assert list_keys(type(blog)(".")) == ["2021/c.md"]


@pytest.mark.parametrize(
    "name", [".git", ".obsidian", "node_modules", "__MACOSX", "_layouts", "archetypes", "Templates", "themes"]
)
def test_a_folder_without_articles_is_reported_as_one_skipped_entry(blog, name):
    (blog / "2021" / name).mkdir()
    (blog / "2021" / name / "x.md").write_text("Text", encoding="utf-8")
    assert len(list_keys(blog)) == 5
    assert list_problems(blog) == {f"blog/2021/{name}": NotAnArticle}


@pytest.mark.parametrize("name", [".git", "templates"])
def test_a_skipped_folder_can_be_imported_by_its_own_path(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.md").write_text("Text", encoding="utf-8")
    assert list_keys(tmp_path / name) == [f"{name}/a.md"]
    assert list_problems(tmp_path / name) == {}


def test_a_hidden_file_is_skipped(blog):
    (blog / ".hidden.md").write_text("Text", encoding="utf-8")
    assert list_problems(blog) == {"blog/.hidden.md": NotAnArticle}


def test_a_file_named_like_a_template_folder_is_imported(blog):
    (blog / "layouts").write_text("Text", encoding="utf-8")
    assert "blog/layouts" in list_keys(blog) and list_problems(blog) == {}


def test_an_empty_folder_has_no_files(tmp_path):
    assert list_keys(tmp_path) == []


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(RefusedFile, match="cannot be opened"):
        list_keys(tmp_path / "nothing")


@POSIX
def test_symbolic_links_are_not_followed(blog, tmp_path):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (blog / "link.md").symlink_to(tmp_path / "secret.md")
    (blog / "loop").symlink_to(blog)
    found = by_key(blog)
    assert len(found) == 6
    for key in ("blog/link.md", "blog/loop"):
        with pytest.raises(RefusedFile, match="symbolic link"):
            folder.read_bytes(found[key].path)


def test_a_windows_junction_is_not_followed(blog, monkeypatch):
    original = type(blog).lstat

    def lstat(path):
        status = original(path)
        if path.name != "2021":
            return status
        return SimpleNamespace(st_mode=status.st_mode, st_size=0, st_reparse_tag=folder._JUNCTION_TAG)

    monkeypatch.setattr(type(blog), "lstat", lstat)
    assert list_keys(blog)[0] == "blog/2021"
    with pytest.raises(RefusedFile, match="symbolic link"):
        folder.read_bytes(blog / "2021")


@POSIX
def test_a_path_that_is_too_long_is_reported_as_one_refused_entry(blog, deep_folders):
    found = list_problems(blog)
    assert list(found.values()) == [RefusedFile]
    assert next(iter(found)).startswith(f"blog/{'/'.join(deep_folders[:4])}")
    assert len(list_keys(blog)) == 5


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENAMETOOLONG, "File name too long"), "path is too long"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "no such file"),
        (PermissionError(errno.EACCES, "Permission denied"), "permission denied"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links"), "too many levels"),
        (OSError(errno.EIO, "Input/output error"), "input/output error"),
        (ValueError("embedded null byte"), "valueerror"),
    ],
)
def test_an_inaccessible_folder_is_reported_as_one_refused_entry(blog, monkeypatch, error, reason):
    original = type(blog).lstat

    def lstat(path):
        if path.name == "2021":
            raise error
        return original(path)

    monkeypatch.setattr(type(blog), "lstat", lstat)
    assert list_problems(blog) == {"blog/2021": RefusedFile}
    assert list_keys(blog) == ["blog/2021", "blog/a.md", "blog/b.md", "blog/photo.png"]
    assert reason in str(by_key(blog)["blog/2021"].problem)


def test_a_folder_deleted_during_the_import_is_reported_as_one_refused_entry(blog, monkeypatch):
    original = type(blog).iterdir

    def iterdir(path):
        if path.name == "2021":
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return original(path)

    monkeypatch.setattr(type(blog), "iterdir", iterdir)
    assert list_problems(blog) == {"blog/2021": RefusedFile}


def test_a_path_given_twice_is_imported_once(blog):
    assert len(list(folder.walk_paths([blog, blog / "a.md", blog]))) == 4


def test_a_file_that_is_in_two_given_folders_is_imported_once(blog):
    assert [entry.key for entry in folder.walk_paths([blog / "2021", blog])] == [
        *("2021/c.md", "blog/a.md", "blog/b.md", "blog/photo.png")
    ]


def test_a_second_file_with_the_same_key_is_refused(blog, tmp_path):
    other = tmp_path / "other" / "blog"
    other.mkdir(parents=True)
    (other / "a.md").write_text("Text", encoding="utf-8")
    first, *rest, second = folder.walk_paths([blog / "a.md", blog, other])
    assert (first.key, second.key) == ("blog/a.md", "blog/a.md")
    assert first.problem is None
    assert [entry.problem for entry in rest] == [None, None, None]
    with pytest.raises(RefusedFile, match="same name"):
        raise second.problem


@POSIX
def test_a_pipe_is_refused_without_waiting(blog):
    os.mkfifo(blog / "pipe.md")
    with pytest.raises(RefusedFile, match="not a regular file"):
        folder.read_bytes(blog / "pipe.md")


@POSIX
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system accepts only UTF-8")
def test_names_with_unprintable_characters_give_distinct_escaped_keys(blog):
    for name in (b"\xff.md", b"\xfe.md", b"new\nline.md", unicodedata.normalize("NFD", "é.md").encode()):
        with open(os.path.join(os.fsencode(blog), name), "wb") as file:  # noqa: PTH118, PTH123 (the name is bytes)
            file.write(b"Text")
    assert set(list_keys(blog)) >= {
        "blog/\\udcff.md",
        "blog/\\udcfe.md",
        "blog/new\\u000aline.md",
        "blog/é.md",
    }


@POSIX
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system knows only one Unicode form")
def test_the_second_of_two_names_that_differ_only_in_unicode_form_is_refused(blog):
    for form in ("NFC", "NFD"):
        (blog / f"{unicodedata.normalize(form, 'é')}.md").write_text(form, encoding="utf-8")
    entries = [entry for entry in folder.walk_paths([blog]) if entry.key == "blog/é.md"]
    assert [type(entry.problem) for entry in entries] == [type(None), RefusedFile]


def test_a_folder_that_cannot_be_listed_is_refused(blog, monkeypatch):
    def iterdir(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(blog), "iterdir", iterdir)
    with pytest.raises(RefusedFile, match=r"cannot be listed \(permission denied\)"):
        list_keys(blog)


def test_a_file_with_exactly_the_maximum_size_is_read(blog):
    assert folder.read_bytes(blog / "a.md", limit=4) == b"Text"


def test_a_file_larger_than_the_maximum_size_is_refused(blog):
    with pytest.raises(RefusedFile, match="4 bytes, more than 3"):
        folder.read_bytes(blog / "a.md", limit=3)


def replace_before_open(monkeypatch, replace):
    """Call `replace` after the file was checked and before it is opened."""
    original = os.open

    def open_replaced(path, flags, *args, **options):
        replace()
        return original(path, flags, *args, **options)

    monkeypatch.setattr(folder.os, "open", open_replaced)


def test_a_file_replaced_by_a_longer_one_is_refused(blog, monkeypatch):
    path = blog / "a.md"
    replace_before_open(monkeypatch, lambda: path.write_text("Longer", encoding="utf-8"))
    with pytest.raises(RefusedFile, match="6 bytes, more than 4"):
        folder.read_bytes(path, limit=4)


@POSIX
def test_a_file_replaced_by_a_pipe_is_refused(blog, monkeypatch):
    def replace():
        (blog / "a.md").unlink()
        os.mkfifo(blog / "a.md")

    replace_before_open(monkeypatch, replace)
    with pytest.raises(RefusedFile, match="not a regular file"):
        folder.read_bytes(blog / "a.md")


@POSIX
def test_a_file_replaced_by_a_link_is_refused(blog, tmp_path, monkeypatch):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")

    def replace():
        (blog / "a.md").unlink()
        (blog / "a.md").symlink_to(tmp_path / "secret.md")

    replace_before_open(monkeypatch, replace)
    with pytest.raises(RefusedFile, match="cannot be read"):
        folder.read_bytes(blog / "a.md")


def test_a_file_that_grows_while_it_is_read_is_refused(blog, monkeypatch):
    path = blog / "a.md"
    original = os.fstat

    def grow(descriptor):
        status = original(descriptor)
        path.write_text("Longer", encoding="utf-8")
        return status

    monkeypatch.setattr(folder.os, "fstat", grow)
    with pytest.raises(RefusedFile, match="more than 4"):
        folder.read_bytes(path, limit=4)


def test_a_deleted_file_is_refused(blog):
    with pytest.raises(RefusedFile, match="cannot be read"):
        folder.read_bytes(blog / "gone.md")


def test_a_file_with_another_suffix_is_not_opened(blog, now):
    with pytest.raises(NotAnArticle, match=r"photo\.png"):
        reader.read_article(folder.Entry("blog/photo.png", blog / "gone.png"), ImportOptions(now=now))


def test_read_file_returns_a_record(blog, now):
    assert (
        reader.read_article(folder.Entry("blog/a.md", blog / "a.md"), ImportOptions(now=now)).content
        == "Text"
    )


def test_an_entry_with_a_problem_is_not_read(blog, now):
    entry = folder.Entry("blog/a.md", blog / "a.md", RefusedFile("Broken."))
    with pytest.raises(RefusedFile, match="Broken"):
        reader.read_article(entry, ImportOptions(now=now))
