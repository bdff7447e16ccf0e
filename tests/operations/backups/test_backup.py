"""The content of backups, and the cases in which `backup` is refused."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from blogapi import clock
from blogapi.operations.backups import archive, service
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import close_connections

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows keeps no modes")


def test_a_backup_contains_the_blog_and_reports_its_contents(run, blog, tmp_path):
    result = run("backup", tmp_path / "blog.zip")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Wrote {tmp_path / 'blog.zip'}: 0.") and ": 0" in result.stdout
    assert "2 articles, as of " in result.stdout
    with zipfile.ZipFile(tmp_path / "blog.zip") as zip_file:
        assert zip_file.testzip() is None
        # The secret key is left out: anyone who finds the file could sign sessions with it.
        assert zip_file.namelist() == ["blog.db", "config.toml", "manifest.json"]
        manifest = json.loads(zip_file.read("manifest.json"))
    assert (manifest["rows"]["article"], manifest["rows"]["tag"]) == (2, 1)
    # Older versions of blogapi can restore it.
    assert manifest["version"] == 3 and "database" not in manifest
    assert [path.name for path in tmp_path.iterdir() if "zip" in path.name] == ["blog.zip"]


def test_a_backup_does_not_change_the_blog(run, blog, fingerprint, tmp_path):
    before = fingerprint()
    run("backup", tmp_path / "blog.zip")
    after = fingerprint()
    assert after.pop("backups") == "folder" and after.pop(str(Path("backups", "status.json")))
    assert after == before


@POSIX
def test_only_the_owner_can_read_a_backup(run, blog, tmp_path):
    previous = os.umask(0)
    try:
        run("backup", tmp_path / "blog.zip")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "blog.zip").stat().st_mode) == 0o600


def test_an_existing_file_is_not_overwritten(run, blog, tmp_path):
    (tmp_path / "blog.zip").write_text("dear")
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "exists already" in result.stderr) == (1, True)
    assert (tmp_path / "blog.zip").read_text() == "dear"


def test_a_file_created_during_the_backup_is_not_overwritten(run, blog, tmp_path, monkeypatch):
    copy = service.copy_database

    def copy_slowly(*arguments):
        (tmp_path / "blog.zip").write_text("dear", encoding="utf-8")
        return copy(*arguments)

    monkeypatch.setattr(service, "copy_database", copy_slowly)
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "exists already" in result.stderr) == (1, True)
    assert (tmp_path / "blog.zip").read_text(encoding="utf-8") == "dear"


def test_a_failed_backup_leaves_no_file(run, blog, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "add_manifest_and_media_list", fail)
    result = run("backup", tmp_path / "blog.zip")
    assert result.stderr == f"Error: The disk is full; {tmp_path / 'blog.zip'} cannot be written.\n"
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["{}/no/blog.zip"], 2),
        (["{}/blog.zip", "--keep", "3"], 2),
        (["{}", "--keep", "0"], 2),
        (["{}/gone.zip", "--verify"], 2),
        (["{}", "--verify", "--keep", "1"], 2),
        ([], 2),
    ],
)
def test_a_command_with_wrong_arguments_creates_no_file(run, blog, tmp_path, words, status):
    before = list(tmp_path.iterdir())
    assert run("backup", *(word.format(tmp_path) for word in words)).exit_code == status
    assert list(tmp_path.iterdir()) == before


def test_a_backup_of_a_missing_blog_is_refused_and_creates_no_blog(run, instance, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "gone"))
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "There is no blog in" in result.stderr) == (1, True)
    assert not (tmp_path / "gone").exists() and not (tmp_path / "blog.zip").exists()


def test_a_backup_of_a_damaged_blog_is_refused(run, blog, app, tmp_path):
    close_connections(app)
    with allow_opening():
        whole = (blog / "blog.db").read_bytes()
        (blog / "blog.db").write_bytes(whole[:8192] + b"\xff" * 40960 + whole[49152:])
    result = run("backup", tmp_path / "blog.zip")
    assert (result.exit_code, "doctor" in result.stderr) == (1, True)
    assert not (tmp_path / "blog.zip").exists()


def test_a_missing_folder_is_created_if_its_name_ends_with_a_slash(run, blog, tmp_path):
    assert run("backup", f"{tmp_path}/daily/", "--keep", "2").exit_code == 0
    assert [path.suffix for path in (tmp_path / "daily").glob("blogapi-*")] == [".zip"]
    assert run("backup", f"{tmp_path}/no/daily/").exit_code == 2
    assert run("backup", f"{tmp_path}/gone/", "--verify").exit_code == 2
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["daily"]


def test_the_keep_option_deletes_the_oldest_backups_in_a_folder(run, blog, tmp_path):
    (tmp_path / "blog.zip").write_text("a name that a person gave")
    for _ in range(4):
        result = run("backup", tmp_path, "--keep", "2")
    created = [path.name for path in sorted(tmp_path.glob("blogapi-*"))]
    assert len(created) == 2 and "Deleted " in result.stdout and created[-1] in result.stdout
    assert (tmp_path / "blog.zip").exists()


@pytest.mark.parametrize("options", [(), ("--keep", "2")])
def test_partial_files_of_a_killed_process_are_deleted(run, blog, tmp_path, options):
    for name, age in ((".a.0123abcd.partial", 2 * 86_400), (".b.0123abcd.partial", 0)):
        (tmp_path / name).write_text("")
        modified_at = clock.now().timestamp() - age
        os.utime(tmp_path / name, (modified_at, modified_at))
    run("backup", tmp_path, *options)
    assert [path.name for path in tmp_path.glob(".*.partial")] == [".b.0123abcd.partial"]


def test_partial_files_of_other_programs_stay(run, blog, tmp_path):
    names = {".film.mp4.partial", ".a.0123abcd.partial.mp4", ".0123abcd.partial"}
    for name in (*names, ".a.0123abcd.partial-journal"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    assert run("backup", tmp_path).exit_code == 0
    assert {path.name for path in tmp_path.glob(".*")} == names


def test_a_backup_can_be_verified(run, backup_file, fingerprint):
    before = fingerprint()
    result = run("backup", "--verify", backup_file)
    assert (result.exit_code, result.stdout.split(":")[0]) == (0, f"{backup_file} can be restored")
    assert fingerprint() == before


def test_the_json_option_prints_the_manifest(run, blog, tmp_path):
    created = json.loads(run("backup", tmp_path / "blog.zip", "--json").stdout)
    read = json.loads(run("backup", "--verify", tmp_path / "blog.zip", "--json").stdout)
    assert created == read
    assert (created["file"], created["rows"]["article"]) == (str(tmp_path / "blog.zip"), 2)
