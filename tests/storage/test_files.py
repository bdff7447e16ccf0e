"""Atomic replacement of files, and the names of SQLite's side files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from blogapi.storage import files


def test_the_side_files_have_the_names_that_sqlite_uses(tmp_path):
    assert [path.name for path in files.get_side_files(tmp_path / "blog.db")] == [
        "blog.db-wal",
        "blog.db-shm",
        "blog.db-journal",
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot open a folder")
def test_a_replacement_is_written_to_disk_before_it_is_renamed(tmp_path, monkeypatch):
    source, target = tmp_path / "source", tmp_path / "folder" / "target"
    target.parent.mkdir()
    source.write_text("new", encoding="utf-8")
    synced, fsync = [], os.fsync

    def record(descriptor):
        found = os.fstat(descriptor)
        synced.append((found.st_ino, stat.S_ISDIR(found.st_mode), target.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    file = source.stat().st_ino
    files.replace_file(source, target)
    assert synced == [(file, False, False), (target.parent.stat().st_ino, True, True)]


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot lock a folder")
def test_a_process_knows_whether_it_is_the_only_one_with_a_folder(tmp_path):
    first = files.FolderLock(tmp_path)
    assert first.is_alone() and first.is_alone()
    program = (
        "import sys; from pathlib import Path; from blogapi.storage import files;"
        "lock = files.FolderLock(Path(sys.argv[1])); print('ready', flush=True); input();"
        "print(lock.is_alone())"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        # Neither loses its lock by asking.
        assert not first.is_alone() and not first.is_alone()
        assert other.communicate("\n", timeout=20)[0] == "False\n"
    assert first.is_alone()


def test_in_a_folder_that_cannot_be_locked_no_process_is_the_only_one(tmp_path):
    assert not files.FolderLock(tmp_path / "missing").is_alone()
