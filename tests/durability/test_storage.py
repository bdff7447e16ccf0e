"""Full disks, and removed or read-only files, are reported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest

from blogapi import create_app
from blogapi.accounts.users import service as users
from blogapi.importing.jobs import runner
from blogapi.importing.pipeline.run import ImportRun
from blogapi.importing.texts.messages import DISK_FULL
from blogapi.storage import checkpoint
from blogapi.storage.files import get_side_files
from tests.accounts.users.conftest import LOGIN
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, KEYS, TAGS, close_connections
from tests.durability.conftest import (
    LISTS,
    SQLITE_PAGE_SIZE,
    Client,
    Response,
    get_start_error,
    get_status_and_code,
    is_intact,
    wait_until,
)
from tests.durability.test_imports import IMPORTS
from tests.durability.test_processes import WSGI
from tests.import_threads import run_in_threads
from tests.operations.backups.test_routes import BACKUPS
from tests.pictures import make_picture
from tests.small_disks import fill_disk, mount_small_disk

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("its file and its log")]
MEDIA = "/api/v1/blog/media/"
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows cannot remove an open file")

# File modes do not restrict root, so this program drops these privileges (PR_CAPBSET_DROP of CAP_DAC_OVERRIDE
# and CAP_DAC_READ_SEARCH) before it runs another program.
DROP_PRIVILEGE = """
import ctypes, os, sys
if sys.platform == "linux":
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
UNPRIVILEGED = [sys.executable, "-c", DROP_PRIVILEGE, *WSGI]


@pytest.fixture
def small_disk(instance) -> Iterator[Path]:
    """The instance folder, on a disk of 12 MB with 500 inodes."""
    with mount_small_disk(instance):
        yield instance


def test_a_full_disk_is_reported_and_writes_succeed_once_there_is_space(small_disk, blog, serve):
    with serve() as (client, server_process):
        stranger, numbers = Client(client.port), count()

        def write() -> Response:
            return client("POST", TAGS, {"name": f"{next(numbers)}"})

        known = {tag["uuid"] for tag in client("GET", TAGS).json}
        key = Client(client.port, stranger("POST", KEYS).json["public_state"])
        filler = fill_disk(small_disk)
        writes = []
        writes.append(write())
        assert get_status_and_code(writes[-1]) == (507, "storage_full")
        for path in LISTS:
            assert client("GET", path).status == 200
        assert (key("GET", TAGS).status, key("GET", ARTICLES).status) == (200, 200)
        assert get_status_and_code(stranger("GET", "/health/")) == (503, "storage_full")
        refused = [write() for _ in range(5)]
        assert {response.status for response in refused} <= {201, 507}
        filler.unlink()
        assert write().status == 201
        assert stranger("GET", "/health/").status == 200
        acknowledged = {response.json["uuid"] for response in (*writes, *refused) if response.status == 201}
        server_process.process.kill()
    with serve() as (client, _):
        found = {tag["uuid"] for tag in client("GET", TAGS).json}
        assert known | acknowledged < found
        assert len(found) == len(known | acknowledged) + 1
    assert is_intact(blog)


def write_until_refused(client) -> None:
    while (response := client.post(TAGS, json={"name": f"{uuid4()}"})).status_code == 201:
        pass
    assert (response.status_code, response.json["code"]) == (507, "storage_full")


def test_a_log_on_a_small_disk_is_emptied_before_it_fills_the_disk(small_disk, as_admin):
    os.truncate(filler := fill_disk(small_disk), filler.stat().st_size - 6 * 1024**2)
    log, sizes = get_side_files(small_disk / "blog.db").log, [0]
    while not sizes[-1] < sizes[0]:
        assert as_admin.post(TAGS, json={"name": f"{uuid4()}"}).status_code == 201
        sizes.append(log.stat().st_size)
        sizes[0] = max(sizes)
    assert sizes[-1] == 0
    assert as_admin.post(TAGS, json={"name": "last"}).status_code == 201


def test_a_log_is_emptied_on_a_disk_that_other_programs_have_filled(small_disk, as_admin):
    log = get_side_files(small_disk / "blog.db").log
    # A rewritten row needs no space in the database file.
    tag = as_admin.post(TAGS, json={"name": "first"}).json
    checkpoint.truncate_log(small_disk / "blog.db")
    assert as_admin.patch(f"{TAGS}{tag['uuid']}/", json={"name": "third"}).status_code == 200
    assert log.stat().st_size > 0
    fill_disk(small_disk)
    checkpoint.truncate_log(small_disk / "blog.db")
    assert log.stat().st_size == 0


@pytest.mark.parametrize("is_filled_by_others", [True, False])
def test_an_admin_logs_in_and_deletes_files_on_a_full_disk(
    small_disk, app, as_admin, as_stranger, people, is_filled_by_others
):
    with app.app_context():
        users.set_password("ada", "a long password")
    file = as_admin.post(MEDIA, query_string={"name": "a.png"}, data=make_picture("red")).json
    filler = fill_disk(small_disk)
    if not is_filled_by_others:
        os.truncate(filler, filler.stat().st_size - 4 * 1024**2)
    write_until_refused(as_admin)
    body = {"username": "ada", "password": "a long password"}
    assert as_stranger.post(LOGIN, json=body).status_code == 200
    assert as_stranger.delete(f"{MEDIA}{file['uuid']}/").status_code == 204
    assert not [path for path in (small_disk / "media").rglob("*") if path.suffix == ".png"]


def test_used_up_inodes_are_reported(small_disk, app, as_login, as_stranger):
    assert as_stranger.get("/health/").status_code == 200
    with suppress(OSError):
        for number in count():
            (small_disk / f"file {number}").touch()
    assert as_stranger.get("/health/").json["code"] == "storage_full"
    result = app.test_cli_runner().invoke(args=["doctor", "--json"])
    (found,) = [found for found in json.loads(result.output)["findings"] if found["check"] == "disk"]
    assert (found["level"], found["says"]) == ("wrong", "The disk has no free inodes.")


def test_an_import_on_a_full_disk_says_so(small_disk, app, as_login, monkeypatch):
    run_in_threads(app, monkeypatch)
    text = b"---\ntitle: Bread\ndate: 2024-05-01\n---\n" + b"Flour, water. " * 20_000
    job = as_login.post(IMPORTS, data=text, query_string={"name": "a.md"}).json
    runner.get_runner(app).wait_for_job(60)
    path = f"{IMPORTS}{job['uuid']}/"

    def fill_and_store(run, show_progress):
        fill_disk(small_disk)
        store(run, show_progress)

    store = ImportRun._store_articles
    monkeypatch.setattr(ImportRun, "_store_articles", fill_and_store)
    assert as_login.post(f"{path}start/").status_code == 200
    runner.get_runner(app).wait_for_job(60)
    ended = as_login.get(path).json
    assert (ended["status"], ended["error"]) == ("failed", DISK_FULL)


def test_a_backup_on_a_full_disk_is_refused_until_there_is_space(small_disk, blog, as_login):
    filler = fill_disk(small_disk)
    outcomes = []
    for _ in range(300):
        response = as_login.post(BACKUPS)
        outcomes.append((response.status_code, response.json.get("code")))
        if response.status_code != 507:
            break
        os.truncate(filler, filler.stat().st_size - 4 * SQLITE_PAGE_SIZE)
    assert len(outcomes) > 2
    assert set(outcomes[:-1]) == {(507, "storage_full")} and outcomes[-1][0] == 201
    assert [backup["name"] for backup in as_login.get(BACKUPS).json] == [response.json["name"]]


def test_a_start_on_a_full_disk_is_refused_until_there_is_space(small_disk, blog, app):
    close_connections(app)
    filler = fill_disk(small_disk)
    # Either SQLite has no space for the index of its log, or the secret key cannot be written.
    error = get_start_error()
    assert "the disk is full" in error or "No space left on device" in error
    assert not list(small_disk.glob("secret_key*"))
    filler.unlink()
    (small_disk / "secret_key").write_text("s" * 64, encoding="ascii")
    filler = fill_disk(small_disk)
    assert "the disk is full" in get_start_error()
    filler.unlink()
    close_connections(create_app())
    assert is_intact(blog)


def test_doctor_and_restore_on_a_full_disk_name_what_is_full(small_disk, blog, app, tmp_path):
    run = app.test_cli_runner().invoke
    assert run(args=["backup", str(tmp_path / "saved.zip")]).exit_code == 0
    close_connections(app)
    filler = fill_disk(small_disk)
    result = run(args=["doctor"])
    (line,) = [one for one in result.stdout.splitlines() if one.startswith("wrong     database")]
    assert line.endswith("Do: free some space on the disk.") and "damaged" not in line
    # A little space is enough to begin the restore, and not to end it.
    for pages in (0, 40, 240):
        os.truncate(filler, filler.stat().st_size - pages * SQLITE_PAGE_SIZE)
        result = run(args=["restore", str(tmp_path / "saved.zip")])
        assert result.exit_code == 1 and f"The disk is full; {small_disk}" in result.stderr, result.output
    assert list((small_disk / "backups").glob("*.db")) == []
    filler.unlink()
    assert is_intact(blog)
    assert run(args=["restore", str(tmp_path / "saved.zip")]).exit_code == 0


def move_away(file: Path) -> Callable[[], None]:
    """Move the instance folder away; return a function that brings it back."""
    away = file.parent.with_name("away")
    file.parent.rename(away)
    return lambda: away.rename(file.parent)


@allow_opening()
def replace_by_copy(file: Path) -> Callable[[], None]:
    """Replace the file with a copy; return a function that brings the original back."""
    away = file.parent.with_name("away")
    shutil.copytree(file.parent, away)
    file.rename(away / "own.db")
    shutil.copy(away / "blog.db", file)

    def restore() -> None:
        (away / "own.db").replace(file)
        shutil.rmtree(away)

    return restore


@POSIX
@pytest.mark.parametrize("hide_file", [move_away, replace_by_copy])
def test_nothing_is_stored_in_a_removed_or_replaced_file(serve, blog, hide_file):
    with serve() as (client, _):
        before = {path: client("GET", path).json for path in LISTS}
        restore = hide_file(blog)
        left = sorted(blog.parent.glob("*"))
        # For a short time, the response cache still serves cached responses.
        wait_until(lambda: {client("GET", path).status for path in LISTS} == {503})
        for path in (TAGS, KEYS):
            assert client("POST", path, {"name": "one more"}).status == 503
        assert get_status_and_code(client("GET", "/health/")) == (503, "missing")
        assert sorted(blog.parent.glob("*")) == left
        restore()
        assert {path: client("GET", path).json for path in LISTS} == before
        assert client("POST", TAGS, {"name": "one more"}).status == 201
        assert client("GET", "/health/").status == 200


@POSIX
def test_a_read_only_file_is_reported_and_reads_still_succeed(serve, blog, tmp_path, app):
    with serve(command=UNPRIVILEGED) as (client, _):
        before = client("GET", ARTICLES).json
        blog.chmod(0o400)
        blog.parent.chmod(0o500)
        try:
            assert get_status_and_code(client("GET", "/health/")) == (503, "read_only")
            assert client("GET", ARTICLES).json == before
            responses = [client("POST", TAGS, {"name": f"more {number}"}) for number in range(5)]
            assert {response.status for response in responses} <= {201, 503}
        finally:
            blog.parent.chmod(0o700)
            blog.chmod(0o600)
        assert client("GET", "/health/").status == 200
        found = {tag["uuid"] for tag in client("GET", TAGS).json}
        assert {response.json["uuid"] for response in responses if response.status == 201} <= found


@POSIX
def test_a_start_on_a_read_only_file_is_refused(blog, app, tmp_path):
    close_connections(app)
    blog.chmod(0o400)
    try:
        result = subprocess.run(
            [*UNPRIVILEGED, "--port", "0"], capture_output=True, text=True, timeout=120, cwd=tmp_path
        )
    finally:
        blog.chmod(0o600)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"Error: The database {blog} cannot be opened: Permission denied.\n"
