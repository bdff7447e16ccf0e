"""Walking folders whose names nobody vouches for."""

from __future__ import annotations

import os
import sys
import unicodedata
from datetime import UTC, datetime

import pytest

from blogapi.transfer import folder
from blogapi.transfer.markdown import reader
from blogapi.transfer.records import NotAnArticle, Refused

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


def keys(path):
    return [key for key, _ in folder.files(path)]


def test_files_come_sorted_with_the_folder_s_name(blog):
    assert keys(blog) == ["blog/2021/c.md", "blog/a.md", "blog/b.md", "blog/photo.png"]


def test_a_single_file_has_the_key_it_has_in_its_folder(blog):
    assert keys(blog / "a.md") == ["blog/a.md"]


def test_a_relative_path_gives_the_real_name(blog, monkeypatch):
    monkeypatch.chdir(blog / "2021")
    assert keys(type(blog)(".")) == ["2021/c.md"]


def test_hidden_and_foreign_folders_are_left_out(blog):
    for name in (".git", "node_modules", "__MACOSX"):
        (blog / name).mkdir()
        (blog / name / "x.md").write_text("Text", encoding="utf-8")
    (blog / ".hidden.md").write_text("Text", encoding="utf-8")
    assert len(keys(blog)) == 4


def test_an_empty_folder_has_no_files(tmp_path):
    assert keys(tmp_path) == []


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(Refused, match="cannot be opened"):
        keys(tmp_path / "nothing")


@posix
def test_links_are_not_followed(blog, tmp_path):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (blog / "link.md").symlink_to(tmp_path / "secret.md")
    (blog / "loop").symlink_to(blog)
    found = dict(folder.files(blog))
    assert len(found) == 6
    with pytest.raises(Refused, match="symbolic link"):
        folder.read_bytes(found["blog/link.md"])


@posix
def test_a_pipe_is_refused_at_once(blog):
    os.mkfifo(blog / "pipe.md")
    with pytest.raises(Refused, match="no regular file"):
        folder.read_bytes(blog / "pipe.md")


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes only UTF-8")
def test_odd_names_give_clean_distinct_keys(blog):
    for name in (b"\xff.md", b"\xfe.md", b"new\nline.md", unicodedata.normalize("NFD", "é.md").encode()):
        with open(os.path.join(os.fsencode(blog), name), "wb") as file:  # noqa: PTH118, PTH123 (a name of bytes)
            file.write(b"Text")
    assert set(keys(blog)) >= {"blog/\\udcff.md", "blog/\\udcfe.md", "blog/new\\u000aline.md", "blog/é.md"}


def test_a_folder_that_cannot_be_listed_is_refused(blog, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(blog), "iterdir", denied)
    with pytest.raises(Refused, match=r"cannot be listed \(permission denied\)"):
        keys(blog)


def test_a_file_at_the_limit_is_read(blog):
    assert folder.read_bytes(blog / "a.md", limit=4) == b"Text"


def test_a_longer_file_is_refused(blog):
    with pytest.raises(Refused, match="4 bytes, more than 3"):
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
    with pytest.raises(Refused, match="6 bytes, more than 4"):
        folder.read_bytes(path, limit=4)


@posix
def test_a_file_exchanged_for_a_pipe_is_refused(blog, monkeypatch):
    def exchange():
        (blog / "a.md").unlink()
        os.mkfifo(blog / "a.md")

    exchange_before_open(monkeypatch, exchange)
    with pytest.raises(Refused, match="no regular file"):
        folder.read_bytes(blog / "a.md")


@posix
def test_a_file_exchanged_for_a_link_is_refused(blog, tmp_path, monkeypatch):
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")

    def exchange():
        (blog / "a.md").unlink()
        (blog / "a.md").symlink_to(tmp_path / "secret.md")

    exchange_before_open(monkeypatch, exchange)
    with pytest.raises(Refused, match="cannot be read"):
        folder.read_bytes(blog / "a.md")


def test_a_file_that_grows_while_it_is_read_is_refused(blog, monkeypatch):
    path = blog / "a.md"
    looked_at = os.fstat

    def grow(number):
        found = looked_at(number)
        path.write_text("Longer", encoding="utf-8")
        return found

    monkeypatch.setattr(folder.os, "fstat", grow)
    with pytest.raises(Refused, match="more than 4"):
        folder.read_bytes(path, limit=4)


def test_a_file_that_has_gone_is_refused(blog):
    with pytest.raises(Refused, match="cannot be read"):
        folder.read_bytes(blog / "gone.md")


def test_a_file_of_another_type_is_not_even_opened(blog, now):
    with pytest.raises(NotAnArticle, match=r"photo\.png"):
        reader.read_file("blog/photo.png", blog / "gone.png", now=now)


def test_a_file_is_read_into_a_record(blog, now):
    assert reader.read_file("blog/a.md", blog / "a.md", now=now).content == "Text"
