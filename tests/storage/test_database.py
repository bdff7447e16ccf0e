"""Connections to the database, `transaction()`, and stored times."""

from __future__ import annotations

import os
import stat
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import event, func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from blogapi import create_app
from blogapi.config import CannotStart
from blogapi.storage import connections
from blogapi.storage.database import BUSY_ERRORS, db, transaction
from blogapi.storage.files import side_files
from blogapi.storage.write_lock import WriteLock
from blogapi.users.models import Account, Role
from tests.databases import other_connection, write_from_other_process


def make_account(name: str) -> Account:
    return Account(username=name, role=Role.MEMBER)


def list_usernames() -> list[str]:
    return list(db.session.scalars(select(Account.username).order_by(Account.username)))


@pytest.fixture
def pushed_app(app):
    """The application, with its context pushed."""
    with app.app_context():
        yield app


@pytest.mark.sqlite("its connections")
@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        *(("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2), ("busy_timeout", 5000)),
        ("journal_size_limit", 64 * 1024 * 1024),
    ],
)
def test_each_connection_is_configured(pushed_app, pragma, value):
    with db.engine.connect() as first, db.engine.connect() as second:
        for connection in (first, second):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value


@pytest.mark.sqlite("its driver")
def test_the_driver_begins_no_transactions(pushed_app):
    with db.engine.connect() as connection:
        assert connection.connection.isolation_level is None


@pytest.mark.sqlite("its file")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_only_the_owner_can_read_the_database_files(instance):
    previous = os.umask(0o022)
    try:
        app = create_app()
    finally:
        os.umask(previous)
    with app.app_context():
        with transaction():
            db.session.add(make_account("a"))
        created = sorted(path.name for path in instance.iterdir())
        modes = {stat.S_IMODE((instance / name).stat().st_mode) for name in created}
        db.session.remove()
        db.engine.dispose()
    log, index, _ = side_files(instance / "blog.db")
    assert created == ["blog.db", index.name, log.name, "secret_key"]
    assert modes == {0o600}


def database_path(settings: dict[str, object]) -> Path:
    app = create_app(settings)
    with app.app_context():
        database = db.engine.url.database
        db.engine.dispose()
    assert database is not None
    return Path(database)


def test_database_url_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{tmp_path / 'named.db'}")
    assert database_path({}) == tmp_path / "named.db"
    assert (tmp_path / "named.db").is_file()


def test_flask_sqlalchemys_setting_wins_over_database_url(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{tmp_path / 'named.db'}")
    assert database_path({"SQLALCHEMY_DATABASE_URI": f"sqlite:///{tmp_path / 'b.db'}"}) == tmp_path / "b.db"
    assert not (tmp_path / "named.db").exists()


@pytest.mark.sqlite("its file")
def test_a_relative_path_starts_at_the_instance_folder(instance):
    assert database_path({"DATABASE_URL": "sqlite:///mine.db"}) == instance / "mine.db"


@pytest.mark.sqlite("its file")
@pytest.mark.parametrize("name", ["a b", "100%", "what?x=1", "#1", "ä", "%2e"])
def test_the_instance_folder_may_have_any_name(tmp_path, monkeypatch, name):
    if os.name == "nt" and "?" in name:
        pytest.skip("not a valid name on Windows")
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / name))
    assert database_path({}) == tmp_path / name / "blog.db"
    assert (tmp_path / name / "blog.db").stat().st_size > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.sqlite("in memory")
@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_database_url_may_not_name_a_database_in_memory(monkeypatch, url):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", url)
    with pytest.raises(CannotStart, match="in a file, not in memory"):
        create_app()


@pytest.mark.sqlite("in memory")
@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_program_with_one_thread_may_use_a_database_in_memory(url):
    app = create_app({"TESTING": True, "SQLALCHEMY_DATABASE_URI": url})
    client = app.test_client()
    key = client.post("/api/v1/auth/api-key/").json
    headers = {"X-API-KEY": key["public_state"]}
    assert client.get("/api/v1/blog/articles/", headers=headers).json == []
    assert client.delete(f"/api/v1/auth/api-key/{key['uuid']}/", headers=headers).status_code == 204
    assert client.get("/api/v1/blog/articles/", headers=headers).status_code == 401
    with app.app_context():
        db.engine.dispose()


@pytest.mark.parametrize(
    "url", ["nonsense", "postgres://u:secret@h/d", "://", "mysql+nothing://u:secret@h/d"]
)
def test_an_unusable_database_url_is_refused_without_showing_its_password(url):
    with pytest.raises(CannotStart) as raised:
        create_app({"DATABASE_URL": url})
    assert raised.value.message.startswith("DATABASE_URL cannot be used (")
    assert "secret" not in raised.value.message and "\n" not in raised.value.message


def test_a_transaction_commits_at_its_end(pushed_app):
    with transaction():
        db.session.add(make_account("a"))
    db.session.rollback()
    assert list_usernames() == ["a"]


def test_a_transaction_that_fails_stores_nothing(pushed_app):
    with pytest.raises(RuntimeError), transaction():
        db.session.add(make_account("a"))
        db.session.flush()
        raise RuntimeError
    assert list_usernames() == []


def test_a_caught_failure_of_an_inner_transaction_rolls_back_its_own_rows_only(pushed_app):
    with transaction():
        db.session.add(make_account("outer"))
        with pytest.raises(RuntimeError), transaction():
            db.session.add(make_account("inner"))
            db.session.flush()
            raise RuntimeError
        with transaction():
            db.session.add(make_account("second"))
    db.session.rollback()
    assert list_usernames() == ["outer", "second"]


def test_the_outer_transaction_survives_an_integrity_error_of_an_inner_one(pushed_app):
    with transaction():
        db.session.add(make_account("a"))
        with pytest.raises(IntegrityError), transaction():
            db.session.add(make_account("a"))
            db.session.flush()
        db.session.add(make_account("b"))
    db.session.rollback()
    assert list_usernames() == ["a", "b"]


def test_a_failure_of_the_outer_transaction_rolls_back_everything(pushed_app):
    with pytest.raises(RuntimeError), transaction():
        with transaction():
            db.session.add(make_account("inner"))
        raise RuntimeError
    assert list_usernames() == []
    with transaction():
        db.session.add(make_account("after"))
    db.session.rollback()
    assert list_usernames() == ["after"]


def test_rows_that_were_read_before_are_read_again(pushed_app):
    with transaction():
        db.session.add(make_account("a"))
    seen = db.session.scalars(select(Account)).one()
    assert seen.role == "member"
    with other_connection(pushed_app) as other:
        other.exec_driver_sql("UPDATE account SET role = 'admin'")
    with transaction():
        assert seen.role == "admin"


def test_a_row_of_the_previous_transaction_is_read_again_under_the_lock(pushed_app):
    with transaction():
        row = make_account("ada")
        db.session.add(row)
    # The row stays loaded after its commit; only the next transaction expires it.
    write_from_other_process(pushed_app, "UPDATE account SET username = 'grace'")
    with transaction():
        assert row.username == "grace"


def test_rows_that_were_pending_before_are_dropped(pushed_app):
    db.session.add(make_account("pending"))
    with transaction():
        db.session.add(make_account("a"))
    assert list_usernames() == ["a"]


def test_an_impatient_transaction_fails_at_once(pushed_app):
    with other_connection(pushed_app, writing=True):
        began = time.monotonic()
        with pytest.raises(OperationalError, match="lock"), transaction(wait=False):
            pytest.fail("never entered")
        assert time.monotonic() - began < 2
    with transaction(wait=False):
        db.session.add(make_account("a"))
    assert list_usernames() == ["a"]
    timeout = {"sqlite": "PRAGMA busy_timeout", "postgresql": "SHOW lock_timeout"}[db.engine.dialect.name]
    assert db.session.connection().exec_driver_sql(timeout).scalar() in (5000, "5s")


def try_to_write(app) -> str:
    """Return the error of an impatient transaction in another thread; empty if it succeeds."""
    errors: list[str] = []

    def write() -> None:
        with app.app_context():
            try:
                with transaction(wait=False):
                    errors.append("")
            except BUSY_ERRORS as error:
                errors.append(str(error))

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(10)
    return errors[0]


def test_a_transaction_holds_the_write_lock_until_its_commit_has_ended(pushed_app):
    # A commit may move the log into the file, and no other connection may write then.
    during: list[str] = []

    def on_commit(connection: object) -> None:
        if len(during) < 2:
            during.append("")
            during[-1] = try_to_write(pushed_app)

    event.listen(db.engine, "commit", on_commit)
    try:
        with transaction():
            db.session.add(make_account("a"))
            during.append(try_to_write(pushed_app))
    finally:
        event.remove(db.engine, "commit", on_commit)
    assert during == ["another write is in progress"] * 2
    assert try_to_write(pushed_app) == ""


def test_a_transaction_waits_for_another_process_for_a_while(make_app, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 1)
    app = make_app()
    with app.app_context(), other_connection(app, writing=True):
        began = time.monotonic()
        with pytest.raises(OperationalError, match="lock"), transaction():
            pytest.fail("never entered")
        assert time.monotonic() - began > 0.8


def test_the_wait_for_the_lock_shortens_the_wait_for_another_process(pushed_app, monkeypatch):
    monkeypatch.setattr(WriteLock, "_wait", lambda self, turn: 3.2)
    statements = []
    with (
        listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2])),
        transaction(),
    ):
        pass
    timeouts = {"sqlite": "PRAGMA busy_timeout=2000", "postgresql": "SET LOCAL lock_timeout = '2000ms'"}
    assert statements[0].startswith(timeouts[db.engine.dialect.name])


@contextmanager
def listen(engine, name, listener):
    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)


def test_reads_do_not_wait_for_a_write(pushed_app):
    with other_connection(pushed_app, writing=True):
        assert list_usernames() == []


def test_eight_threads_lose_no_read_modify_write(pushed_app):
    with transaction():
        db.session.add(make_account("0"))

    def increment() -> None:
        for _ in range(50):
            with pushed_app.app_context(), transaction():
                row = db.session.scalars(select(Account)).one()
                row.username = str(int(row.username) + 1)

    threads = [threading.Thread(target=increment) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    db.session.rollback()
    db.session.expire_all()
    assert list_usernames() == ["400"]


def test_foreign_keys_are_enforced(pushed_app):
    with pytest.raises(IntegrityError), transaction():
        db.session.execute(
            text(
                "INSERT INTO tag (uuid, name, slug, owner_id, created, last_updated) "
                "VALUES (:one, 'a', 'a', :other, '2026-01-01', '2026-01-01')"
            ),
            {"one": "0" * 32, "other": "1" * 32},
        )


def test_times_are_stored_as_naive_utc_and_read_as_aware_utc(pushed_app):
    with transaction():
        row = make_account("a")
        row.created = datetime(2026, 1, 1, 12, 30, tzinfo=timezone(timedelta(hours=2)))
        db.session.add(row)
    stored = db.session.scalar(text("SELECT CAST(created AS varchar) FROM account"))
    assert stored.removesuffix(".000000") == "2026-01-01 10:30:00"
    db.session.expire_all()
    assert db.session.scalars(select(Account.created)).one() == datetime(2026, 1, 1, 10, 30, tzinfo=UTC)
    assert db.session.scalars(select(Account.created)).one().tzinfo is UTC
    late = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert db.session.scalar(select(func.count()).where(Account.created > late)) == 1


def test_last_updated_equals_created_until_the_row_is_changed(pushed_app, set_clock):
    set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    row = make_account("a")
    with transaction():
        db.session.add(row)
    assert row.created == row.last_updated == datetime(2026, 1, 1, tzinfo=UTC)
    set_clock(datetime(2026, 1, 2, tzinfo=UTC))
    with transaction():
        row.role = Role.ADMIN
    assert (row.created, row.last_updated) == (
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 2, tzinfo=UTC),
    )
