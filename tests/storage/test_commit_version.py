"""The state of the database: one number that grows with every commit, whoever made it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, event, update

from blogapi import create_app
from blogapi.storage import commit_version
from blogapi.storage.commit_version import PostgresCommitVersion, SqliteCommitVersion
from blogapi.storage.database import CommitCounter, db, transaction
from blogapi.users.models import Account
from tests.conftest import release

WRITER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("INSERT INTO note VALUES (1)")
"""


@pytest.fixture
def path(tmp_path):
    """A SQLite file with one table."""
    path = tmp_path / "a b#?%.db"
    furnish(path)
    return path


def furnish(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE note (number INTEGER)")


@pytest.fixture
def engine(path):
    """An engine on the file."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    yield engine
    engine.dispose()


@pytest.fixture
def source(engine):
    """What tells the state of the file."""
    source = SqliteCommitVersion(engine)
    yield source
    source.close()


@pytest.fixture
def other(path):
    """Another connection to the file."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as connection:
        yield connection


def write(connection):
    connection.execute("INSERT INTO note VALUES (1)")


def test_the_state_stays_while_nothing_is_written(source, other):
    first = source.state()
    for _ in range(10):
        other.execute("SELECT * FROM note").fetchall()
        assert source.state() == first


def test_the_state_grows_with_every_commit_of_another_connection(source, other):
    states = [source.state()]
    for _ in range(20):
        write(other)
        states.append(source.state())
    assert states == sorted(set(states))


@pytest.mark.parametrize("end", ["ROLLBACK", "COMMIT"])
def test_a_write_counts_when_it_is_committed_and_not_before(source, other, end):
    before = source.state()
    other.execute("BEGIN IMMEDIATE")
    write(other)
    assert source.state() == before
    other.execute(end)
    assert (source.state() > before) is (end == "COMMIT")


def test_the_state_grows_with_a_commit_of_another_process(source, path):
    before = source.state()
    subprocess.run([sys.executable, "-c", WRITER, path], check=True, timeout=60)
    assert source.state() > before


def test_the_state_grows_with_a_transaction_of_the_application(app):
    source = commit_version.get_source(app)
    before = source.state()
    with app.app_context():
        db.session.query(Account).all()
        assert source.state() == before
        with transaction():
            db.session.add(Account(username="ada", role="admin"))
        after = source.state()
        db.session.query(Account).all()
    assert before < after == source.state()
    release(app)


def test_the_state_is_told_while_another_is_writing(source, other):
    other.execute("BEGIN EXCLUSIVE")
    write(other)
    began = time.monotonic()
    assert source.state() is not None
    assert time.monotonic() - began < 1
    other.execute("ROLLBACK")


# A file that goes


def test_nothing_is_told_of_a_file_that_is_not_there_and_none_is_made(engine, path):
    source = SqliteCommitVersion(engine)
    path.unlink()
    assert [source.state(), source.state(since=0)] == [None, None]
    assert not path.exists()


def test_nothing_is_told_of_a_file_that_is_no_database(engine, path):
    path.write_bytes(b"nothing of the kind" * 100)
    assert SqliteCommitVersion(engine).state() is None


def test_a_file_that_came_back_is_in_another_state(engine, source, path):
    before = source.state()
    engine.dispose()
    path.unlink()
    assert source.state(since=0) is None
    furnish(path)
    assert source.state() > before


def test_a_file_that_was_replaced_is_in_another_state(engine, source, path, tmp_path):
    before = source.state()
    other = tmp_path / "other.db"
    furnish(other)
    engine.dispose()
    other.replace(path)
    assert source.state(since=0) > before


def test_what_is_disposed_of_is_let_go(engine, source):
    source.state()
    assert source._connection is not None
    engine.dispose()
    assert source._connection is None


@pytest.mark.sqlite("holds its file open")
def test_the_application_lets_go_of_its_file(make_app):
    app = make_app()
    replay = app.extensions["blogapi-replay"]
    assert replay._source.state() is not None
    release(app)
    assert replay._source._connection is None


# One look for many


def test_a_state_that_was_looked_up_since_answers_without_a_look(source, other):
    asked_at = time.monotonic()
    first = source.state()
    write(other)
    assert source.state(since=asked_at) == first
    assert source.state() > first


def test_a_state_that_was_looked_up_before_does_not_answer(source, other):
    first = source.state()
    write(other)
    assert source.state(since=time.monotonic()) > first


def test_a_look_that_is_as_old_as_the_question_does_not_answer(source, other, monkeypatch):
    # On Windows the clock stands still for 16 ms: what lies between, it cannot tell.
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    first = source.state()
    write(other)
    assert source.state(since=100.0) > first


def test_a_commit_in_the_midst_of_a_look_is_seen_by_whoever_asks_after_it(engine, other, monkeypatch):
    asked_at, connect = [], sqlite3.connect

    class Slow(sqlite3.Connection):
        """Another commits when the look has its answer and has not told it yet; then somebody asks."""

        def execute(self, *statement):
            rows = super().execute(*statement).fetchall()
            if "data_version" in statement[0] and not asked_at:
                write(other)
                asked_at.append(time.monotonic())
            return Answered(rows)

    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, factory=Slow, **named))
    source = SqliteCommitVersion(engine)
    first = source.state()
    assert source.state(since=asked_at[0]) > first
    source.close()


class Answered(list):
    """The rows of a statement."""

    def fetchall(self):
        return list(self)


def test_no_look_outlives_its_connection(engine, source):
    asked_at = time.monotonic()
    first = source.state()
    engine.dispose()
    assert source.state(since=asked_at) > first


def test_no_thread_is_told_a_state_from_before_a_commit(source, other):
    told, done, failures = [source.state()], threading.Event(), []

    def read():
        last = 0
        while not done.is_set():
            least, asked_at = told[-1], time.monotonic()
            state = source.state(since=asked_at)
            if state < max(least, last):
                failures.append((state, least, last))
            last = state

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(60):
        write(other)
        told.append(source.state())
    done.set()
    for thread in threads:
        thread.join(10)
    assert not failures
    assert told == sorted(set(told))


# Which kind


@pytest.mark.sqlite("in memory")
def test_a_database_in_memory_has_no_source():
    app = create_app({"TESTING": True, "SQLALCHEMY_DATABASE_URI": "sqlite://"})
    assert commit_version.get_source(app) is None
    assert "blogapi-replay" not in app.extensions
    release(app)


@pytest.fixture
def commits(app):
    """The source of a database that counts its own commits, with what counts them up."""
    with app.app_context():
        engine = db.engine

    def count_up():
        with engine.begin() as connection:
            connection.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))

    return PostgresCommitVersion(engine), count_up


def test_counted_commits_are_the_state(commits):
    source, count_up = commits
    states = [source.state(), source.state()]
    count_up()
    assert states[0] == states[1] < source.state()


def test_a_count_that_was_looked_up_since_answers_without_a_look(commits):
    source, count_up = commits
    asked_at = time.monotonic()
    first = source.state()
    count_up()
    assert source.state(since=asked_at) == first
    assert source.state(since=time.monotonic()) > first


def test_a_count_in_the_midst_of_a_look_is_seen_by_whoever_asks_after_it(app):
    with app.app_context():
        engine, asked_at = db.engine, []

    def commit_meanwhile(connection, cursor, statement, *_):
        if statement.startswith("SELECT revision.commits") and not asked_at:
            asked_at.append(None)
            with engine.begin() as another:
                another.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
            asked_at[:] = [time.monotonic()]

    event.listen(engine, "after_cursor_execute", commit_meanwhile)
    try:
        source = PostgresCommitVersion(engine)
        first = source.state()
        assert source.state(since=asked_at[0]) > first
    finally:
        event.remove(engine, "after_cursor_execute", commit_meanwhile)


def test_a_look_that_took_longer_does_not_undo_a_later_one(app):
    with app.app_context():
        engine, told = db.engine, []
    source = PostgresCommitVersion(engine)
    source.state()

    def look_again(connection, cursor, statement, *_):
        if statement.startswith("SELECT revision.commits") and not told:
            told.append(None)
            with engine.begin() as another:
                another.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
            told.append(source.state())

    event.listen(engine, "after_cursor_execute", look_again)
    try:
        assert [source.state(), source.state()] == [told[1], told[1]]
    finally:
        event.remove(engine, "after_cursor_execute", look_again)


def test_a_database_that_comes_back_is_in_another_state_though_its_count_is_the_same(app, commits):
    source, _ = commits
    before = source.state()
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE revision RENAME TO gone")
    assert source.state() is None
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO revision")
    assert source.state() > before


def test_a_count_that_a_backup_brought_back_is_another_state(commits):
    source, count_up = commits
    count_up()
    before = source.state()
    with source._engine.begin() as connection:
        connection.execute(update(CommitCounter).values(commits=0))
    restored = source.state()
    count_up()
    assert before < restored < source.state()


def test_no_count_is_told_of_a_database_that_does_not_answer(tmp_path):
    source = PostgresCommitVersion(create_engine(f"sqlite:///{tmp_path / 'nowhere' / 'blog.db'}"))
    assert source.state() is None


def test_the_address_of_the_file_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    furnish(Path("blog.db"))
    source = SqliteCommitVersion(create_engine("sqlite:///blog.db"))
    assert source.state() is not None
    source.close()
