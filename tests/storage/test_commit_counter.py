"""The commit version of a PostgreSQL database, from the row that counts its commits."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import create_engine, event, update

from blogapi.storage.commit_version import PostgresCommitVersion
from blogapi.storage.database import CommitCounter, db


@pytest.fixture
def commits(app):
    """The commit version source for PostgreSQL, and a function that increments the commit counter."""
    with app.app_context():
        engine = db.engine

    def increment():
        with engine.begin() as connection:
            connection.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))

    return PostgresCommitVersion(engine), increment


def test_the_version_grows_with_the_commit_counter(commits):
    source, increment = commits
    versions = [source.get_version(), source.get_version()]
    increment()
    assert versions[0] == versions[1] < source.get_version()


def test_a_counter_that_was_read_after_the_arrival_is_reused(commits):
    source, increment = commits
    received_at = time.monotonic()
    first = source.get_version()
    increment()
    assert source.get_version(since=received_at) == first
    assert source.get_version(since=time.monotonic()) > first


def test_an_increment_during_a_read_is_seen_by_later_requests(app):
    with app.app_context():
        engine, received_at = db.engine, []

    def commit_meanwhile(connection, cursor, statement, *_):
        if statement.startswith("SELECT revision.commits") and not received_at:
            received_at.append(None)
            with engine.begin() as another:
                another.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
            received_at[:] = [time.monotonic()]

    event.listen(engine, "after_cursor_execute", commit_meanwhile)
    try:
        source = PostgresCommitVersion(engine)
        first = source.get_version()
        assert source.get_version(since=received_at[0]) > first
    finally:
        event.remove(engine, "after_cursor_execute", commit_meanwhile)


def test_a_slow_read_does_not_overwrite_the_result_of_a_newer_read(app):
    with app.app_context():
        engine, newer = db.engine, []
    source = PostgresCommitVersion(engine)
    source.get_version()

    def read_again(connection, cursor, statement, *_):
        if statement.startswith("SELECT revision.commits") and not newer:
            newer.append(None)
            with engine.begin() as another:
                another.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
            newer.append(source.get_version())

    event.listen(engine, "after_cursor_execute", read_again)
    try:
        assert [source.get_version(), source.get_version()] == [newer[1], newer[1]]
    finally:
        event.remove(engine, "after_cursor_execute", read_again)


def test_a_database_that_comes_back_has_a_new_version_with_the_same_counter(app, commits):
    source, _ = commits
    before = source.get_version()
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE revision RENAME TO gone")
    assert source.get_version() is None
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO revision")
    assert source.get_version() > before


def test_a_counter_restored_from_a_backup_gives_a_new_version(commits):
    source, increment = commits
    increment()
    before = source.get_version()
    with source._engine.begin() as connection:
        connection.execute(update(CommitCounter).values(commits=0))
    restored = source.get_version()
    increment()
    assert before < restored < source.get_version()


def test_an_unreachable_database_has_no_version(tmp_path):
    source = PostgresCommitVersion(create_engine(f"sqlite:///{tmp_path / 'nowhere' / 'blog.db'}"))
    assert source.get_version() is None
