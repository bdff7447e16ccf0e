"""A damaged write-ahead log is found, and the program that reads it does not read a log that is written."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from blogapi.storage import integrity, raw_files
from blogapi.storage.files import get_side_files

pytestmark = pytest.mark.sqlite("its file and its log")

COMMITS, FRAME_SIZE = 9, 24 + 4096


@pytest.fixture
def database(tmp_path) -> Path:
    """A database whose log contains nine writes of one page each, as a killed process leaves it."""
    source, target = tmp_path / "source.db", tmp_path / "killed" / "copy.db"
    target.parent.mkdir()
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE tag (name)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for number in range(COMMITS):
            connection.execute("INSERT INTO tag VALUES (?)", [number])
        shutil.copy(source, target)
        shutil.copy(get_side_files(source).log, get_side_files(target).log)
    return target


def damage(database: Path, start: int) -> None:
    with get_side_files(database).log.open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * 8)


def damage_frame(database: Path, number: int) -> None:
    damage(database, raw_files.LOG_HEADER_SIZE + number * FRAME_SIZE + 100)


def test_an_intact_log_has_lost_nothing(database):
    assert integrity.count_lost_writes(database) == 0


def test_a_write_that_a_power_failure_interrupted_is_not_lost(database):
    damage_frame(database, COMMITS - 1)
    assert integrity.count_lost_writes(database) == 0


# The write in the damaged frame itself cannot be told from one that a power failure interrupted.
@pytest.mark.parametrize("frame", [0, 4, COMMITS - 2])
def test_the_writes_after_a_damaged_frame_are_lost(database, frame):
    damage_frame(database, frame)
    log = get_side_files(database).log.read_bytes()
    for _ in range(2):
        assert integrity.count_lost_writes(database) == COMMITS - 1 - frame
    assert get_side_files(database).log.read_bytes() == log


def test_all_writes_after_a_damaged_header_are_lost(database):
    damage(database, 3)
    assert integrity.count_lost_writes(database) == COMMITS - 1


def test_a_database_without_a_log_has_lost_nothing(database):
    get_side_files(database).log.unlink()
    assert integrity.count_lost_writes(database) == 0
    assert integrity.count_lost_writes(database.with_name("missing.db")) == 0


def test_the_program_prints_the_number_of_dropped_writes(database, capsys):
    damage_frame(database, 4)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("SELECT * FROM tag").fetchone()
        raw_files._main("count", str(database))
    assert capsys.readouterr().out == "5"


def test_nothing_is_counted_while_a_writer_changes_the_log(database, monkeypatch):
    damage_frame(database, 4)
    count_commits = raw_files._count_commits
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("SELECT * FROM tag").fetchone()

        def write_and_count(*arguments) -> int:
            counted = count_commits(*arguments)
            connection.execute("INSERT INTO tag VALUES ('new')")
            return counted

        monkeypatch.setattr(raw_files, "_count_commits", write_and_count)
        assert raw_files.count_commits_after_valid_frames(str(database)) == 0


def test_the_program_copies_a_file_unchanged(database, tmp_path):
    raw_files._main("copy", str(database), str(tmp_path / "first"))
    integrity.copy_database_bytes(database, tmp_path / "second")
    for name in ("first", "second"):
        assert (tmp_path / name).read_bytes() == database.read_bytes()
