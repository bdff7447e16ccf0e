"""Connections to the database, and stored times."""

from __future__ import annotations

import os
import shutil
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from blogapi import create_app
from blogapi.accounts.users.models import Account
from blogapi.config import CannotStart
from blogapi.storage.database import db, transaction
from blogapi.storage.files import get_side_files
from blogapi.web.access import Role
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import TAGS
from tests.storage.conftest import list_usernames, make_account


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


@pytest.mark.sqlite("its log")
def test_every_commit_of_a_request_waits_for_the_disk(app, as_admin):
    settings = []
    with app.app_context():
        engine = db.engine

    def record(connection: Connection) -> None:
        settings.append(connection.connection.cursor().execute("PRAGMA synchronous").fetchone()[0])

    event.listen(engine, "commit", record)
    try:
        uuid = as_admin.post(TAGS, json={"name": "rye"}).json["uuid"]
        assert as_admin.patch(f"{TAGS}{uuid}/", json={"name": "wheat"}).status_code == 200
        assert as_admin.delete(f"{TAGS}{uuid}/").status_code == 204
    finally:
        event.remove(engine, "commit", record)
    assert len(settings) >= 3 and set(settings) == {2}


def remove(file: Path, away: Path) -> None:
    file.rename(away)


@allow_opening()
def replace_by_copy(file: Path, away: Path) -> None:
    shutil.copy(file, away.with_suffix(".copy"))
    file.rename(away)
    away.with_suffix(".copy").rename(file)


@pytest.mark.sqlite("its file")
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot remove an open file")
@pytest.mark.parametrize("hide", [remove, replace_by_copy])
def test_a_removed_or_replaced_file_is_neither_read_nor_written(
    pushed_app, as_admin, instance, tmp_path, hide
):
    with transaction():
        db.session.add(make_account("before"))
    file, away = instance / "blog.db", tmp_path / "away.db"
    hide(file, away)
    left = sorted(instance.iterdir())
    with db.engine.connect() as connection:
        with pytest.raises(OperationalError, match="was removed or replaced"):
            connection.exec_driver_sql("SELECT 1")
        # This connection is a new one.
        with pytest.raises(OperationalError), db.engine.connect() as other:
            other.exec_driver_sql("SELECT 1")
    with pytest.raises(OperationalError), transaction():
        db.session.add(make_account("lost"))
    assert as_admin.post(TAGS, json={"name": "lost"}).status_code == 503
    assert sorted(instance.iterdir()) == left
    away.replace(file)
    assert "before" in list_usernames() and "lost" not in list_usernames()
    assert as_admin.post(TAGS, json={"name": "kept"}).status_code == 201


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
    log, index, _ = get_side_files(instance / "blog.db")
    assert created == ["blog.db", index.name, log.name, "secret_key"]
    assert modes == {0o600}


def database_path(settings: dict[str, object]) -> Path:
    app = create_app(settings)
    with app.app_context():
        database = db.engine.url.database
        db.engine.dispose()
    assert database is not None
    return Path(database)


def test_the_database_url_setting_selects_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{tmp_path / 'named.db'}")
    assert database_path({}) == tmp_path / "named.db"
    assert (tmp_path / "named.db").is_file()


def test_the_setting_of_flask_sqlalchemy_overrides_database_url(tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_DATABASE_URL", f"sqlite:///{tmp_path / 'named.db'}")
    assert database_path({"SQLALCHEMY_DATABASE_URI": f"sqlite:///{tmp_path / 'b.db'}"}) == tmp_path / "b.db"
    assert not (tmp_path / "named.db").exists()


@pytest.mark.sqlite("its file")
def test_a_relative_database_path_is_resolved_in_the_instance_folder(instance):
    assert database_path({"DATABASE_URL": "sqlite:///mine.db"}) == instance / "mine.db"


@pytest.mark.sqlite("its file")
@pytest.mark.parametrize("name", ["a b", "100%", "what?x=1", "#1", "ä", "%2e"])
def test_the_instance_folder_may_have_any_name(tmp_path, monkeypatch, name):
    if os.name == "nt" and "?" in name:
        pytest.skip("Windows refuses the name")
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / name))
    assert database_path({}) == tmp_path / name / "blog.db"
    assert (tmp_path / name / "blog.db").stat().st_size > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.sqlite("in memory")
@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
@pytest.mark.parametrize("setting", ["DATABASE_URL", "SQLALCHEMY_DATABASE_URI"])
def test_a_blog_cannot_be_stored_in_memory(setting, url):
    with pytest.raises(CannotStart, match="in a file, not in memory"):
        create_app({setting: url})


@pytest.mark.parametrize(
    "url", ["nonsense", "postgres://u:secret@h/d", "://", "mysql+nothing://u:secret@h/d"]
)
def test_an_unusable_database_url_is_refused_without_showing_its_password(url):
    with pytest.raises(CannotStart) as raised:
        create_app({"DATABASE_URL": url})
    assert raised.value.message.startswith("DATABASE_URL cannot be used (")
    assert "secret" not in raised.value.message and "\n" not in raised.value.message


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
