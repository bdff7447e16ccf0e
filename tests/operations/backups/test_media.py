"""Backups contain the media files, or keep them beside the backups, and a restore brings them back."""

from __future__ import annotations

import json
import logging
import os
import shutil
import stat
import zipfile
from datetime import date
from pathlib import Path

import pytest

from blogapi.content.media import stored_files
from blogapi.operations.backups import daily, restoring, service
from blogapi.operations.backups.media_store import MediaStore
from blogapi.storage import files
from tests.conftest import close_connections
from tests.operations.backups.databases import execute
from tests.operations.backups.test_refused_backups import write_altered
from tests.stored_pictures import list_stored_files, store_picture

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")


@pytest.fixture
def pictures(app, blog):
    """The files of the pictures `black`, `blue` and `red`, in this order."""
    for colour in ("black", "blue", "red"):
        store_picture(app, colour)
    return list_stored_files(app)


@pytest.fixture
def media(blog):
    """The media folder of the blog."""
    return blog / "media"


@pytest.fixture
def folder(tmp_path):
    """A folder for backups."""
    path = tmp_path / "backups"
    path.mkdir()
    return path


@pytest.fixture
def saved_file(run, pictures, tmp_path):
    """A backup that contains the pictures."""
    assert run("backup", tmp_path / "saved.zip").exit_code == 0
    return tmp_path / "saved.zip"


@pytest.fixture
def saved_in_folder(run, pictures, folder):
    """A backup in a folder, with the pictures beside it."""
    assert run("backup", folder).exit_code == 0
    return next(folder.glob("*.zip"))


@pytest.fixture(params=["saved_file", "saved_in_folder"])
def saved(request):
    """A backup of each kind."""
    return request.getfixturevalue(request.param)


def test_an_empty_folder_media_beside_the_backups_is_used(run, pictures, folder):
    (folder / "media").mkdir()
    for _ in range(2):
        result = run("backup", folder)
        assert result.exit_code == 0, result.output
    assert len(list(folder.glob("*.zip"))) == 2


def read_all(root) -> dict[str, bytes]:
    """Return the contents of the media files in a folder by path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in stored_files.list_stored_paths(root)
    }


def list_paths(pictures) -> set[str]:
    return {file.path for file in pictures}


def delete_media(app, file) -> None:
    """Delete a picture as a running service does."""
    close_connections(app)
    home = Path(app.instance_path)
    execute(home / "blog.db", "DELETE FROM media WHERE hash = ?", file.hash)
    (home / "media" / file.path).unlink()


def test_a_file_contains_all_media_files_uncompressed(run, saved_file, pictures, media):
    with zipfile.ZipFile(saved_file) as zip_file:
        members = [one for one in zip_file.infolist() if one.filename.startswith("media/")]
        manifest = json.loads(zip_file.read("manifest.json"))
        contents = {one.filename[6:]: zip_file.read(one) for one in members}
    assert contents == read_all(media) and contents.keys() == list_paths(pictures)
    assert {one.compress_type for one in members} == {zipfile.ZIP_STORED}
    size = sum(file.size for file in pictures)
    assert manifest["media"] == {"place": "file", "files": 3, "bytes": size, "missing": 0}


def test_a_folder_keeps_each_media_file_once_for_all_its_backups(run, saved_in_folder, folder, media):
    assert read_all(folder / "media") == read_all(media)
    before = {path: path.stat().st_mtime_ns for path in stored_files.list_stored_paths(folder / "media")}
    assert run("backup", folder).exit_code == 0
    after = {path: path.stat().st_mtime_ns for path in stored_files.list_stored_paths(folder / "media")}
    assert after == before
    for path in folder.glob("*.zip"):
        with zipfile.ZipFile(path) as zip_file:
            assert not any(name.startswith("media/") for name in zip_file.namelist())
    if os.name != "nt":
        assert {stat.S_IMODE(path.stat().st_mode) for path in before} == {0o600}


def test_the_command_reports_the_number_of_media_files(run, saved, tmp_path):
    result = run("backup", "--verify", saved)
    assert result.exit_code == 0 and "2 articles and 3 media files (0.0 MB), as of " in result.stdout
    report = json.loads(run("backup", tmp_path / "again.zip", "--json").stdout)
    assert (report["media"]["files"], report["missing"], report["deleted_media"]) == (3, [], 0)


def test_a_restore_brings_back_missing_and_damaged_files(run, saved, pictures, media):
    before = read_all(media)
    (media / pictures[0].path).unlink()
    (media / pictures[1].path).write_bytes(b"x" * pictures[1].size)
    (media / pictures[2].path).write_bytes(b"")
    result = run("restore", saved)
    assert (result.exit_code, result.stderr) == (0, "")
    assert read_all(media) == before
    assert list(media.glob(".*")) == []


def test_a_restore_brings_back_deleted_media_and_deletes_no_file(app, run, saved, pictures, media):
    before, newer = read_all(media), store_picture(app, "green")
    delete_media(app, pictures[2])
    assert run("restore", saved).exit_code == 0
    assert read_all(media).items() > before.items()
    assert (media / newer.hash[:2] / f"{newer.hash}.png").is_file()
    assert list_paths(list_stored_files(app)) == list_paths(pictures)


def test_a_restore_into_a_new_blog_brings_back_all_files(run, saved, pictures, media, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "new"))
    assert run("restore", saved).exit_code == 0
    assert read_all(tmp_path / "new" / "media") == read_all(media)


def test_files_that_are_deleted_during_the_restore_are_brought_back(
    run, saved, pictures, media, monkeypatch, blog
):
    before, replace_database = read_all(media), restoring.replace_database

    def delete_and_replace(*arguments):
        # The service deletes a file because the database that is being replaced does not refer to it.
        (media / pictures[1].path).unlink()
        return replace_database(*arguments)

    monkeypatch.setattr(restoring, "replace_database", delete_and_replace)
    assert run("restore", saved).exit_code == 0
    assert read_all(media) == before


def test_a_backup_without_media_files_is_restored(app, run, backup_file, media):
    picture = store_picture(app, "red")
    result = run("restore", backup_file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (media / picture.hash[:2] / f"{picture.hash}.png").is_file()
    (former,) = (media.parent / "backups").glob("before-restore-*.db")
    assert run("restore", former).exit_code == 0
    assert [file.label for file in list_stored_files(app)] == ["red.png"]


def test_a_backup_of_the_first_format_is_restored(run, backup_file, tmp_path):
    former = write_altered(backup_file, tmp_path / "former.zip", without=["media"], version=1)
    # The formats up to the third had a digest in the comment at the end of the file.
    with zipfile.ZipFile(former, "a") as zip_file:
        zip_file.comment = b"blogapi-backup sha256:" + b"0" * 64
    assert run("backup", "--verify", former).exit_code == 0
    assert run("restore", former).exit_code == 0


def test_a_backup_of_the_second_format_is_restored(run, saved_file, tmp_path):
    digests = {"blog.db": {"size": 1, "sha256": "0" * 64}}
    former = write_altered(saved_file, tmp_path / "former.zip", version=2, files=digests)
    assert run("backup", "--verify", former).exit_code == 0


@pytest.mark.parametrize(
    ("beside", "content", "reason"),
    [(False, None, "missing"), (False, b"x", "damaged"), (True, b"x", "damaged")],
)
def test_a_missing_or_damaged_file_is_reported_and_the_rest_is_saved(
    run, pictures, media, folder, tmp_path, beside, content, reason
):
    (media / pictures[1].path).unlink()
    if content is not None:
        (media / pictures[1].path).write_bytes(content * pictures[1].size)
    target = folder if beside else tmp_path / "saved.zip"
    result = run("backup", target)
    path = next(folder.glob("*.zip")) if beside else target
    report = f"{path} lacks 1 media files:\n  {pictures[1].path} (blue.png): {reason}\n"
    assert (result.exit_code, result.stderr) == (1, report)
    verified = run("backup", "--verify", path)
    assert (verified.exit_code, verified.stderr) == (1, report)
    as_json = run("backup", "--verify", path, "--json")
    assert (as_json.exit_code, as_json.stderr) == (1, report)
    assert [one["name"] for one in json.loads(as_json.stdout)["missing"]] == ["blue.png"]
    assert "2 media files" in result.stdout
    shutil.rmtree(media)
    restored = run("restore", path)
    assert restored.exit_code == 0
    assert restored.stderr == f"The blog lacks 1 media files:\n  {pictures[1].path} (blue.png): missing\n"
    assert read_all(media).keys() == {pictures[0].path, pictures[2].path}


def test_a_file_that_is_missing_in_the_blog_but_beside_older_backups_is_not_missing(
    run, saved_in_folder, folder, pictures, media
):
    (media / pictures[1].path).unlink()
    assert run("backup", folder).exit_code == 0


def test_a_file_that_the_service_deletes_during_the_backup_is_not_missing(
    app, run, pictures, tmp_path, monkeypatch
):
    copies, copy = [], service.copy_database

    def copy_and_delete(source, target):
        copy(source, target)
        if not copies:
            delete_media(app, pictures[2])
        copies.append(target)

    monkeypatch.setattr(service, "copy_database", copy_and_delete)
    result = run("backup", tmp_path / "saved.zip", "--json")
    assert (result.exit_code, len(copies)) == (0, 2)
    report = json.loads(result.stdout)
    assert (report["media"]["files"], report["media"]["missing"], report["rows"]["media"]) == (2, 0, 2)
    assert run("backup", "--verify", tmp_path / "saved.zip").exit_code == 0


@pytest.mark.parametrize("content", [None, b"x"])
def test_a_backup_without_its_media_files_beside_it_is_refused(
    run, saved_in_folder, pictures, folder, media, fingerprint, content
):
    lost = folder / "media" / pictures[1].path
    lost.unlink() if content is None else lost.write_bytes(content * pictures[1].size)
    (media / pictures[1].path).unlink()
    for words in (("backup", "--verify"), ("restore",)):
        before = fingerprint()
        result = run(*words, saved_in_folder)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert f"in the folder {folder / 'media'}, which belongs to this backup" in result.stderr
        assert f"({pictures[1].path} (blue.png)). `restore --allow-missing-media`" in result.stderr
        assert fingerprint() == before
    result = run("restore", saved_in_folder, "--allow-missing-media")
    assert result.exit_code == 0
    assert result.stderr == f"The blog lacks 1 media files:\n  {pictures[1].path} (blue.png): missing\n"


def test_a_backup_that_was_moved_out_of_its_folder_needs_no_media_files_that_the_blog_has(
    run, saved_in_folder, tmp_path
):
    moved = shutil.move(saved_in_folder, tmp_path / "moved.zip")
    assert run("backup", "--verify", moved).exit_code == 1
    assert run("restore", moved).exit_code == 0


def test_rotation_deletes_the_media_files_that_no_backup_needs(app, run, saved_in_folder, folder, pictures):
    (folder / "media" / "notes.txt").write_text("mine", encoding="utf-8")
    lone = folder / "media" / "ab" / f"{'ab' * 32}.png"
    lone.parent.mkdir()
    lone.write_bytes(b"left by a backup that was deleted by hand")
    delete_media(app, pictures[2])
    kept = run("backup", folder, "--keep", "2")
    assert "Deleted 1 media files that no backup in the folder needs." in kept.stdout
    assert read_all(folder / "media").keys() == list_paths(pictures)
    rotated = run("backup", folder, "--keep", "2")
    assert "Deleted 1 media files" in rotated.stdout
    assert read_all(folder / "media").keys() == list_paths(pictures[:2])
    assert (folder / "media" / "notes.txt").exists() and not lone.parent.exists()


@pytest.mark.parametrize(
    ("spoil", "options"),
    [(lambda content: content[:-900], ()), (lambda content: b"", ()), (lambda content: b"", ("--json",))],
)
def test_rotation_keeps_all_media_files_if_a_backup_cannot_be_read(
    app, run, saved_in_folder, folder, pictures, spoil, options
):
    mine = folder / "mine.ZIP"
    mine.write_bytes(spoil(saved_in_folder.read_bytes()))
    delete_media(app, pictures[2])
    for _ in range(2):
        result = run("backup", folder, "--keep", "1", *options)
    assert result.exit_code == 0
    assert not options or json.loads(result.stdout)["deleted_media"] == 0
    assert result.stderr == f"No media files were deleted, because {mine} is damaged.\n"
    assert read_all(folder / "media").keys() == list_paths(pictures)


def test_rotation_ignores_zip_files_of_other_programs_and_keeps_media_of_renamed_backups(
    app, run, saved_in_folder, folder, pictures
):
    with zipfile.ZipFile(folder / "photos.zip", "w") as zip_file:
        zip_file.writestr("a.jpg", b"x")
    saved_in_folder.rename(folder / "important.zip")
    delete_media(app, pictures[2])
    for _ in range(2):
        result = run("backup", folder, "--keep", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert read_all(folder / "media").keys() == list_paths(pictures)
    (folder / "important.zip").unlink()
    assert "Deleted 1 media files" in run("backup", folder, "--keep", "1").stdout


@pytest.mark.parametrize("place", ["the instance folder", "a folder with other files"])
def test_a_media_folder_is_never_used_for_backups(run, pictures, blog, media, tmp_path, place):
    if place == "a folder with other files":
        shutil.copytree(media, tmp_path / "media")
    before = read_all(media)
    target = blog if place == "the instance folder" else tmp_path
    result = run("backup", target, "--keep", "1")
    assert (result.exit_code, "name another folder" in result.stderr) == (1, True)
    assert read_all(media) == before and list(target.glob("*.zip")) == []


def test_a_blog_without_media_can_be_saved_beside_a_folder_named_media(run, blog, tmp_path):
    (tmp_path / "media" / "ab").mkdir(parents=True)
    lone = tmp_path / "media" / "ab" / f"{'ab' * 32}.png"
    lone.write_bytes(b"of another program")
    for _ in range(2):
        assert run("backup", tmp_path, "--keep", "1").exit_code == 0
    assert lone.exists()


def test_a_second_backup_into_a_folder_is_refused_while_one_is_running(run, pictures, folder):
    with MediaStore(folder).lock():
        result = run("backup", folder, "--keep", "1")
    assert (result.exit_code, "Another backup into " in result.stderr) == (1, True)
    assert list(folder.iterdir()) == []


def test_daily_backups_share_their_media_files(app, pictures, blog, media):
    for day in range(1, 4):
        if day == 2:
            delete_media(app, pictures[2])
        daily.create_backup_if_missing(blog, keep=1, today=date(2026, 3, day))
    assert read_all(blog / "backups" / "media") == read_all(media)


def test_a_daily_backup_without_all_media_files_is_logged(app, pictures, blog, media, caplog):
    (media / pictures[1].path).unlink()
    with caplog.at_level(logging.INFO):
        daily._log_backup(app, daily.create_backup_if_missing(blog, keep=1, today=date(2026, 3, 1)))
    assert "the daily backup lacks 1 media files; run doctor" in caplog.text
    assert f"{pictures[1].path} (blue.png): missing" in caplog.text


@pytest.mark.parametrize(("content", "says"), [(b"x", "changed during the backup"), (None, ": missing")])
def test_a_file_that_changes_while_it_is_read_is_not_saved(
    run, pictures, media, tmp_path, monkeypatch, content, says
):
    monkeypatch.setattr(stored_files, "find_fault", lambda *_, **__: "")
    path = media / pictures[2].path
    path.unlink() if content is None else path.write_bytes(content)
    result = run("backup", tmp_path / "saved.zip")
    assert (result.exit_code, says in result.stderr) == (1, True)
    assert (tmp_path / "saved.zip").exists() == (content is None)


def test_a_backup_leaves_space_on_the_disk(run, pictures, folder, monkeypatch):
    usage = type("Usage", (), {"free": service._SPARE_BYTES})
    monkeypatch.setattr(service.shutil, "disk_usage", lambda _: usage)
    result = run("backup", folder)
    assert (result.exit_code, "The media files need 0 MB" in result.stderr) == (1, True)
    assert list(folder.iterdir()) == []


def test_only_files_that_are_not_saved_yet_need_space(app, run, pictures, folder, monkeypatch):
    assert run("backup", folder).exit_code == 0
    usage = type("Usage", (), {"free": service._SPARE_BYTES})
    monkeypatch.setattr(service.shutil, "disk_usage", lambda _: usage)
    assert run("backup", folder).exit_code == 0
    picture = store_picture(app, "green")
    usage.free += picture.size - 1
    refused = run("backup", folder)
    assert (refused.exit_code, "The media files need 0 MB" in refused.stderr) == (1, True)
    usage.free += 1
    assert run("backup", folder).exit_code == 0
    assert len(list(folder.glob("*.zip"))) == 3


def test_a_daily_backup_whose_pictures_are_saved_needs_no_space(pictures, blog, monkeypatch):
    assert daily.create_backup_if_missing(blog, keep=3, today=date(2026, 3, 1))
    usage = type("Usage", (), {"free": 0})
    monkeypatch.setattr(service.shutil, "disk_usage", lambda _: usage)
    for day in (2, 3):
        backup = daily.create_backup_if_missing(blog, keep=3, today=date(2026, 3, day))
        assert backup.manifest.media.files == 3


def test_a_full_disk_leaves_no_half_file(run, pictures, folder, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "replace_file", fail)
    result = run("backup", folder)
    assert (result.exit_code, "The disk is full" in result.stderr) == (1, True)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["README.txt"]


def rewrite(saved, target, change):
    """Copy a backup with other media members."""
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(target, "w") as zip_file:
        for info in source.infolist():
            name, content = change(info.filename, source.read(info))
            if name:
                zip_file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target


@pytest.mark.parametrize(
    "change",
    [
        lambda name, content: ("" if name.startswith("media/") else name, content),
        lambda name, content: (name, b"x" + content[1:] if name.startswith("media/") else content),
        lambda name, content: (name, b"\0" * 10**7 if name.startswith("media/") else content),
        lambda name, content: (name.replace("media/", "media/../media/") if "/" in name else name, content),
    ],
    ids=["missing", "changed", "a bomb", "another path"],
)
def test_a_file_with_other_media_files_than_it_should_have_is_refused(
    run, saved_file, tmp_path, media, change, fingerprint
):
    shutil.rmtree(media)
    before, other = fingerprint(), rewrite(saved_file, tmp_path / "other.zip", change)
    for words in (("backup", "--verify"), ("restore",)):
        result = run(*words, other)
        assert (result.exit_code, "media files are missing or damaged in it" in result.stderr) == (1, True)
    after = fingerprint()
    assert {name: one for name, one in after.items() if name != "media"} == before


@pytest.mark.parametrize("name", ["x.png/../../../evil", "x."])
def test_a_database_with_an_impossible_path_of_a_media_file_is_refused(
    app, run, pictures, tmp_path, blog, name
):
    close_connections(app)
    execute(blog / "blog.db", "UPDATE media SET type = 'a/b', name = ? WHERE name = 'red.png'", name)
    result = run("backup", tmp_path / "saved.zip")
    assert (result.exit_code, "names a media file that cannot exist" in result.stderr) == (1, True)
    assert list(tmp_path.glob("*.zip*")) == []
