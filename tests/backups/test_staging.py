"""A restore that is killed leaves nothing behind, and one that runs is left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from blogapi import create_app
from blogapi.backups import staging
from blogapi.storage import files
from blogapi.web.errors import Conflict
from tests.conftest import release

pytestmark = pytest.mark.sqlite("a server is backed up by its own means")

ROOT = Path(__file__).parent.parent.parent

# Restores, and says so when the backup is unpacked; then it waits for its end.
RESTORE = """
import sys, threading
from pathlib import Path
from blogapi.backups import restoring
from blogapi import create_app
def wait(*_):
    print("unpacked", flush=True)
    threading.Event().wait()
restoring._bring_up = wait
restoring.restore(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.fixture
def restoring(app, saved, blog):
    """A process that is in the midst of a restore."""
    release(app)
    words = [sys.executable, "-c", RESTORE, str(saved), str(blog)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "unpacked\n"
    yield process
    end(process)


def end(process) -> None:
    process.kill()
    process.wait(60)
    process.stdout.close()


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob(".restore-*"))


def start() -> None:
    release(create_app())


def test_a_start_deletes_what_a_killed_restore_left(restoring, blog):
    assert len(left(blog)) == 2
    end(restoring)
    start()
    assert left(blog) == []


def test_a_restore_deletes_what_a_killed_one_left(restoring, run, blog, saved):
    end(restoring)
    assert run("restore", saved).exit_code == 0
    assert left(blog) == []


def test_a_start_leaves_a_running_restore_alone(restoring, blog):
    before = left(blog)
    start()
    assert left(blog) == before
    assert any(path.name == "blog.db" for path in blog.glob(".restore-*/*"))


def test_a_second_restore_is_refused_while_one_is_running(restoring, run, blog, saved, print_of):
    before = print_of()
    told = run("restore", saved)
    assert (told.exit_code, "Another restore is running" in told.stderr) == (1, True)
    assert print_of() == before


def test_a_folder_that_a_killed_restore_left_without_its_lock_goes(run, blog, app):
    (blog / ".restore-abc").mkdir()
    (blog / ".restore-abc" / "blog.db").write_bytes(b"half")
    release(app)
    start()
    assert left(blog) == []


def test_a_start_goes_on_where_nothing_may_be_deleted(blog, app, monkeypatch):
    (blog / ".restore-abc").mkdir()
    release(app)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "_lock", refuse)
    start()
    assert left(blog) != []


def test_the_next_holder_of_a_lock_takes_a_new_file(tmp_path, monkeypatch):
    path, lock = tmp_path / "lock", files._lock
    deleted = []

    def lock_late(file):
        # The last holder deletes the file after this one has opened it.
        if not deleted:
            deleted.append(path.unlink())
        return lock(file)

    if sys.platform != "win32":
        monkeypatch.setattr(files, "_lock", lock_late)
    with files.locked(path) as held:
        assert held and path.exists()
        with files.locked(path) as second:
            assert not second
    assert not path.exists()


def test_two_restores_in_threads_of_one_process_are_apart_too(tmp_path):
    with staging.staging(tmp_path) as folder:
        staging.clean_up(tmp_path)
        assert folder.is_dir()
        with pytest.raises(Conflict), staging.staging(tmp_path):
            pass
        assert folder.is_dir()
    assert left(tmp_path) == []
