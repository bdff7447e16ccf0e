"""Exports into folders that contain files already, and into archives."""

from __future__ import annotations

import errno
import hashlib
import os
import zipfile

import pytest

from blogapi.content.media.stored_files import StoredFile
from blogapi.exporting import writers
from blogapi.exporting.export_files import MediaFile, TextFile
from blogapi.exporting.results import ExportReport
from blogapi.exporting.writers import write_folder, write_zip
from blogapi.storage import files
from blogapi.web.errors import Conflict

PICTURE = b"a picture"
STORED = StoredFile(hashlib.sha256(PICTURE).hexdigest(), "png", len(PICTURE))
TEXTS = {
    "blogapi.yaml": "x",
    "articles/tea.md": "Tea",
    "articles/old/salt.md": "Salt",
    ".gitattributes": "* -text",
}
FOREIGN = "No export has written this version of the file; --overwrite replaces or deletes it."


@pytest.fixture
def media(tmp_path):
    """The media folder of the blog."""
    path = tmp_path / "library" / STORED.path
    path.parent.mkdir(parents=True)
    path.write_bytes(PICTURE)
    return tmp_path / "library"


@pytest.fixture
def root(tmp_path):
    """The folder with the export."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def export(root, media):
    """Exports texts and a picture; returns the numbers of files and the refusals."""

    def write(texts=TEXTS, *, manifest="SHA256SUMS", overwrite=False, dry_run=False):
        report = ExportReport()
        items = [*(TextFile(path, text.encode()) for path, text in texts.items())]
        items.append(MediaFile("media/a.png", STORED))
        write_folder(items, root, media, report, manifest, overwrite=overwrite, dry_run=dry_run)
        counts = {name: number for name, number in report.count_files().items() if number}
        return counts, {item.path: item.reason for item in report.refused}

    return write


@pytest.fixture
def read(root):
    """Returns the contents of all files in the folder by path."""
    return lambda: {
        path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()
    }


def without(*paths, **others):
    return {path: text for path, text in TEXTS.items() if path not in paths} | others


def test_sha256sum_can_check_the_files(export, read):
    export()
    contents = read()
    lines = contents.pop("SHA256SUMS")
    assert contents == TEXTS | {"media/a.png": PICTURE.decode()}
    assert lines == "".join(
        f"{hashlib.sha256(contents[path].encode()).hexdigest()}  {path}\n" for path in sorted(contents)
    )


def test_a_second_export_writes_only_what_has_changed(export, root, read):
    assert export() == ({"written": 5}, {})
    times = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    assert export() == ({"unchanged": 5}, {})
    assert {path: path.stat().st_mtime_ns for path in times} == times
    changed = without("articles/old/salt.md") | {"articles/tea.md": "Green tea"}
    assert export(changed) == ({"written": 1, "unchanged": 3, "removed": 1}, {})
    assert not (root / "articles" / "old").exists()
    assert read()["articles/tea.md"] == "Green tea"


def test_the_list_of_another_layout_is_replaced(export, root):
    export()
    assert export(manifest="_SHA256SUMS") == ({"unchanged": 5}, {})
    assert not (root / "SHA256SUMS").exists()


def test_files_that_no_export_has_written_are_left_alone(export, root, read):
    mine = {
        "articles/notes.md": "mine",
        "articles/tea.md": "mine",
        ".gitattributes": "mine",
        "media/a.png": "x",
    }
    for path, text in mine.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    for _ in range(2):
        assert export()[1] == {"articles/tea.md": FOREIGN, "media/a.png": FOREIGN}
    assert {path: read()[path] for path in mine} == mine
    assert export(overwrite=True)[1] == {}
    assert read()["articles/tea.md"] == "Tea"
    assert read()["articles/notes.md"] == "mine"


def test_a_file_with_the_same_contents_is_taken_over(export, root):
    (root / "blogapi.yaml").write_text("x")
    assert export()[0] == {"written": 4, "unchanged": 1}


def test_edited_files_are_neither_replaced_nor_deleted(export, root, read):
    export()
    for name in ("tea.md", "old/salt.md"):
        (root / "articles" / name).write_text("edited")
    for _ in range(2):
        assert export(without("articles/old/salt.md"))[1] == {
            "articles/tea.md": FOREIGN,
            "articles/old/salt.md": "The blog no longer contains this file, but it cannot be deleted. "
            + FOREIGN,
        }
    assert read()["articles/old/salt.md"] == "edited"
    assert export(without("articles/old/salt.md"), overwrite=True)[0]["removed"] == 1
    assert "articles/old/salt.md" not in read()


def test_a_dry_run_writes_nothing(export, root, read):
    assert export(dry_run=True) == ({"written": 5}, {})
    assert read() == {}
    export()
    before = read()
    assert export(without("articles/tea.md"), dry_run=True)[0] == {"unchanged": 4, "removed": 1}
    assert read() == before


def test_an_interrupted_export_can_be_run_again(export, root, read, media):
    def interrupt():
        yield TextFile("blogapi.yaml", b"y")
        yield TextFile("articles/tea.md", b"Old tea")
        yield TextFile("articles/gone.md", b"Gone")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(interrupt(), root, media, ExportReport(), "SHA256SUMS", overwrite=False, dry_run=False)
    assert export() == ({"written": 5, "removed": 1}, {})
    assert read().keys() == TEXTS.keys() | {"media/a.png", "SHA256SUMS"}


def test_a_list_of_files_cannot_lead_out_of_the_folder(export, root, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("mine")
    export()
    digest = hashlib.sha256(b"mine").hexdigest()
    with (root / "SHA256SUMS").open("a") as file:
        for path in ("../outside", str(outside), "..\\outside", "a/../../outside", "c:outside"):
            file.write(f"{digest}  {path}\n")
    assert export() == ({"unchanged": 5}, {})
    assert outside.read_text() == "mine"


@pytest.mark.parametrize("name", ["linux.iso", "\xfc.iso"])
def test_the_list_of_another_program_is_not_touched(export, root, name):
    content = f"{'a' * 64}  {name}\n".encode("latin-1")
    (root / "SHA256SUMS").write_bytes(content)
    with pytest.raises(Conflict, match="is not from an export; choose another folder"):
        export()
    assert {path.name: path.read_bytes() for path in root.iterdir()} == {"SHA256SUMS": content}


def test_nothing_outside_of_the_folder_is_written_or_deleted(export, root, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "note.md").write_text("mine")
    export(without("articles/tea.md", "articles/old/salt.md"))
    digest = hashlib.sha256(b"mine").hexdigest()
    with (root / "SHA256SUMS").open("a") as manifest:
        manifest.writelines(f"{digest}  {path}\n" for path in ("articles/note.md", "../elsewhere/note.md"))
    (root / "articles").symlink_to(elsewhere)
    (root / ".blogapi-export.partial").symlink_to(elsewhere / "note.md")
    counts, refused = export(overwrite=True)
    reason = "A link leads out of the folder of the export; replace the link with a folder."
    assert counts == {"refused": 3, "unchanged": 3}
    assert refused["articles/tea.md"] == reason
    assert refused["articles/note.md"].endswith(reason)
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == {"note.md": "mine"}


@pytest.mark.parametrize("name", ["SHA256SUMS", ".blogapi-export.lock"])
def test_links_with_the_names_of_own_files_are_refused(export, root, tmp_path, name):
    (root / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Conflict, match="is a link"):
        export()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize(("is_private", "mode"), [(True, 0o700), (False, 0o777)])
def test_only_the_owner_can_open_a_new_folder_with_drafts(tmp_path, media, is_private, mode):
    root, umask = tmp_path / "new", os.umask(0)
    try:
        options = {"overwrite": False, "dry_run": False, "is_private": is_private}
        write_folder([], root, media, ExportReport(), "SHA256SUMS", **options)
        assert root.stat().st_mode & 0o777 == mode
    finally:
        os.umask(umask)


def test_a_folder_or_a_link_with_the_name_of_a_file_is_refused(export, root, tmp_path):
    (root / "articles" / "tea.md").mkdir(parents=True)
    (root / "blogapi.yaml").symlink_to(tmp_path / "elsewhere")
    reason = "A folder or a link has this name; rename it."
    assert export(overwrite=True)[1] == {"blogapi.yaml": reason, "articles/tea.md": reason}


@pytest.mark.parametrize(("content", "fault"), [(b"x", "damaged"), (None, "missing")])
def test_a_media_file_that_the_blog_lacks_is_named(export, media, content, fault, tmp_path):
    path = media / STORED.path
    path.write_bytes(content) if content else path.unlink()
    counts, refused = export()
    assert (counts["written"], list(refused)) == (4, ["media/a.png"])
    assert fault in refused["media/a.png"]
    report = ExportReport()
    write_zip([MediaFile("media/a.png", STORED)], tmp_path / "out.zip", media, report, "SHA256SUMS")
    assert fault in report.refused[0].reason


def test_another_size_of_a_media_file_is_noticed(export, root, read):
    export()
    (root / "media" / "a.png").write_text("x")
    assert export()[1] == {"media/a.png": FOREIGN}
    export(overwrite=True)
    assert read()["media/a.png"] == PICTURE.decode()


def test_an_archive_has_the_same_files_and_always_the_same_bytes(export, media, read, tmp_path):
    export()
    items = [
        *(TextFile(path, text.encode()) for path, text in TEXTS.items()),
        MediaFile("media/a.png", STORED),
    ]
    for name in ("a.zip", "b.zip"):
        write_zip(items, tmp_path / name, media, ExportReport(), "SHA256SUMS")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == read()
        assert archive.getinfo("media/a.png").compress_type == zipfile.ZIP_STORED
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_no_file_is_left_half_written(export, read, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "rename_file", fail)
    with pytest.raises(OSError, match="No space left"):
        export()
    assert read().keys() == {"SHA256SUMS"}


def test_two_exports_into_the_same_folder_exclude_each_other(export, root):
    with (
        files.lock_file(root / writers._LOCK_NAME),
        pytest.raises(Conflict, match="Another export is writing"),
    ):
        export()
