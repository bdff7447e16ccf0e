"""Walking folders whose names nobody vouches for."""

from __future__ import annotations

import errno
import os
import sys
import unicodedata
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from blogapi.transfer import folder
from blogapi.transfer.article_record import NotAnArticle, RefusedFile
from blogapi.transfer.markdown import reader

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX file system")


@pytest.fixture
def blog(tmp_path):
    made = tmp_path / "blog"
    (made / "2021").mkdir(parents=True)
    for name in ("b.md", "a.md", "2021/c.md", "photo.png"):
        (made / name).write_text("Text", encoding="utf-8")
    return made


@pytest.fixture
def now():
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def deep(blog, monkeypatch):
    """The names, of one letter, of folders so deep that the system takes no path to the lowest."""
    monkeypatch.chdir(blog)
    names = [letter * 200 for letter in "abcdefghijklmnopqrstuvwxyz"]
    for name in names:
        os.mkdir(name)  # noqa: PTH102 (a relative name, for the path is too long)
        os.chdir(name)
    with open("post.md", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("Text")
    yield names
    os.unlink("post.md")  # noqa: PTH108
    for name in reversed(names):
        os.chdir("..")
        os.rmdir(name)  # noqa: PTH106


def keys(path):
    return [entry.key for entry in folder.walk_files(path)]


def problems(path):
    """Return the kind of problem of each entry that has one."""
    return {entry.key: type(entry.problem) for entry in folder.walk_files(path) if entry.problem}


def by_key(path):
    return {entry.key: entry for entry in folder.walk_files(path)}


def test_files_come_sorted_with_the_folder_s_name(blog):
    assert keys(blog) == ["blog/2021/c.md", "blog/a.md", "blog/b.md", "blog/photo.png"]


def test_a_single_file_has_the_key_it_has_in_its_folder(blog):
    assert keys(blog / "a.md") == ["blog/a.md"]


def test_a_relative_path_gives_the_real_name(blog, monkeypatch):
    monkeypatch.chdir(blog / "2021")
    assert keys(type(blog)(".")) == ["2021/c.md"]


@pytest.mark.parametrize(
    "name", [".git", ".obsidian", "node_modules", "__MACOSX", "_layouts", "archetypes", "Templates", "themes"]
)
def test_a_folder_without_articles_is_one_skipped_entry(blog, name):
    (blog / "2021" / name).mkdir()
    (blog / "2021" / name / "x.md").write_text("Text", encoding="utf-8")
    assert len(keys(blog)) == 5
    assert problems(blog) == {f"blog/2021/{name}": NotAnArticle}


@pytest.mark.parametrize("name", [".git", "templates"])
def test_a_folder_that_is_named_itself_is_imported(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.md").write_text("Text", encoding="utf-8")
    assert problems(tmp_path / name) == {}


def test_a_hidden_file_is_skipped(blog):
    (blog / ".hidden.md").write_text("Text", encoding="utf-8")
    assert problems(blog) == {"blog/.hidden.md": NotAnArticle}


def test_a_file_called_like_a_folder_of_templates_is_read(blog):
    (blog / "layouts").write_text("Text", encoding="utf-8")
    assert problems(blog) == {}


def test_an_empty_folder_has_no_files(tmp_path):
    assert keys(tmp_path) == []


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(RefusedFile, match="cannot be opened"):
        keys(tmp_path / "nothing")


@posix
def test_links_are_not_followed(blog, tmp_path):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (blog / "link.md").symlink_to(tmp_path / "secret.md")
    (blog / "loop").symlink_to(blog)
    found = by_key(blog)
    assert len(found) == 6
    for key in ("blog/link.md", "blog/loop"):
        with pytest.raises(RefusedFile, match="symbolic link"):
            folder.read_bytes(found[key].path)


def test_a_junction_of_windows_is_not_followed(blog, monkeypatch):
    looked_at = type(blog).lstat

    def lstat(path):
        found = looked_at(path)
        if path.name != "2021":
            return found
        return SimpleNamespace(st_mode=found.st_mode, st_size=0, st_reparse_tag=folder._JUNCTION)

    monkeypatch.setattr(type(blog), "lstat", lstat)
    assert keys(blog)[0] == "blog/2021"
    with pytest.raises(RefusedFile, match="symbolic link"):
        folder.read_bytes(blog / "2021")


@posix
def test_a_path_too_long_for_the_system_is_one_refused_entry(blog, deep):
    found = problems(blog)
    assert list(found.values()) == [RefusedFile]
    assert next(iter(found)).startswith(f"blog/{'/'.join(deep[:4])}")
    assert len(keys(blog)) == 5


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENAMETOOLONG, "File name too long"), "path is too long"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "no such file"),
        (PermissionError(errno.EACCES, "Permission denied"), "permission denied"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links"), "too many levels"),
        (OSError(errno.EIO, "Input/output error"), "input/output error"),
        (ValueError("embedded null byte"), "valueerror"),
    ],
)
def test_what_the_system_does_not_show_is_one_refused_entry(blog, monkeypatch, error, told):
    looked_at = type(blog).lstat

    def lstat(path):
        if path.name == "2021":
            raise error
        return looked_at(path)

    monkeypatch.setattr(type(blog), "lstat", lstat)
    assert problems(blog) == {"blog/2021": RefusedFile}
    assert keys(blog) == ["blog/2021", "blog/a.md", "blog/b.md", "blog/photo.png"]
    assert told in str(by_key(blog)["blog/2021"].problem)


def test_a_folder_that_vanishes_while_it_is_listed_is_one_refused_entry(blog, monkeypatch):
    listed = type(blog).iterdir

    def iterdir(path):
        if path.name == "2021":
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return listed(path)

    monkeypatch.setattr(type(blog), "iterdir", iterdir)
    assert problems(blog) == {"blog/2021": RefusedFile}


def test_the_same_path_twice_is_read_once(blog):
    assert len(list(folder.all_files([blog, blog / "a.md", blog]))) == 4


def test_a_second_file_with_the_same_key_is_refused(blog, tmp_path):
    other = tmp_path / "other" / "blog"
    other.mkdir(parents=True)
    (other / "a.md").write_text("Text", encoding="utf-8")
    first, *rest, second = folder.all_files([blog / "a.md", blog, other])
    assert (first.key, second.key) == ("blog/a.md", "blog/a.md")
    assert first.problem is None
    assert [entry.problem for entry in rest] == [None, None, None]
    with pytest.raises(RefusedFile, match="same name"):
        raise second.problem


@posix
def test_a_pipe_is_refused_at_once(blog):
    os.mkfifo(blog / "pipe.md")
    with pytest.raises(RefusedFile, match="no regular file"):
        folder.read_bytes(blog / "pipe.md")


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes only UTF-8")
def test_odd_names_give_clean_distinct_keys(blog):
    for name in (b"\xff.md", b"\xfe.md", b"new\nline.md", unicodedata.normalize("NFD", "é.md").encode()):
        with open(os.path.join(os.fsencode(blog), name), "wb") as file:  # noqa: PTH118, PTH123 (a name of bytes)
            file.write(b"Text")
    assert set(keys(blog)) >= {"blog/\\udcff.md", "blog/\\udcfe.md", "blog/new\\u000aline.md", "blog/é.md"}


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes one form of Unicode")
def test_two_names_that_give_one_key_do_not_overwrite_each_other(blog):
    for form in ("NFC", "NFD"):
        (blog / f"{unicodedata.normalize(form, 'é')}.md").write_text(form, encoding="utf-8")
    entries = [entry for entry in folder.all_files([blog]) if entry.key == "blog/é.md"]
    assert [type(entry.problem) for entry in entries] == [type(None), RefusedFile]


def test_a_folder_that_cannot_be_listed_is_refused(blog, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(blog), "iterdir", denied)
    with pytest.raises(RefusedFile, match=r"cannot be listed \(permission denied\)"):
        keys(blog)


def test_a_file_at_the_limit_is_read(blog):
    assert folder.read_bytes(blog / "a.md", limit=4) == b"Text"


def test_a_longer_file_is_refused(blog):
    with pytest.raises(RefusedFile, match="4 bytes, more than 3"):
        folder.read_bytes(blog / "a.md", limit=3)


def exchange_before_open(monkeypatch, exchange):
    """Call `exchange` after the file was looked at and before it is opened."""
    opened = os.open

    def open_later(path, flags, *args, **options):
        exchange()
        return opened(path, flags, *args, **options)

    monkeypatch.setattr(folder.os, "open", open_later)


def test_a_file_exchanged_for_a_longer_one_is_refused(blog, monkeypatch):
    path = blog / "a.md"
    exchange_before_open(monkeypatch, lambda: path.write_text("Longer", encoding="utf-8"))
    with pytest.raises(RefusedFile, match="6 bytes, more than 4"):
        folder.read_bytes(path, limit=4)


@posix
def test_a_file_exchanged_for_a_pipe_is_refused(blog, monkeypatch):
    def exchange():
        (blog / "a.md").unlink()
        os.mkfifo(blog / "a.md")

    exchange_before_open(monkeypatch, exchange)
    with pytest.raises(RefusedFile, match="no regular file"):
        folder.read_bytes(blog / "a.md")


@posix
def test_a_file_exchanged_for_a_link_is_refused(blog, tmp_path, monkeypatch):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")

    def exchange():
        (blog / "a.md").unlink()
        (blog / "a.md").symlink_to(tmp_path / "secret.md")

    exchange_before_open(monkeypatch, exchange)
    with pytest.raises(RefusedFile, match="cannot be read"):
        folder.read_bytes(blog / "a.md")


def test_a_file_that_grows_while_it_is_read_is_refused(blog, monkeypatch):
    path = blog / "a.md"
    looked_at = os.fstat

    def grow(number):
        found = looked_at(number)
        path.write_text("Longer", encoding="utf-8")
        return found

    monkeypatch.setattr(folder.os, "fstat", grow)
    with pytest.raises(RefusedFile, match="more than 4"):
        folder.read_bytes(path, limit=4)


def test_a_file_that_has_gone_is_refused(blog):
    with pytest.raises(RefusedFile, match="cannot be read"):
        folder.read_bytes(blog / "gone.md")


def test_a_file_of_another_type_is_not_even_opened(blog, now):
    with pytest.raises(NotAnArticle, match=r"photo\.png"):
        reader.read_file(folder.Entry("blog/photo.png", blog / "gone.png"), now=now)


def test_a_file_is_read_into_a_record(blog, now):
    assert reader.read_file(folder.Entry("blog/a.md", blog / "a.md"), now=now).content == "Text"


def test_an_entry_with_a_problem_is_not_read(blog, now):
    entry = folder.Entry("blog/a.md", blog / "a.md", RefusedFile("Broken."))
    with pytest.raises(RefusedFile, match="Broken"):
        reader.read_file(entry, now=now)
