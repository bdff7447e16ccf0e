"""Damaged files are reported, and never give a wrong response."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, text

from blogapi import create_app
from blogapi.backups import restoring
from blogapi.backups import service as backups
from blogapi.config import CannotStart
from blogapi.storage.database import db
from blogapi.storage.files import side_files
from blogapi.tags.models import Tag
from tests.conftest import release
from tests.durability.conftest import LISTS, PAGE, code, is_intact, refusal, times

pytestmark = pytest.mark.sqlite("its file and its log")

# How many pages to damage in turn, and how many of those with the text of articles.
PAGES = times("PAGES", 8)
JUNK = (b"\xff" * PAGE, bytes(PAGE), os.urandom(PAGE))


def overwrite(path: Path, start: int, junk: bytes = b"garbage") -> bytes:
    """Overwrite a part of the file; return its new content."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(junk)
    return path.read_bytes()


@pytest.fixture
def correct(blog, app, as_admin) -> list[bytes]:
    """The responses of the blog before any damage; no process uses it."""
    found = [as_admin.get(path) for path in LISTS]
    assert {response.status_code for response in found} == {200}
    release(app)
    return [response.data for response in found]


def sample(starts: Sequence[int]) -> Sequence[int]:
    return starts[:: max(1, len(starts) // PAGES)]


def test_a_damaged_page_gives_no_wrong_response(blog, correct, write_key):
    whole = blog.read_bytes()
    starts = range(0, len(whole), PAGE)
    texts = [start for start in starts if b"Words." in whole[start : start + PAGE]]
    for number, start in enumerate((*sample(starts), *sample(texts))):
        for leftover in side_files(blog):
            leftover.unlink(missing_ok=True)
        blog.write_bytes(whole[:start] + JUNK[number % len(JUNK)] + whole[start + PAGE :])
        try:
            test_client = create_app().test_client()
        except CannotStart as error:
            assert error.message.endswith(".") and "\n" not in error.message
            continue
        for expected, path in zip(correct, LISTS, strict=True):
            response = test_client.get(path, headers={"X-API-KEY": write_key})
            assert response.status_code in (500, 503) or response.data == expected, (start, path)
            # SQLite reports an I/O error for a page number past the end of the file.
            if response.status_code == 503 and response.json["code"] == "damaged":
                assert test_client.get("/health/").json["code"] == "damaged"
        release(test_client.application)


def test_damage_that_the_start_meets_is_reported_in_one_sentence(blog, app):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'article_tally'"))
    release(app)
    overwrite(blog, (page - 1) * PAGE, JUNK[0])
    assert refusal() == f"The database sqlite:///{blog} cannot be used: database disk image is malformed."


def test_pages_that_are_damaged_while_serving_give_no_wrong_response(serve, blog, correct):
    with serve() as (client, _):
        pages = blog.stat().st_size // PAGE
        overwrite(blog, pages // 3 * PAGE, os.urandom((pages - pages // 3) * PAGE))
        responses = [client("GET", path) for path in LISTS]
        assert code(client("GET", "/health/")) == (503, "damaged")
    assert (503, "damaged") in map(code, responses)
    for response, expected in zip(responses, correct, strict=True):
        assert response.status in (500, 503) or response.json == json.loads(expected)


@pytest.fixture
def killed(app, make_tag, instance, tmp_path) -> Path:
    """The file of a blog whose server was killed after it had created thirty tags, with its log."""
    for number in range(30):
        make_tag(f"tag {number}")
    database = instance / "blog.db"
    for file in (database, side_files(database).log):
        shutil.copy(file, tmp_path)
    release(app)
    for file in (database, side_files(database).log):
        shutil.copy(tmp_path / file.name, file)
    return database


def tags() -> list[str]:
    """Return the names of all tags that a new start finds."""
    app = create_app()
    with app.app_context():
        found = list(db.session.scalars(select(Tag.name)))
    release(app)
    return found


def test_the_log_of_a_killed_server_is_read_to_its_end(killed):
    assert len(tags()) == 30


def test_a_last_write_that_a_power_failure_cut_off_is_dropped(killed):
    log = side_files(killed).log
    overwrite(log, log.stat().st_size - 100)
    assert len(tags()) == 29


@pytest.mark.parametrize("where", ["head", "middle"])
def test_a_damaged_log_is_refused_until_doctor_drops_the_lost_writes(killed, where, app, instance, tmp_path):
    def run(*words: str) -> tuple[int, str]:
        result = app.test_cli_runner().invoke(args=list(words))
        return result.exit_code, result.output

    log = side_files(killed).log
    damaged = overwrite(log, 3 if where == "head" else log.stat().st_size // 2)
    for _ in range(2):
        assert f"{log} is damaged: " in refusal() and "doctor --repair" in refusal()
    for words in (("backup", str(tmp_path / "backup.zip")), ("doctor",)):
        status, output = run(*words)
        assert status == 1 and f"{log} is damaged: " in output
    assert log.read_bytes() == damaged
    assert run("doctor", "--repair")[0] == 0
    release(app)
    (kept,) = (instance / "backups").glob("*.db")
    assert side_files(kept).log.read_bytes() == damaged
    found = tags()
    assert found == [f"tag {number}" for number in range(len(found))]
    assert len(found) < 30 and (found or where == "head")
    assert is_intact(killed)


def test_a_backup_can_be_restored_over_a_blog_with_a_damaged_log(killed, app, instance, tmp_path):
    log = side_files(killed).log
    intact = log.read_bytes()
    backups.make(instance, tmp_path / "backup.zip")
    shutil.copy(tmp_path / "blog.db", killed)
    log.write_bytes(intact)
    damaged = overwrite(log, len(intact) // 2)
    restored = restoring.restore(tmp_path / "backup.zip", instance)
    assert restored.unreadable and restored.kept is not None
    assert side_files(restored.kept).log.read_bytes() == damaged
    assert len(tags()) == 30
