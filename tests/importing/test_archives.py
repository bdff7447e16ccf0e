"""Unpacks zip files of every kind: ordinary ones, damaged ones, and ones that are made to do harm."""

from __future__ import annotations

import errno
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from blogapi.importing import archives
from blogapi.importing.blogapi_export import layout
from blogapi.importing.media.file_lookup import MediaFileFinder
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.messages import DISK_FULL


def make_zip(path, *files, **options):
    """Write a zip file with pairs of a name (or `ZipInfo`) and a content; return its path."""
    with zipfile.ZipFile(path, "w", **{"compression": zipfile.ZIP_DEFLATED} | options) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return path


def unpack(path, **options):
    """Return the unpacked files by path below the folder, and the notes."""
    with archives.open_archive(path, path.parent, **options) as (folder, notes):
        assert folder.name == path.stem
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        found = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    assert not folder.exists()
    return found, tuple(notes)


def refuse(path, **options):
    """Return why a zip file is refused."""
    with pytest.raises(RefusedFile) as refusal, archives.open_archive(path, path.parent, **options):
        raise AssertionError
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    return str(refusal.value)


def test_the_files_of_a_zip_are_unpacked_into_a_private_folder(tmp_path):
    path = make_zip(tmp_path / "blog.zip", ("posts/a.md", b"A"), ("posts/b/", b""), ("c ü.md", b"C"))
    assert unpack(path) == ({"posts/a.md": b"A", "c ü.md": b"C"}, ())
    with archives.open_archive(path, tmp_path) as (folder, _):
        modes = {stat.S_IMODE(one.stat().st_mode) & 0o077 for one in folder.rglob("*.md")}
        assert modes == {0} or archives.os.name == "nt"


# Unpacks an archive, prints its folder, and waits until it is killed.
PROGRAM = """
import sys
from pathlib import Path
from blogapi.importing import archives
with archives.open_archive(Path(sys.argv[1]), Path(sys.argv[2])) as (folder, _):
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_the_folder_of_a_killed_process_is_deleted_and_that_of_a_running_one_stays(tmp_path):
    path, into = make_zip(tmp_path / "blog.zip", ("posts/a.md", b"A")), tmp_path / "imports"
    command = [sys.executable, "-c", PROGRAM, str(path), str(into)]
    root = Path(archives.__file__).parent.parent.parent
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        unpacked = Path(process.stdout.readline().decode().strip())
        with archives.open_archive(path, into) as (own, _):
            assert (unpacked / "posts/a.md").is_file()
            process.kill()
            process.wait()
            with archives.open_archive(path, into):
                assert not unpacked.exists() and (own / "posts/a.md").is_file()
    assert list(into.iterdir()) == []


def test_files_beside_the_temporary_folder_are_no_part_of_a_blog(tmp_path):
    (tmp_path / "other").mkdir()
    for name in ("package.json", "blogapi.yaml", "other/secret.png"):
        (tmp_path / name).write_text("x")
    path = make_zip(tmp_path / "blog.zip", ("posts/a.md", b"A"))
    with archives.open_archive(path, tmp_path) as (folder, _):
        post = folder / "posts" / "a.md"
        for reference in (
            "/other/secret.png",
            "../" * 8 + "other/secret.png",
            f"{tmp_path}/other/secret.png",
        ):
            assert MediaFileFinder().find_file(reference, post, folder) is None
        assert layout.find_export_folder(post) is None
        assert layout.find_export_folder(folder / "a.md") is None


@pytest.mark.parametrize(
    ("raw", "flags", "name"),
    [
        ("ü.md".encode(), 0, "ü.md"),
        ("ü.md".encode(), 0x800, "ü.md"),
        ("ü.md".encode("cp437"), 0, "ü.md"),
        (b"a\\b\\c.md", 0, "a/b/c.md"),
    ],
)
def test_names_are_read_in_the_encodings_that_programs_use(tmp_path, raw, flags, name):
    entry = zipfile.ZipInfo("x" * len(raw))
    data = make_zip(tmp_path / "x.zip", (entry, b"A")).read_bytes().replace(b"x" * len(raw), raw)
    flagged = bytearray(data)
    for offset in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        struct.pack_into("<H", flagged, offset, flags)
    (tmp_path / "x.zip").write_bytes(flagged)
    assert unpack(tmp_path / "x.zip") == ({name: b"A"}, ())


def make_link(name):
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("../x.md", "leads out of the folder"),
        ("a/../../x.md", "leads out of the folder"),
        ("..\\x.md", "leads out of the folder"),
        ("/etc/x.md", "leads out of the folder"),
        ("C:\\x.md", "leads out of the folder"),
        ("c:x.md", "leads out of the folder"),
        ("a\nb.md", "control characters"),
        ("d/" * 70 + "x.md", "more than 64 folders"),
        ("n" * 300 + ".md", "cannot store"),
        ("good.md/x.md", "same name"),
        ("good.md", "same name"),
        (make_link("link.md"), "links and special files"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_entries_that_could_do_harm_are_skipped(tmp_path, entry, reason):
    path = make_zip(tmp_path / "blog.zip", ("good.md", b"A"), (entry, b"B"), ("z.md", b"Z"))
    files, (note,) = unpack(path)
    assert files == {"good.md": b"A", "z.md": b"Z"}
    assert reason in note or (reason == "same name" and "cannot store" in note)


def test_a_name_with_nul_is_skipped(tmp_path):
    data = make_zip(tmp_path / "x.zip", ("evil~.md", b"A"), ("b.md", b"B")).read_bytes()
    (tmp_path / "x.zip").write_bytes(data.replace(b"evil~", b"evil\0"))
    files, (note,) = unpack(tmp_path / "x.zip")
    assert files == {"b.md": b"B"}
    assert "“evil?.md” was skipped" in note


def test_folders_and_entries_without_a_name_are_left_out(tmp_path):
    data = make_zip(tmp_path / "x.zip", ("a/", b""), ("b~", b""), ("c.md", b"C")).read_bytes()
    (tmp_path / "x.zip").write_bytes(data.replace(b"b~", b"b\\"))
    assert unpack(tmp_path / "x.zip") == ({"c.md": b"C"}, ())
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"A")
        archive.writestr("c.md", b"C")
    assert unpack(tmp_path / "x.zip") == ({"c.md": b"C"}, ())


def test_files_of_the_system_are_left_out(tmp_path):
    names = ["__MACOSX/a/._b.md", "a/.DS_Store", "Thumbs.db", "a/b.md"]
    path = make_zip(tmp_path / "x.zip", *[(name, b"A") for name in names])
    assert unpack(path) == ({"a/b.md": b"A"}, ())


def test_an_archive_in_the_archive_is_not_opened(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("a.zip", b"PK"), ("b.tar.gz", b"x"), ("b.md", b"B"))
    files, (note,) = unpack(path)
    assert files["a.zip"] == b"PK"
    assert note.startswith("“a.zip” and 1 more were not opened")


@pytest.mark.parametrize("name", ["con", "Aux.md", "nul .txt", "COM1", "a.", "a ", "a?b", "a:b"])
def test_names_that_windows_does_not_store_are_known(name):
    assert not archives.is_allowed_on_windows(name)
    assert archives.is_allowed_on_windows("confetti.md")


def test_large_files_are_skipped_by_their_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 10)
    path = make_zip(tmp_path / "x.zip", ("a.md", b"x" * 11), ("a.jpg", b"x" * 21), ("a.xml", b"x" * 30))
    files, notes = unpack(path, max_media_bytes=20)
    assert files == {"a.md": b"x" * 11, "a.xml": b"x" * 30}
    assert notes == ("“a.jpg” was skipped: it has more than 20 bytes.",)


def test_a_damaged_file_does_not_stop_the_others(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("a.md", b"content"), ("b.md", b"B"), compression=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"content", b"CONTENT"))
    files, (note,) = unpack(path)
    assert (files, note[:25]) == ({"b.md": b"B"}, "“a.md” was skipped: it is")


def test_a_file_is_not_longer_than_it_declares(tmp_path):
    data = bytearray(make_zip(tmp_path / "x.zip", ("a.md", b"x" * 5_000)).read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 10)
    (tmp_path / "x.zip").write_bytes(data)
    files, (note,) = unpack(tmp_path / "x.zip")
    assert (files, note[:25]) == ({}, "“a.md” was skipped: it is")


def encrypt(data):
    """Mark the first entry as encrypted."""
    changed = bytearray(data)
    changed[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (encrypt, "password"),
        (lambda data: data[:-10], "not a complete zip file"),
        (lambda data: data[: len(data) // 2], "not a complete zip file"),
        (lambda data: data[:4], "not a complete zip file"),
        (lambda data: data.replace(b"PK\x01\x02", b"PK\x01\x03"), "not a complete zip file"),
    ],
)
def test_a_zip_that_is_damaged_or_encrypted_is_refused(tmp_path, change, reason):
    path = make_zip(tmp_path / "x.zip", ("a.md", b"A" * 500), ("b.md", b"B" * 500))
    path.write_bytes(change(path.read_bytes()))
    assert reason in refuse(path)


@pytest.mark.parametrize(
    ("module", "function"), [(archives.files, "create_private_file"), (archives.shutil, "copyfileobj")]
)
def test_a_full_disk_is_reported(tmp_path, monkeypatch, module, function):
    path = make_zip(tmp_path / "x.zip", ("a.md", b"A"))

    def fail_to_write(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, function, fail_to_write)
    assert refuse(path) == DISK_FULL


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("MAX_ENTRIES", 1, "2 files, more than 1"),
        ("MAX_UNPACKED_BYTES", 1_000, "more than allowed"),
        ("_RESERVED_BYTES", 2**60, "more than fit on the disk"),
        ("_MIN_RATIO_CHECK_BYTES", 1_000, "as a zip bomb does"),
    ],
)
def test_a_zip_beyond_the_limits_is_refused(tmp_path, monkeypatch, name, value, reason):
    monkeypatch.setattr(archives, name, value)
    path = make_zip(tmp_path / "x.zip", ("a.md", b"A" * 500_000), ("b.md", b"B"))
    assert reason in refuse(path)


def test_other_compressions_are_refused_because_they_unpack_without_bounds(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("a.md", b"A"), compression=zipfile.ZIP_BZIP2)
    assert "not supported" in refuse(path)


@pytest.mark.parametrize("name", ["blog.tar", "blog.tar.gz", "blog.TGZ", "blog.7z", "blog.rar", "blog.zip"])
def test_archives_of_other_formats_are_refused_by_name(tmp_path, name):
    (tmp_path / name).write_bytes(b"x" * 1_000)
    with pytest.raises(RefusedFile, match="unpack it first"):
        archives.is_archive(tmp_path / name)


def test_a_zip_is_recognised_by_its_content(tmp_path):
    assert archives.is_archive(make_zip(tmp_path / "blog", ("a.md", b"A")))
    assert archives.is_archive(make_zip(tmp_path / "empty"))
    (tmp_path / "zip.md").write_text("# Not a zip", encoding="utf-8")
    assert not archives.is_archive(tmp_path / "zip.md")
    assert not archives.is_archive(tmp_path)
