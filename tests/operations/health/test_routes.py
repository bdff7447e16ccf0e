"""`/health/` reports each kind of problem with a different code."""

from __future__ import annotations

import logging
import math
import os
import shutil
import sqlite3

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from blogapi.accounts.users import service as users
from blogapi.operations.health import routes
from blogapi.storage import database, files, integrity
from blogapi.storage.database import db
from blogapi.storage.upgrades import SQLITE_PAGE_SIZE
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, TAGS, close_connections
from tests.contracts.client import outcome

pytestmark = pytest.mark.sqlite("its file")

HEALTH = "/health/"


@pytest.fixture
def damage_pages(app, instance, make_article):
    """Overwrites ten pages of the database, from the given page on."""
    make_article()

    @allow_opening()
    def damage_pages(page: int) -> None:
        close_connections(app)
        whole = (instance / "blog.db").read_bytes()
        (instance / "blog.db").write_bytes(
            whole[: page * 4096] + b"\xff" * 40960 + whole[page * 4096 + 40960 :]
        )

    return damage_pages


@pytest.fixture
def check_at_start(app):
    """Runs the integrity check that the service runs at its start. The result is removed after the test."""

    def check() -> None:
        routes.start_integrity_check(app).join(60)

    yield check
    app.extensions.pop("blogapi.damage", None)


def get_health(client) -> tuple[int, str]:
    response = client.get(HEALTH)
    return response.status_code, response.json.get("code") or response.json["status"]


def test_a_healthy_service_is_reported_as_ok(as_stranger, check_at_start):
    check_at_start()
    assert get_health(as_stranger) == (200, "ok")


def test_damage_found_by_the_integrity_check_at_the_start_is_reported(
    as_stranger, damage_pages, check_at_start, caplog
):
    damage_pages(2)
    with caplog.at_level(logging.ERROR):
        check_at_start()
    assert get_health(as_stranger) == (503, "damaged")
    assert "the database is damaged (" in caplog.text


def test_damage_is_reported_after_a_request_has_read_a_damaged_page(
    as_stranger, as_admin, app, instance, check_at_start
):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'tag'"))
    close_connections(app)
    with allow_opening(), (instance / "blog.db").open("r+b") as file:
        file.seek((page - 1) * SQLITE_PAGE_SIZE)
        file.write(b"\xff" * SQLITE_PAGE_SIZE)
    assert get_health(as_stranger) == (200, "ok")
    response = as_admin.get(TAGS)
    assert (response.status_code, response.json["code"]) == (503, "damaged")
    assert get_health(as_stranger) == (503, "damaged")


def test_a_file_that_is_not_a_database_is_reported_as_damaged(as_stranger, app, instance):
    close_connections(app)
    with allow_opening():
        (instance / "blog.db").write_bytes(b"Dear reader, " * 1000)
    assert get_health(as_stranger) == (503, "damaged")


def test_the_integrity_check_stops_at_its_time_limit(damage_pages, instance):
    damage_pages(2)
    assert integrity.run_quick_check(instance / "blog.db", seconds=0) == ""
    assert integrity.run_quick_check(instance / "blog.db", seconds=20) != ""


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot remove an open file")
def test_a_removed_instance_folder_is_reported(as_stranger, instance):
    assert get_health(as_stranger) == (200, "ok")
    shutil.rmtree(instance)
    assert get_health(as_stranger) == (503, "missing")
    assert not instance.exists()


def test_a_read_only_file_is_reported(as_stranger, monkeypatch):
    monkeypatch.setattr(routes.os, "access", lambda path, mode: not str(path).endswith("blog.db"))
    assert get_health(as_stranger) == (503, "read_only")


def test_a_full_disk_is_reported(as_stranger, monkeypatch):
    monkeypatch.setattr(routes.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 4096}))
    assert get_health(as_stranger) == (503, "storage_full")


def test_a_nearly_full_disk_leaves_its_space_to_logins_deletions_and_checks(
    app, as_admin, as_stranger, people, make_tag, monkeypatch
):
    with app.app_context():
        users.set_password("ada", "a long password")
    path = f"{TAGS}{make_tag().uuid}/"
    monkeypatch.setattr(routes.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 4096}))
    body = {"name": "t"}
    for answer in (
        as_admin.post(TAGS, json=body),
        as_admin.put(path, json=body),
        as_admin.patch(path, json=body),
    ):
        assert outcome(answer) == (507, "storage_full")
    assert outcome(as_stranger.post(TAGS, json=body)) == (401, "key_missing")
    assert outcome(as_admin.get(path)) == (200, None)
    assert outcome(as_admin.delete(path)) == (204, None)
    login = {"username": "ada", "password": "a long password"}
    assert outcome(as_stranger.post("/api/v1/auth/login/", json=login)) == (200, None)
    assert outcome(as_stranger.post("/api/v1/doctor/")) == (200, None)
    assert outcome(as_stranger.post("/api/v1/auth/logout/")) == (204, None)


def test_the_space_of_the_log_counts_as_free(app, as_admin, as_stranger, instance, monkeypatch):
    assert outcome(as_admin.post(TAGS, json={"name": "first"})) == (201, None)
    size = files.get_side_files(instance / "blog.db").log.stat().st_size
    monkeypatch.setattr(routes.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 4096}))
    for least, health in ((size, "ok"), (size + 4096, "ok"), (10 * size, "storage_full")):
        monkeypatch.setattr(routes, "_MIN_FREE_BYTES", least)
        assert get_health(as_stranger)[1] == health


def test_any_other_error_is_reported_as_a_problem_of_the_database(as_stranger, app):
    with app.app_context():
        db.session.execute(text("ALTER TABLE article RENAME TO elsewhere"))
        db.session.commit()
    assert get_health(as_stranger) == (503, "database")


def test_a_failed_integrity_check_is_a_warning(app, monkeypatch, caplog):
    def fail(path, *, seconds):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(integrity, "run_quick_check", fail)
    with caplog.at_level(logging.WARNING):
        thread = routes.start_integrity_check(app)
        thread.join(60)
    assert "could not be checked: disk I/O error" in caplog.text
    with app.app_context():
        assert routes.find_service_problem() is None


@pytest.mark.parametrize("url", ["postgresql+psycopg://127.0.0.1/blog", "nonsense"])
def test_only_a_sqlite_file_is_checked(app, monkeypatch, url):
    monkeypatch.setitem(app.config, "DATABASE_URL", url)
    assert routes.start_integrity_check(app) is None


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (sqlite3.SQLITE_IOERR_WRITE, "read_only"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "read_only"),
        (sqlite3.SQLITE_FULL, "storage_full"),
    ],
)
def test_a_refused_write_counts_until_one_succeeds(app, as_stranger, as_admin, monkeypatch, code, problem):
    """A disk that the kernel made read-only still says that its files can be written."""
    times, refuses = [0.0], [True]
    monkeypatch.setattr(routes.time, "monotonic", lambda: times[0])

    def refuse(session, *, visible):
        if refuses[0]:
            error = sqlite3.OperationalError("refused")
            error.sqlite_errorcode = code
            raise OperationalError("UPDATE", None, error)
        write(session, visible=visible)

    with app.app_context():
        write = database._WRITE_EVENTS_FUNCTION.get()
    monkeypatch.setattr(database._WRITE_EVENTS_FUNCTION, "get", lambda: refuse)
    monkeypatch.setitem(app.extensions, routes._NEXT_TRY_KEY, 0.0)
    assert as_admin.post("/api/v1/blog/tags/", json={"name": "A"}).status_code in (503, 507)
    assert get_health(as_stranger) == (503, problem)
    refuses[0] = False
    assert get_health(as_stranger) == (503, problem)
    times[0] = 30.0
    assert as_stranger.get("/health").json == {"status": "ok"}
    refuses[0] = True
    assert as_admin.post("/api/v1/blog/tags/", json={"name": "A"}).status_code in (503, 507)
    refuses[0] = False
    assert as_admin.post("/api/v1/blog/tags/", json={"name": "B"}).status_code == 201
    assert as_stranger.get("/health").json == {"status": "ok"}


def test_a_request_that_changes_nothing_does_not_call_the_disk_good(
    app, as_stranger, as_admin, make_article, monkeypatch
):
    article = make_article()
    with app.app_context():
        monkeypatch.setattr(database.WRITE_LOCK.get(), "failure", sqlite3.SQLITE_IOERR)
    monkeypatch.setitem(app.extensions, routes._NEXT_TRY_KEY, math.inf)
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={}).status_code == 200
    assert get_health(as_stranger) == (503, "read_only")


@allow_opening()
def test_the_write_that_tests_the_disk_reaches_the_disk(app, as_stranger, instance, monkeypatch):
    with app.app_context():
        monkeypatch.setattr(database.WRITE_LOCK.get(), "failure", sqlite3.SQLITE_IOERR)
    monkeypatch.setitem(app.extensions, routes._NEXT_TRY_KEY, 0.0)
    with integrity.open_database(instance / "blog.db") as other:
        before = other.execute("PRAGMA data_version").fetchone()
        assert get_health(as_stranger) == (200, "ok")
        assert other.execute("PRAGMA data_version").fetchone() != before
