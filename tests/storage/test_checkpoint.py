"""The write-ahead log stays short while many readers are active, and no write waits long for a reader."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from blogapi import clock
from blogapi.accounts.users import service as users
from blogapi.storage import checkpoint, files, integrity
from blogapi.storage.database import db, leave_checkpoints_to_server, transaction
from blogapi.web.access import Role

pytestmark = pytest.mark.sqlite("its log")

SHORT_LOG_BYTES = 512 * 1024


@pytest.fixture
def log_path(app, instance, monkeypatch):
    """The write-ahead log of the test's blog. Every write tries to truncate a log of more than 512 kB."""
    monkeypatch.setattr(checkpoint, "MAX_LOG_BYTES", SHORT_LOG_BYTES)
    monkeypatch.setattr(checkpoint, "CHECKPOINT_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(app.extensions["blogapi-write-ahead-log"], "_next_try", 0.0)
    return files.get_side_files(instance / "blog.db").log


@pytest.fixture
def write_rows(app):
    """Writes about 200 kB several times; returns the largest size of the log."""

    def write_rows(times: int, log_path: Path) -> int:
        sizes = []
        with app.app_context():
            for _ in range(times):
                with transaction():
                    db.session.execute(db.text("CREATE TABLE IF NOT EXISTS much (text)"))
                    db.session.execute(db.text("INSERT INTO much VALUES (hex(randomblob(100000)))"))
                sizes.append(log_path.stat().st_size)
        return max(sizes)

    return write_rows


def begin_read(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM account").fetchall()


def test_the_log_stays_short_while_reads_overlap(instance, log_path, write_rows, monkeypatch):
    """One of two connections is always reading: a read ends after a read on the other connection begins."""
    monkeypatch.setattr(checkpoint, "CHECKPOINT_WAIT_SECONDS", 60)
    turns, stop = [threading.Semaphore(1), threading.Semaphore(0)], threading.Event()

    def take_turns(own: int) -> None:
        with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as connection:
            while not stop.is_set():
                turns[own].acquire()
                begin_read(connection)
                turns[1 - own].release()
                turns[own].acquire()
                turns[own].release()
                connection.execute("COMMIT")

    threads = [threading.Thread(target=take_turns, args=(own,)) for own in (0, 1)]
    for thread in threads:
        thread.start()
    try:
        assert write_rows(40, log_path) < 6 * SHORT_LOG_BYTES
    finally:
        stop.set()
        for turn in turns:
            turn.release(100)
        for thread in threads:
            thread.join(60)


def test_a_long_read_delays_few_writes(app, instance, log_path, write_rows, monkeypatch):
    attempts, truncate_log, later = [], checkpoint.truncate_log, clock.monotonic() + 100
    monkeypatch.setattr(checkpoint, "truncate_log", lambda path: attempts.append(path) or truncate_log(path))
    monkeypatch.setattr(checkpoint, "CHECKPOINT_RETRY_SECONDS", 5.0)
    monkeypatch.setattr(clock, "monotonic", lambda: later)
    with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as reader:
        write_rows(1, log_path)
        assert not attempts
        begin_read(reader)
        assert write_rows(10, log_path) > 3 * SHORT_LOG_BYTES
    assert len(attempts) == 1
    monkeypatch.setattr(clock, "monotonic", lambda: later + 5)
    write_rows(1, log_path)
    # The log is emptied before the write.
    assert len(attempts) == 2 and log_path.stat().st_size < SHORT_LOG_BYTES


def test_a_checkpoint_that_fails_does_not_fail_the_write(app, log_path, write_rows, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(checkpoint.integrity, "open_database", fail)
    write_rows(4, log_path)
    with app.app_context():
        users.create_user("ada", None, role=Role.ADMIN)
        assert db.session.scalar(db.text("SELECT count(*) FROM account")) == 1


def test_no_connection_makes_checkpoints_by_itself(app, instance):
    with app.app_context(), integrity.open_database(instance / "blog.db") as connection:
        assert db.session.scalar(db.text("PRAGMA wal_autocheckpoint")) == 0
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)


@pytest.fixture
def checkpoints(monkeypatch):
    """The statements of all attempts to make a checkpoint."""
    statements, open_database = [], integrity.open_database

    @contextmanager
    def record(path, **options):
        with open_database(path, **options) as connection:
            connection.set_trace_callback(statements.append)
            yield connection

    monkeypatch.setattr(integrity, "open_database", record)
    return statements


def test_a_checkpoint_begins_with_a_commit_that_adds_a_frame(instance, log_path, write_rows, checkpoints):
    write_rows(4, log_path)
    commands = [text for text in checkpoints if text.startswith(("BEGIN", "UPDATE", "PRAGMA"))]
    assert commands == [
        *("BEGIN IMMEDIATE", "PRAGMA wal_checkpoint(PASSIVE)"),
        *("PRAGMA user_version = 0", "PRAGMA wal_checkpoint(TRUNCATE)"),
    ]
    with integrity.open_database(instance / "blog.db") as connection:
        connection.execute(commands[0])
        connection.rollback()
        size = log_path.stat().st_size
        connection.execute(commands[2])
        assert log_path.stat().st_size > size


@pytest.mark.parametrize(("free", "is_emptied"), [(0, True), (100_000, True), (10**9, False)])
def test_the_log_is_no_longer_than_the_free_space(
    log_path, write_rows, checkpoints, monkeypatch, free, is_emptied
):
    usage = shutil.disk_usage(log_path.parent)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    write_rows(1, log_path)
    assert bool(checkpoints) == is_emptied
    assert (log_path.stat().st_size == 0) == is_emptied


@pytest.mark.parametrize(("code", "is_emptied"), [(sqlite3.SQLITE_FULL, True), (sqlite3.SQLITE_IOERR, False)])
def test_a_write_without_space_empties_the_log(app, log_path, write_rows, checkpoints, code, is_emptied):
    write_rows(1, log_path)
    error = sqlite3.OperationalError("failed")
    error.sqlite_errorcode = code
    with app.app_context(), pytest.raises(sqlite3.OperationalError), transaction():
        db.session.execute(db.text("DELETE FROM much"))
        raise error
    assert (log_path.stat().st_size == 0) == is_emptied
    with app.app_context():
        assert db.session.scalar(db.text("SELECT count(*) FROM much")) == 1


def test_a_log_is_emptied_before_a_write_if_other_programs_have_filled_the_disk(
    app, log_path, write_rows, checkpoints, monkeypatch
):
    write_rows(1, log_path)
    assert not checkpoints
    usage = shutil.disk_usage(log_path.parent)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with app.app_context(), pytest.raises(ValueError, match="rolled back"), transaction():
        raise ValueError("rolled back")
    assert log_path.stat().st_size == 0


def test_two_processes_make_no_checkpoint_at_once(instance, log_path, write_rows, checkpoints):
    with files.lock_file(instance / "blog.db-checkpoint"):
        write_rows(4, log_path)
        assert not checkpoints
    write_rows(1, log_path)
    assert log_path.stat().st_size < SHORT_LOG_BYTES
    assert not (instance / "blog.db-checkpoint").exists()


def test_no_checkpoint_begins_while_another_process_writes(instance, log_path, write_rows, checkpoints):
    write_rows(2, log_path)
    with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("BEGIN IMMEDIATE")
        checkpoint.truncate_log(instance / "blog.db")
    assert "PRAGMA wal_checkpoint(TRUNCATE)" not in checkpoints


def test_a_process_that_a_server_has_started_leaves_checkpoints_to_it(app, log_path, write_rows, checkpoints):
    key = "blogapi-write-ahead-log"
    with app.app_context(), pytest.MonkeyPatch.context() as patch:
        # The other tests of this application keep its log.
        patch.setitem(app.extensions, key, app.extensions[key])
        leave_checkpoints_to_server()
        write_rows(4, log_path)
    assert not checkpoints
    write_rows(1, log_path)
    assert checkpoints
