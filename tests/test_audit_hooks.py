"""The audit hook finds each open of a SQLite file of the blog, in this process and in others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit_hooks.sqlite_files import OpenedSqliteFile, allow_opening

pytestmark = [pytest.mark.once, pytest.mark.no_database]

OPENERS = {
    "read": lambda path: path.read_bytes(),
    "write": lambda path: path.write_bytes(b""),
    "open": lambda path: os.open(path, os.O_RDWR | os.O_CREAT),
    "bytes": lambda path: os.open(os.fsencode(path), os.O_RDONLY),
    "copy": lambda path: shutil.copy(path, path.with_name("copy")),
    "truncate": lambda path: os.truncate(path, 0),
}


def read_and_delete(report: Path) -> str:
    """Return the report of the hook; the test fails at its end if the report remains."""
    found = report.read_text(encoding="utf-8")
    report.unlink()
    return found


@pytest.mark.parametrize("name", ["blog.db", "blog.db-wal", "blog.db-shm"])
@pytest.mark.parametrize("opener", OPENERS)
def test_opening_a_file_of_the_blog_is_reported(instance, opened_sqlite_files, opener, name):
    with pytest.raises(OpenedSqliteFile):
        OPENERS[opener](instance / name)
    assert read_and_delete(opened_sqlite_files).startswith(f"{instance / name} was opened, ")


def test_a_relative_path_is_reported(instance, opened_sqlite_files, monkeypatch):
    instance.mkdir()
    monkeypatch.chdir(instance)
    with pytest.raises(OpenedSqliteFile):
        Path("blog.db").read_bytes()
    assert read_and_delete(opened_sqlite_files)


def test_opening_a_file_in_another_process_is_reported(instance, opened_sqlite_files):
    # The process goes on after the error, as a server does.
    program = f"import os\ntry: os.open({str(instance / 'blog.db')!r}, 0)\nexcept Exception: pass"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert read_and_delete(opened_sqlite_files)


def test_new_files_other_files_and_exceptions_are_not_reported(instance, opened_sqlite_files):
    instance.mkdir()
    for name in ("other.db", "blog.db.partial", "config.toml"):
        (instance / name).write_bytes(b"")
    (instance / "blog.db").open("xb").close()
    with allow_opening():
        (instance / "blog.db").read_bytes()
    assert not opened_sqlite_files.exists()
