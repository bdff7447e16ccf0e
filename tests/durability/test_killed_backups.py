"""A backup or a restore that is killed between two media files leaves a working blog and can be repeated."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from blogapi.content.media import stored_files
from tests.conftest import close_connections
from tests.operations.backups.databases import dump_rows
from tests.stored_pictures import list_stored_files, store_picture

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.sqlite("a server is backed up by its own means"),
]

ROOT = Path(__file__).parent.parent.parent

# Runs a command that waits before the second media file gets its name.
COMMAND = """
import sys, threading
from blogapi.__main__ import main
from blogapi.storage import files
replace, replaced = files.replace_file, []
def replace_or_wait(source, target):
    if target.parent.parent.name == "media":
        if replaced:
            print("waiting", flush=True)
            threading.Event().wait()
        replaced.append(target)
    replace(source, target)
files.replace_file = replace_or_wait
main(sys.argv[1:])
"""


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


@pytest.fixture
def pictures(app, make_article):
    """The files of three pictures of a blog with one article."""
    make_article()
    for colour in ("blue", "red", "green"):
        store_picture(app, colour)
    return list_stored_files(app)


def run_and_kill(app, *words) -> None:
    close_connections(app)
    command = [sys.executable, "-c", COMMAND, *(str(word) for word in words)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    # `restore` first says what it replaces.
    assert "waiting\n" in iter(process.stdout.readline, "")
    process.kill()
    process.communicate(timeout=60)


def list_intact(root: Path) -> set[str]:
    """Return the paths of the media files in the folder, all of which must be intact."""
    paths = list(stored_files.list_stored_paths(root))
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == path.stem for path in paths)
    return {path.relative_to(root).as_posix() for path in paths}


def test_a_killed_backup_leaves_no_half_file(app, run, pictures, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    run_and_kill(app, "backup", folder)
    assert (list(folder.glob("*.zip")), len(list_intact(folder / "media"))) == ([], 1)
    assert run("backup", folder, "--keep", "1").exit_code == 0
    (path,) = folder.glob("*.zip")
    assert run("backup", "--verify", path).exit_code == 0


def test_a_killed_restore_leaves_the_former_blog_and_can_be_repeated(
    app, run, pictures, make_article, instance, tmp_path
):
    assert run("backup", tmp_path / "saved.zip").exit_code == 0
    saved = dump_rows(instance / "blog.db")
    make_article()
    before = dump_rows(instance / "blog.db")
    for file in pictures:
        (instance / "media" / file.path).unlink()
    run_and_kill(app, "restore", tmp_path / "saved.zip")
    assert dump_rows(instance / "blog.db") == before != saved
    assert len(list_intact(instance / "media")) == 1
    assert run("restore", tmp_path / "saved.zip").exit_code == 0
    assert dump_rows(instance / "blog.db") == saved
    assert list_intact(instance / "media") == {file.path for file in pictures}
