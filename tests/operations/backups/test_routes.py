"""The endpoints of backups."""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
import tracemalloc
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from blogapi.clock import now
from blogapi.operations.backups import daily, instance_backups, service
from blogapi.storage import files
from tests.conftest import ARTICLES
from tests.content.media.rows import add_media
from tests.content.media.test_prepare import fail_with
from tests.contracts.client import outcome
from tests.operations.backups.databases import create_older_blog
from tests.operations.backups.test_refused_backups import write_altered
from tests.stored_pictures import store_picture

BACKUPS = "/api/v1/backups/"


@pytest.fixture
def backup(as_login, blog):
    """The backup of the blog, as the API shows it."""
    response = as_login.post(BACKUPS)
    assert response.status_code == 201
    return response.json


def test_a_backup_can_be_made_listed_and_downloaded(app, as_login, blog, run, tmp_path):
    store_picture(app, "blue")
    made = as_login.post(BACKUPS).json
    assert (made["kind"], made["has_media"], made["missing"]) == ("manual", True, 0)
    assert as_login.get(BACKUPS).json == [made]
    downloaded = as_login.get(f"{BACKUPS}{made['name']}/")
    assert len(downloaded.data) == made["size"]
    assert downloaded.headers["Content-Disposition"] == f"attachment; filename={made['name']}"
    (tmp_path / "copy.zip").write_bytes(downloaded.data)
    assert run("backup", "--verify", tmp_path / "copy.zip").exit_code == 0
    assert any(name.startswith("media/") for name in ZipFile(BytesIO(downloaded.data)).namelist())


def test_partial_files_of_a_killed_process_are_deleted(as_login, blog):
    (blog / "backups").mkdir(exist_ok=True)
    for name, age in ((".a.0123abcd.partial", timedelta(days=2)), (".b.0123abcd.partial", timedelta())):
        (path := blog / "backups" / name).touch()
        os.utime(path, times=((now() - age).timestamp(),) * 2)
    assert as_login.post(BACKUPS).status_code == 201
    assert [path.name for path in (blog / "backups").glob(".*.partial")] == [".b.0123abcd.partial"]


def test_the_list_shows_the_newest_first_and_where_the_media_are(app, as_login, instance, backup, set_clock):
    store_picture(app, "blue")
    start = now()
    set_clock(start + timedelta(hours=1))
    daily.create_backup_if_missing(instance, keep=3, today=start.date())
    (instance / "backups" / "mine.zip").write_bytes(b"")
    set_clock(start + timedelta(hours=2))
    newest = as_login.post(BACKUPS).json
    shown = as_login.get(BACKUPS).json
    assert (shown[1]["kind"], shown[1]["has_media"]) == ("daily", False)
    assert [shown[0], shown[2]] == [newest, backup]


def test_a_backup_can_be_verified(as_login, backup, instance):
    path = f"{BACKUPS}{backup['name']}/verify/"
    verified = as_login.post(path).json
    assert (verified["ok"], verified["articles"], verified["missing"]) == (True, 2, 0)
    file = instance / "backups" / backup["name"]
    file.write_bytes(file.read_bytes()[:-100])
    verified = as_login.post(path).json
    assert not verified["ok"] and "cannot be restored" in verified["detail"]
    assert str(instance) not in verified["detail"]
    assert as_login.get(BACKUPS).json[0]["name"] == backup["name"]


@pytest.mark.sqlite("the older blog is a file")
def test_a_backup_of_an_older_version_is_upgraded_for_its_check_alone(as_login, blog, tmp_path):
    name = "blogapi-20200101T000000000000Z.zip"
    (blog / "backups").mkdir()
    service.create_backup(create_older_blog(tmp_path), blog / "backups" / name)
    verified = as_login.post(f"{BACKUPS}{name}/verify/").json
    assert (verified["ok"], verified["articles"]) == (True, 0)
    assert [article["title"] for article in as_login.get(ARTICLES).json] == ["Bread"]
    assert as_login.post(ARTICLES, json={"title": "New", "category": {"slug": "shelf"}}).status_code == 201


BOMB = b'"' + bytes(50_000_000)


def write_member(name, content, compression=ZIP_DEFLATED, stated_size=None, **changes):
    """Return a function that writes a copy of a backup in which a file of the archive is replaced."""

    def write(source, target):
        write_altered(source, target, without_files={name}, **changes)
        with ZipFile(target, "a", compression) as archive:
            archive.writestr(name, content)
        if stated_size is not None:
            # The last entry of the central directory has the size 24 bytes after its signature.
            whole = bytearray(target.read_bytes())
            struct.pack_into("<I", whole, whole.rindex(b"PK\1\2") + 24, stated_size)
            target.write_bytes(whole)

    return write


def write_manifest(**changes):
    return lambda source, target: write_altered(source, target, **changes)


HOSTILE = {
    "no time": write_manifest(created="yesterday"),
    "no text as time": write_manifest(created=7),
    "a time before all others": write_manifest(created="0001-01-01T00:00:00+14:00"),
    "a time after all others": write_manifest(created="9999-12-31T23:59:59+00:00"),
    "a text as a number": write_manifest(media={"place": "file", "files": "all"}),
    "a deep manifest": write_member("manifest.json", "[" * 100_000),
    "a huge manifest": write_member("manifest.json", BOMB),
    "a huge manifest with a small size": write_member("manifest.json", BOMB, stated_size=900),
    "a huge manifest of another method": write_member("manifest.json", BOMB, ZIP_BZIP2, stated_size=900),
    "huge settings": write_member("config.toml", BOMB),
    "a huge list of media": write_member("media.json", BOMB, stated_size=150_000_000),
    "no archive": lambda source, target: target.write_bytes(b"Dear reader"),
}


@pytest.mark.parametrize("write", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_one_unreadable_line_of_the_list(as_login, instance, backup, write):
    name = "daily-2026-01-01.zip"
    write(instance / "backups" / backup["name"], instance / "backups" / name)
    tracemalloc.start()
    try:
        listed = {one["name"]: one["readable"] for one in as_login.get(BACKUPS).json}
        verified = as_login.post(f"{BACKUPS}{name}/verify/").json
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert listed == {name: False, backup["name"]: True} and peak < 20_000_000
    assert not verified["ok"] and "cannot be restored" in verified["detail"]
    advice = {one["check"]: one["title"] for one in as_login.post("/api/v1/doctor/").json["findings"]}
    assert advice["backup"] == "Backup made"
    assert as_login.delete(f"{BACKUPS}{backup['name']}/").status_code == 204
    advice = {one["check"]: one["title"] for one in as_login.post("/api/v1/doctor/").json["findings"]}
    assert advice["backup"] == "There is no backup yet"


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"saved": {"a": 1e999}, "missing": []}', '{"missing": [7]}']
)
@pytest.mark.parametrize("place", ["folder", "file"])
def test_a_list_of_media_that_cannot_be_read_is_no_error(as_login, instance, backup, content, place):
    name, media = "daily-2026-01-01.zip", {"place": place}
    path = instance / "backups" / name
    write_member("media.json", content, media=media)(path.with_name(backup["name"]), path)
    assert {one["name"]: one["readable"] for one in as_login.get(BACKUPS).json} == {
        name: False,
        backup["name"]: True,
    }
    verified = as_login.post(f"{BACKUPS}{name}/verify/").json
    assert not verified["ok"] and "its list of media files cannot be read" in verified["detail"]
    assert as_login.delete(f"{BACKUPS}{backup['name']}/").status_code == 204


def test_a_folder_or_a_broken_link_with_the_name_of_a_backup_is_not_listed(as_login, instance, backup):
    (instance / "backups" / "daily-2026-01-01.zip").mkdir()
    with suppress(OSError):
        (instance / "backups" / "daily-2026-01-02.zip").symlink_to("nowhere")
    assert as_login.get(BACKUPS).json == [backup]


def test_missing_media_files_are_counted(app, as_login, blog):
    add_media(app)
    assert as_login.post(BACKUPS).json["missing"] == 1


def test_only_manual_backups_can_be_deleted(app, as_login, instance, backup):
    store_picture(app, "blue")
    made = daily.create_backup_if_missing(instance, keep=3, today=now().date())
    assert outcome(as_login.delete(f"{BACKUPS}{made.path.name}/")) == (409, "conflict")
    assert as_login.delete(f"{BACKUPS}{backup['name']}/").status_code == 204
    assert [shown["name"] for shown in as_login.get(BACKUPS).json] == [made.path.name]


@pytest.mark.parametrize("name", ["blog.db", "..%2Fblog.db", "mine.zip", "daily-2026-01-01.zip", "media"])
def test_only_backups_can_be_downloaded(as_login, instance, backup, name):
    (instance / "backups" / "mine.zip").write_bytes(b"")
    for method, path in (("GET", name), ("DELETE", name), ("POST", f"{name}/verify")):
        assert as_login.open(f"{BACKUPS}{path}/", method=method).status_code == 404


def test_backups_are_made_and_checked_one_at_a_time(as_login, instance, backup):
    path = f"{BACKUPS}{backup['name']}/"
    with files.lock_file(instance / "backups" / instance_backups._LOCK_NAME):
        for response in (as_login.post(BACKUPS), as_login.post(f"{path}verify/"), as_login.delete(path)):
            assert outcome(response) == (409, "backup_running")


def test_the_number_of_backups_is_limited(as_login, backup, monkeypatch):
    monkeypatch.setattr(instance_backups, "MAX_MANUAL_BACKUPS", 1)
    assert outcome(as_login.post(BACKUPS)) == (409, "too_many_backups")


def full_database(*_):
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise error


@pytest.mark.parametrize(
    ("place", "fail"),
    [
        *((place, fail_with(errno.ENOSPC)) for place in ("mkdir", "lock", "create", "replace")),
        *(
            pytest.param("copy", fail, marks=pytest.mark.sqlite("copies its file"))
            for fail in (*map(fail_with, (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)), full_database)
        ),
    ],
)
def test_a_full_disk_is_reported_wherever_it_is_noticed(as_login, blog, monkeypatch, place, fail):
    places = {
        "mkdir": (Path, "mkdir"),
        "lock": (files, "lock_file"),
        "create": (files, "create_private_file"),
        "copy": (service, "copy_database"),
        "replace": (files, "replace_file"),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*places[place], fail)
        assert outcome(as_login.post(BACKUPS)) == (507, "storage_full")
    assert as_login.post(BACKUPS).status_code == 201


@pytest.mark.sqlite("copies its file")
def test_a_refused_backup_shows_no_path_outside_the_instance_folder(as_login, blog, monkeypatch):
    def fail(source, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(instance_backups.service, "copy_database", fail)
    response = as_login.post(BACKUPS)
    assert response.status_code == 507
    assert str(blog) not in response.json["detail"] and "instance" in response.json["detail"]


def test_a_backup_that_is_deleted_after_it_was_listed_is_left_out(tmp_path, monkeypatch):
    iterdir, folder = Path.iterdir, tmp_path / "backups"
    folder.mkdir()
    for day in (4, 5):
        (folder / f"daily-2026-03-0{day}.zip").touch()

    def list_and_delete(path):
        found = list(iterdir(path))
        (folder / "daily-2026-03-04.zip").unlink(missing_ok=True)
        return iter(found)

    monkeypatch.setattr(Path, "iterdir", list_and_delete)
    assert [backup.name for backup in instance_backups.list_backups(tmp_path)] == ["daily-2026-03-05.zip"]
