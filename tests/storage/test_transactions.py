"""`transaction()`: commits, savepoints, and waits for the write lock."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError, OperationalError

from blogapi.storage import connections
from blogapi.storage.database import BUSY_ERRORS, db, transaction
from blogapi.storage.write_lock import WriteLock
from blogapi.users.models import Account
from tests.engines import elsewhere, write_elsewhere
from tests.storage.conftest import account, names


def test_a_transaction_commits_at_its_end(within):
    with transaction():
        db.session.add(account("a"))
    db.session.rollback()
    assert names() == ["a"]


def test_a_transaction_that_fails_stores_nothing(within):
    with pytest.raises(RuntimeError), transaction():
        db.session.add(account("a"))
        db.session.flush()
        raise RuntimeError
    assert names() == []


def test_a_caught_failure_of_an_inner_transaction_rolls_back_its_own_rows_only(within):
    with transaction():
        db.session.add(account("outer"))
        with pytest.raises(RuntimeError), transaction():
            db.session.add(account("inner"))
            db.session.flush()
            raise RuntimeError
        with transaction():
            db.session.add(account("second"))
    db.session.rollback()
    assert names() == ["outer", "second"]


def test_the_outer_transaction_survives_an_integrity_error_of_an_inner_one(within):
    with transaction():
        db.session.add(account("a"))
        with pytest.raises(IntegrityError), transaction():
            db.session.add(account("a"))
            db.session.flush()
        db.session.add(account("b"))
    db.session.rollback()
    assert names() == ["a", "b"]


def test_a_failure_of_the_outer_transaction_rolls_back_everything(within):
    with pytest.raises(RuntimeError), transaction():
        with transaction():
            db.session.add(account("inner"))
        raise RuntimeError
    assert names() == []
    with transaction():
        db.session.add(account("after"))
    db.session.rollback()
    assert names() == ["after"]


def test_rows_that_were_read_before_are_read_again(within):
    with transaction():
        db.session.add(account("a"))
    seen = db.session.scalars(select(Account)).one()
    assert seen.role == "member"
    with elsewhere(within) as other:
        other.exec_driver_sql("UPDATE account SET role = 'admin'")
    with transaction():
        assert seen.role == "admin"


def test_a_row_of_the_previous_transaction_is_read_again_under_the_lock(within):
    with transaction():
        row = account("ada")
        db.session.add(row)
    # The row stays loaded after its commit; only the next transaction expires it.
    write_elsewhere(within, "UPDATE account SET username = 'grace'")
    with transaction():
        assert row.username == "grace"


def test_rows_that_were_pending_before_are_dropped(within):
    db.session.add(account("pending"))
    with transaction():
        db.session.add(account("a"))
    assert names() == ["a"]


def test_an_impatient_transaction_fails_at_once(within, lock_timeouts):
    with (
        elsewhere(within, writing=True),
        pytest.raises(OperationalError, match="lock"),
        transaction(wait=False),
    ):
        pytest.fail("never entered")
    assert lock_timeouts == [0]
    with transaction(wait=False):
        db.session.add(account("a"))
    assert names() == ["a"]
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


def test_a_transaction_holds_the_write_lock_until_its_commit_has_ended(within):
    # A commit may move the log into the file, and no other connection may write then.
    during: list[str] = []

    def on_commit(connection: object) -> None:
        if len(during) < 2:
            during.append("")
            during[-1] = try_to_write(within)

    event.listen(db.engine, "commit", on_commit)
    try:
        with transaction():
            db.session.add(account("a"))
            during.append(try_to_write(within))
    finally:
        event.remove(db.engine, "commit", on_commit)
    assert during == ["another write is in progress"] * 2
    assert try_to_write(within) == ""


def test_a_transaction_waits_for_another_process_for_a_while(make_app, monkeypatch, lock_timeouts):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 1)
    app = make_app()
    lock_timeouts.clear()
    with (
        app.app_context(),
        elsewhere(app, writing=True),
        pytest.raises(OperationalError, match="lock"),
        transaction(),
    ):
        pytest.fail("never entered")
    assert lock_timeouts == [1]


def test_the_wait_for_the_lock_shortens_the_wait_for_another_process(within, monkeypatch):
    monkeypatch.setattr(WriteLock, "_wait", lambda self, turn: 3.2)
    statements = []
    with (
        listening(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2])),
        transaction(),
    ):
        pass
    timeouts = {"sqlite": "PRAGMA busy_timeout=2000", "postgresql": "SET LOCAL lock_timeout = '2000ms'"}
    assert statements[0].startswith(timeouts[db.engine.dialect.name])


@contextmanager
def listening(engine, name, listener):
    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)


def test_reads_do_not_wait_for_a_write(within):
    with elsewhere(within, writing=True):
        assert names() == []


def test_eight_threads_lose_no_read_modify_write(within):
    with transaction():
        db.session.add(account("0"))

    def increment() -> None:
        for _ in range(50):
            with within.app_context(), transaction():
                row = db.session.scalars(select(Account)).one()
                row.username = str(int(row.username) + 1)

    threads = [threading.Thread(target=increment) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    db.session.rollback()
    db.session.expire_all()
    assert names() == ["400"]
