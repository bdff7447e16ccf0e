"""`transaction()`: commits, savepoints, and waits for the write lock."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError, OperationalError

from blogapi.accounts.users.models import Account
from blogapi.storage import connections
from blogapi.storage.checkpoint import WriteLock
from blogapi.storage.database import (
    BUSY_ERRORS,
    QUEUE_SECONDS_KEY,
    allow_long_write_waits,
    db,
    savepoint,
    transaction,
)
from tests.databases import other_connection, write_from_other_process
from tests.storage.conftest import list_usernames, make_account


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


def test_a_caught_failure_in_a_savepoint_rolls_back_only_the_rows_of_the_savepoint(pushed_app):
    with transaction():
        db.session.add(make_account("outer"))
        with pytest.raises(RuntimeError), savepoint(), transaction():
            db.session.add(make_account("inner"))
            db.session.flush()
            raise RuntimeError
        with savepoint():
            db.session.add(make_account("second"))
    db.session.rollback()
    assert list_usernames() == ["outer", "second"]


def test_a_transaction_survives_an_integrity_error_in_a_savepoint(pushed_app):
    with transaction():
        db.session.add(make_account("a"))
        with pytest.raises(IntegrityError), savepoint():
            db.session.add(make_account("a"))
            db.session.flush()
        db.session.add(make_account("b"))
    db.session.rollback()
    assert list_usernames() == ["a", "b"]


def test_a_caught_failure_of_an_inner_transaction_rolls_back_everything(pushed_app):
    with pytest.raises(RuntimeError, match="savepoint"), transaction():
        with pytest.raises(RuntimeError), transaction():
            db.session.add(make_account("inner"))
            raise RuntimeError
        db.session.add(make_account("outer"))
    assert list_usernames() == []


def test_a_savepoint_outside_of_a_transaction_starts_a_transaction(pushed_app):
    with savepoint():
        db.session.add(make_account("a"))
    db.session.rollback()
    assert list_usernames() == ["a"]


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


def test_rows_that_were_read_earlier_are_read_again_in_a_transaction(pushed_app):
    with transaction():
        db.session.add(make_account("a"))
    seen = db.session.scalars(select(Account)).one()
    assert seen.role == "reader"
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


def test_rows_added_before_a_transaction_are_discarded(pushed_app):
    db.session.add(make_account("pending"))
    with transaction():
        db.session.add(make_account("a"))
    assert list_usernames() == ["a"]


def test_a_transaction_that_does_not_wait_fails_immediately(pushed_app, lock_timeouts):
    with (
        other_connection(pushed_app, writing=True),
        pytest.raises(OperationalError, match="lock"),
        transaction(wait=False),
    ):
        pytest.fail("never entered")
    assert lock_timeouts == [0]
    with transaction(wait=False):
        db.session.add(make_account("a"))
    assert list_usernames() == ["a"]
    timeout = {"sqlite": "PRAGMA busy_timeout", "postgresql": "SHOW lock_timeout"}[db.engine.dialect.name]
    assert db.session.connection().exec_driver_sql(timeout).scalar() in (5000, "5s")


def try_to_write(app) -> str:
    """Start a transaction with `wait=False` in another thread; return its error, or "" if it succeeds."""
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
    thread.join(60)
    return errors[0]


def test_a_transaction_holds_the_write_lock_until_its_commit_has_ended(pushed_app):
    # A commit may start a checkpoint, and no other connection may write during the checkpoint.
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


def test_a_transaction_waits_a_limited_time_for_another_process(make_app, monkeypatch, lock_timeouts):
    monkeypatch.setattr(connections, "WRITE_WAIT_SECONDS", 1)
    app = make_app()
    lock_timeouts.clear()
    with (
        app.app_context(),
        other_connection(app, writing=True),
        pytest.raises(OperationalError, match="lock"),
        transaction(),
    ):
        pytest.fail("never entered")
    assert lock_timeouts == [1]


@pytest.mark.parametrize("is_patient", [True, False])
def test_an_import_waits_longer_than_a_request(pushed_app, monkeypatch, is_patient):
    monkeypatch.setattr(WriteLock, "acquire", lambda self, seconds: nullcontext(0))
    refused = []

    def free_lock(context):
        refused.append(str(context.original_exception))
        if len(refused) == 3:
            other.exec_driver_sql("ROLLBACK")

    with (
        allow_long_write_waits() if is_patient else nullcontext(),
        other_connection(pushed_app, writing=True) as other,
        listen(db.engine, "handle_error", free_lock),
        nullcontext() if is_patient else pytest.raises(OperationalError, match="lock"),
    ):
        with transaction():
            db.session.add(make_account("a"))
        other.exec_driver_sql("BEGIN")
    assert (len(refused), list_usernames()) == ((3, ["a"]) if is_patient else (1, []))


def test_a_patient_program_gives_up_at_last(pushed_app, monkeypatch):
    monkeypatch.setattr(WriteLock, "acquire", lambda self, seconds: nullcontext(0))
    refused = []
    with (
        allow_long_write_waits(),
        other_connection(pushed_app, writing=True),
        listen(db.engine, "handle_error", lambda context: refused.append(context)),
        pytest.raises(OperationalError, match="lock"),
        transaction(),
    ):
        pytest.fail("never entered")
    assert len(refused) == 12


@pytest.mark.parametrize(("seconds", "timeout"), [(3.2, 2), (7.0, 0)])
def test_the_time_that_a_request_waited_for_a_thread_counts(pushed_app, seconds, timeout):
    statements = []
    with (
        pushed_app.test_request_context(environ_overrides={QUEUE_SECONDS_KEY: seconds}),
        listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2])),
        transaction(),
    ):
        pass
    timeouts = {
        "sqlite": f"PRAGMA busy_timeout={timeout * 1000}",
        "postgresql": f"SET LOCAL lock_timeout = '{timeout * 1000 or 1}ms'",
    }
    assert statements[0].startswith(timeouts[db.engine.dialect.name])


def test_the_time_spent_waiting_for_other_threads_counts(pushed_app, monkeypatch, lock_timeouts):
    monkeypatch.setattr(WriteLock, "acquire", lambda self, seconds: nullcontext(seconds - 3.2))
    with transaction():
        pass
    assert lock_timeouts == [2]


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


def test_no_update_is_lost_when_eight_threads_write(pushed_app, monkeypatch):
    # On a busy machine, a thread can wait long for its turns.
    monkeypatch.setattr(connections, "WRITE_WAIT_SECONDS", 600)
    with transaction():
        db.session.add(make_account("0"))

    def increment(_: int) -> None:
        for _ in range(50):
            with pushed_app.app_context(), transaction():
                row = db.session.scalars(select(Account)).one()
                row.username = str(int(row.username) + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(increment, range(8)))
    db.session.rollback()
    db.session.expire_all()
    assert list_usernames() == ["400"]
