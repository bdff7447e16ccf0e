"""`/health`: one word for each thing that keeps the service from working."""

from __future__ import annotations

import logging
import os
import shutil

import pytest
from sqlalchemy import text

from blogapi.health import queries
from blogapi.storage import integrity
from blogapi.storage.database import db
from tests.conftest import TAGS, release

pytestmark = pytest.mark.sqlite("its file")

HEALTH = "/health/"


@pytest.fixture
def spoil(app, instance, make_article):
    """Overwrites the middle of the database, from the page given on."""
    make_article()

    def spoil(page: int) -> None:
        release(app)
        whole = (instance / "blog.db").read_bytes()
        (instance / "blog.db").write_bytes(
            whole[: page * 4096] + b"\xff" * 40960 + whole[page * 4096 + 40960 :]
        )

    return spoil


@pytest.fixture
def looked(app):
    """Has the service look through its file; forgets at the end what it found."""

    def look() -> None:
        queries.look(app).join(20)

    yield look
    app.extensions.pop("blogapi.damage", None)


def told(client) -> tuple[int, str]:
    answer = client.get(HEALTH)
    return answer.status_code, answer.json.get("code") or answer.json["status"]


def test_a_service_that_works_says_so(as_stranger, looked):
    looked()
    assert told(as_stranger) == (200, "ok")


def test_a_damaged_file_is_told_from_the_look_at_the_start(as_stranger, spoil, looked, caplog):
    spoil(2)
    with caplog.at_level(logging.ERROR):
        looked()
    assert told(as_stranger) == (503, "damaged")
    assert "the database is damaged (" in caplog.text


def test_damage_that_a_request_meets_is_told_from_then_on(as_stranger, as_admin, app, instance, looked):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'tag'"))
    release(app)
    with (instance / "blog.db").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    assert told(as_stranger) == (200, "ok")
    answer = as_admin.get(TAGS)
    assert (answer.status_code, answer.json["code"]) == (503, "damaged")
    assert told(as_stranger) == (503, "damaged")


def test_a_file_that_is_no_database_any_more_is_told(as_stranger, app, instance):
    release(app)
    (instance / "blog.db").write_bytes(b"Dear reader, " * 1000)
    assert told(as_stranger) == (503, "damaged")


def test_a_look_ends_when_its_time_is_over(spoil, instance):
    spoil(2)
    assert integrity.find_damage(instance / "blog.db", seconds=0) == ""
    assert integrity.find_damage(instance / "blog.db", seconds=20) != ""


@pytest.mark.skipif(os.name == "nt", reason="What is open cannot be taken away there")
def test_a_folder_that_is_gone_is_told(as_stranger, instance):
    assert told(as_stranger) == (200, "ok")
    shutil.rmtree(instance)
    assert told(as_stranger) == (503, "missing")
    assert not instance.exists()


def test_a_file_that_may_not_be_written_to_is_told(as_stranger, monkeypatch):
    monkeypatch.setattr(queries.os, "access", lambda path, mode: not str(path).endswith("blog.db"))
    assert told(as_stranger) == (503, "read_only")


def test_a_full_disk_is_told(as_stranger, monkeypatch):
    monkeypatch.setattr(queries.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 4096}))
    assert told(as_stranger) == (503, "storage_full")


def test_anything_else_is_the_database(as_stranger, app):
    with app.app_context():
        db.session.execute(text("DROP TABLE article_pieces"))
        db.session.execute(text("ALTER TABLE article RENAME TO elsewhere"))
        db.session.commit()
    assert told(as_stranger) == (503, "database")
