"""The folder of a killed restore is deleted; the folder of a running restore excludes other restores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from blogapi import create_app
from blogapi.storage import files
from tests.conftest import close_connections

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")

ROOT = Path(__file__).parent.parent.parent.parent

# A program that prints a line when the backup is unpacked, and then waits until it is killed.
RESTORE = """
import sys, threading
from pathlib import Path
from blogapi.operations.backups import restoring
def wait(*_):
    print("unpacked", flush=True)
    threading.Event().wait()
restoring._upgrade_database = wait
restoring.restore_backup(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.fixture
def paused_restore(app, backup_file, blog):
    """A restore that has unpacked a backup and then waits; its lock file is beside its folder."""
    close_connections(app)
    words = [sys.executable, "-c", RESTORE, str(backup_file), str(blog)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "unpacked\n"
    yield process
    kill_process(process)


def kill_process(process) -> None:
    process.kill()
    process.wait(60)
    process.stdout.close()


def list_staging_folders(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob(".restore-*"))


def start_app() -> None:
    close_connections(create_app())


@pytest.mark.slow
def test_a_start_deletes_the_folder_of_a_killed_restore(paused_restore, blog):
    assert len(list_staging_folders(blog)) == 2
    kill_process(paused_restore)
    start_app()
    assert list_staging_folders(blog) == []


@pytest.mark.slow
def test_a_restore_deletes_the_folder_of_a_killed_restore(paused_restore, run, blog, backup_file):
    kill_process(paused_restore)
    assert run("restore", backup_file).exit_code == 0
    assert list_staging_folders(blog) == []


@pytest.mark.slow
def test_a_start_and_another_restore_do_not_disturb_a_running_restore(paused_restore, run, blog, backup_file):
    before = list_staging_folders(blog)
    start_app()
    result = run("restore", backup_file)
    assert (result.exit_code, "Another restore is running; it uses" in result.stderr) == (1, True)
    assert str(blog / before[0]) in result.stderr
    assert list_staging_folders(blog) == before
    assert any(path.name == "blog.db" for path in blog.glob(".restore-*/*"))


def test_a_start_succeeds_if_the_folder_of_a_killed_restore_cannot_be_deleted(blog, app, monkeypatch):
    (blog / ".restore-files").mkdir()
    close_connections(app)
    monkeypatch.setattr("os.rmdir", lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "no")))
    start_app()
    assert list_staging_folders(blog) != []


def test_a_new_lock_file_is_created_if_the_previous_holder_deleted_the_old_file(tmp_path, monkeypatch):
    path, lock = tmp_path / "lock", files._try_lock_file
    deleted = []

    def lock_late(file):
        # The previous holder of the lock deletes the file after the next holder has opened it.
        if not deleted:
            deleted.append(path.unlink())
        return lock(file)

    if sys.platform != "win32":
        monkeypatch.setattr(files, "_try_lock_file", lock_late)
    with files.lock_file(path) as held:
        assert held and path.exists()
        with files.lock_file(path) as second:
            assert not second
    assert not path.exists()
