"""A static copy or an export that is killed while it writes can be repeated without `--overwrite`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from blogapi.site import service as site
from tests.conftest import ARTICLES, close_connections

pytestmark = [pytest.mark.slow, pytest.mark.once]

ROOT = Path(__file__).parent.parent.parent

# Runs a command that waits before, or after, a file named `again` gets its name.
COMMAND = """
import sys, threading
from blogapi.__main__ import main
from blogapi.storage import files
rename, moment = files.rename_file, sys.argv[1]
def rename_or_wait(source, target):
    is_it = "again" in str(target)
    if not is_it or moment == "after":
        rename(source, target)
    if is_it:
        print("waiting", flush=True)
        threading.Event().wait()
files.rename_file = rename_or_wait
main(sys.argv[2:])
"""


def run_and_kill(app, moment, *words):
    close_connections(app)
    command = [sys.executable, "-c", COMMAND, moment, *(str(word) for word in words)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.kill()
    process.communicate(timeout=60)


@pytest.fixture
def run(app):
    """Runs a command of the application, and returns its result."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


def read(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("is_second", [False, True])
@pytest.mark.parametrize("command", [("site", "build"), ("export",)])
def test_a_killed_run_is_continued_and_foreign_files_stay(
    app, run, make_article, as_admin, tmp_path, command, is_second, moment
):
    with app.app_context():
        site.change_site({"url": "https://blog.example"})
    again = make_article(title="Again", slug="again", content="One")
    make_article(title="Other")
    folder = tmp_path / "copy"
    if is_second:
        assert run(*command, folder).exit_code == 0
        assert as_admin.patch(f"{ARTICLES}{again.uuid}/", json={"content": "Two"}).status_code == 200
    run_and_kill(app, moment, *command, folder)
    left = read(folder)
    assert any(name.endswith(".partial") for name in left) is (moment == "before")
    (folder / "mine.html").write_text("mine", encoding="utf-8")
    assert as_admin.patch(f"{ARTICLES}{again.uuid}/", json={"content": "Three"}).status_code == 200
    result = run(*command, folder)
    assert (result.exit_code, "refused  " in result.output) == (0, False), result.output
    fresh = tmp_path / "fresh"
    assert run(*command, fresh).exit_code == 0
    assert read(folder) == read(fresh) | {"mine.html": b"mine"}


@pytest.mark.parametrize("command", [("site", "build"), ("export",)])
def test_a_file_put_at_the_name_that_a_killed_run_was_about_to_write_is_foreign(
    app, run, make_article, tmp_path, command
):
    with app.app_context():
        site.change_site({"url": "https://blog.example"})
    make_article(title="Again", slug="again")
    folder = tmp_path / "copy"
    run_and_kill(app, "before", *command, folder)
    name = "again/index.html" if command[0] == "site" else "articles/again.html"
    (folder / name).write_text("mine", encoding="utf-8")
    result = run(*command, folder)
    assert result.exit_code == 1 and f"refused  {name}: No " in result.output
    assert (folder / name).read_text(encoding="utf-8") == "mine"
