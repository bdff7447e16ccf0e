"""The commit version grows with every commit, whichever connection or process made it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine

from blogapi.accounts.users.models import Account
from blogapi.delivery.response_cache import commit_version
from blogapi.delivery.response_cache.commit_version import SqliteVersionSource
from blogapi.storage.database import db, transaction
from tests.conftest import close_connections

WRITER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("INSERT INTO note VALUES (1)")
"""


@pytest.fixture
def database_path(tmp_path):
    """A SQLite file with one table."""
    database_path = tmp_path / "a b#?%.db"
    create_note_table(database_path)
    return database_path


def create_note_table(database_path):
    with closing(sqlite3.connect(database_path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE note (number INTEGER)")


@pytest.fixture
def engine(database_path):
    """An engine on the file."""
    engine = create_engine(URL.create("sqlite", database=str(database_path)))
    yield engine
    engine.dispose()


@pytest.fixture
def source(engine):
    """The commit version source of the file."""
    source = SqliteVersionSource(engine)
    yield source
    source.close()


@pytest.fixture
def other_connection(database_path):
    """Another connection to the file."""
    with closing(sqlite3.connect(database_path, isolation_level=None, check_same_thread=False)) as connection:
        yield connection


def insert_note(connection):
    connection.execute("INSERT INTO note VALUES (1)")


def test_the_version_does_not_change_without_a_write(source, other_connection):
    first = source.get_version()
    for _ in range(10):
        other_connection.execute("SELECT * FROM note").fetchall()
        assert source.get_version() == first


def test_the_version_grows_with_every_commit_of_another_connection(source, other_connection):
    versions = [source.get_version()]
    for _ in range(20):
        insert_note(other_connection)
        versions.append(source.get_version())
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("end", ["ROLLBACK", "COMMIT"])
def test_a_write_changes_the_version_only_when_it_is_committed(source, other_connection, end):
    before = source.get_version()
    other_connection.execute("BEGIN IMMEDIATE")
    insert_note(other_connection)
    assert source.get_version() == before
    other_connection.execute(end)
    assert (source.get_version() > before) is (end == "COMMIT")


def test_the_version_grows_with_a_commit_of_another_process(source, database_path):
    before = source.get_version()
    subprocess.run([sys.executable, "-c", WRITER, database_path], check=True, timeout=60)
    assert source.get_version() > before


def test_the_version_grows_with_a_transaction_of_the_application(app):
    source = commit_version.create_version_source(app)
    before = source.get_version()
    with app.app_context():
        db.session.query(Account).all()
        assert source.get_version() == before
        with transaction():
            db.session.add(Account(username="ada", role="admin"))
        after = source.get_version()
        db.session.query(Account).all()
    assert before < after == source.get_version()
    close_connections(app)


def test_the_version_can_be_read_during_a_write(source, other_connection):
    other_connection.execute("BEGIN EXCLUSIVE")
    insert_note(other_connection)
    # A read that waited for the write would fail after its timeout, because the write does not end.
    assert source.get_version() is not None
    other_connection.execute("ROLLBACK")


# Missing and replaced files


def test_a_missing_file_has_no_version_and_is_not_created(engine, database_path):
    source = SqliteVersionSource(engine)
    database_path.unlink()
    assert [source.get_version(), source.get_version(since=0)] == [None, None]
    assert not database_path.exists()


def test_a_file_that_is_not_a_database_has_no_version(engine, database_path):
    database_path.write_bytes(b"not a database" * 100)
    assert SqliteVersionSource(engine).get_version() is None


def test_a_file_that_was_recreated_has_a_new_version(engine, source, database_path):
    before = source.get_version()
    engine.dispose()
    database_path.unlink()
    assert source.get_version(since=0) is None
    create_note_table(database_path)
    assert source.get_version() > before


def test_a_file_that_was_replaced_has_a_new_version(engine, source, database_path, tmp_path):
    before = source.get_version()
    replacement = tmp_path / "other.db"
    create_note_table(replacement)
    engine.dispose()
    replacement.replace(database_path)
    assert source.get_version(since=0) > before


def test_disposing_of_the_engine_closes_the_connection(engine, source):
    source.get_version()
    assert source._connection is not None
    engine.dispose()
    assert source._connection is None


@pytest.mark.sqlite("holds its file open")
def test_releasing_the_application_closes_the_connection(make_app):
    app = make_app()
    middleware = app.extensions["blogapi-response-cache"]
    assert middleware.source.get_version() is not None
    close_connections(app)
    assert middleware.source._connection is None


# One query serves many requests


def test_a_version_read_after_the_arrival_of_a_request_is_reused(source, other_connection):
    received_at = time.monotonic()
    first = source.get_version()
    insert_note(other_connection)
    assert source.get_version(since=received_at) == first
    assert source.get_version() > first


def test_a_version_read_before_the_arrival_of_a_request_is_not_reused(source, other_connection):
    first = source.get_version()
    insert_note(other_connection)
    assert source.get_version(since=time.monotonic()) > first


def test_a_version_read_at_the_time_of_arrival_of_a_request_is_not_reused(
    source, other_connection, monkeypatch
):
    # On Windows the resolution of the clock is 16 ms, so two events may have the same time.
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    first = source.get_version()
    insert_note(other_connection)
    assert source.get_version(since=100.0) > first


def test_a_commit_during_a_read_is_seen_by_later_requests(engine, other_connection, monkeypatch):
    received_at, connect = [], sqlite3.connect

    class Slow(sqlite3.Connection):
        """A connection whose first version query is followed by a commit and then by a new request."""

        def execute(self, *statement):
            rows = super().execute(*statement).fetchall()
            if "data_version" in statement[0] and not received_at:
                insert_note(other_connection)
                received_at.append(time.monotonic())
            return Rows(rows)

    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, factory=Slow, **named))
    source = SqliteVersionSource(engine)
    first = source.get_version()
    assert source.get_version(since=received_at[0]) > first
    source.close()


class Rows(list):
    """The rows that a statement returned."""

    def fetchall(self):
        return list(self)


def test_a_version_is_not_reused_after_the_connection_is_closed(engine, source):
    received_at = time.monotonic()
    first = source.get_version()
    engine.dispose()
    assert source.get_version(since=received_at) > first


def test_no_thread_reads_a_version_older_than_the_last_commit(source, other_connection):
    versions, done, failures = [source.get_version()], threading.Event(), []

    def read():
        last = versions[0]
        while not done.is_set():
            least, received_at = versions[-1], time.monotonic()
            version = source.get_version(since=received_at)
            if version < max(least, last):
                failures.append((version, least, last))
            last = version

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(60):
        insert_note(other_connection)
        versions.append(source.get_version())
    done.set()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert versions == sorted(set(versions))


# Kinds of databases


def test_the_path_of_the_file_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    create_note_table(Path("blog.db"))
    source = SqliteVersionSource(create_engine("sqlite:///blog.db"))
    assert source.get_version() is not None
    source.close()
