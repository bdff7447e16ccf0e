"""A damaged file is reported and never causes a wrong response."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, text

from blogapi import create_app
from blogapi.config import CannotStart
from blogapi.content.taxonomies.tags import Tag
from blogapi.operations.backups import restoring
from blogapi.operations.backups import service as backups
from blogapi.storage.database import db
from blogapi.storage.files import get_side_files
from blogapi.web.errors import Conflict
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import close_connections
from tests.durability.conftest import (
    LISTS,
    SQLITE_PAGE_SIZE,
    get_repetitions,
    get_start_error,
    get_status_and_code,
    is_intact,
)

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("its file and its log")]

# The test damages this number of pages from the whole file and the same number of pages with article text,
# one page at a time.
PAGE_COUNT = get_repetitions("PAGES", 4)
JUNK = (b"\xff" * SQLITE_PAGE_SIZE, bytes(SQLITE_PAGE_SIZE), os.urandom(SQLITE_PAGE_SIZE))


@allow_opening()
def read(path: Path) -> bytes:
    return path.read_bytes()


@allow_opening()
def write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


@allow_opening()
def copy(path: Path, target: Path) -> None:
    shutil.copy(path, target)


@allow_opening()
def overwrite(path: Path, start: int, junk: bytes = b"garbage") -> bytes:
    """Overwrite a part of the file; return its new content."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(junk)
    return path.read_bytes()


@pytest.fixture
def expected_responses(blog, app, as_admin) -> list[bytes]:
    """The responses of the blog before any damage. No process has the blog open."""
    found = [as_admin.get(path) for path in LISTS]
    assert {response.status_code for response in found} == {200}
    close_connections(app)
    return [response.data for response in found]


def sample(starts: Sequence[int]) -> Sequence[int]:
    return starts[:: max(1, len(starts) // PAGE_COUNT)]


def test_a_damaged_page_causes_no_wrong_response(blog, expected_responses, write_key):
    whole = read(blog)
    starts = range(0, len(whole), SQLITE_PAGE_SIZE)
    texts = [start for start in starts if b"Words." in whole[start : start + SQLITE_PAGE_SIZE]]
    for number, start in enumerate((*sample(starts), *sample(texts))):
        for leftover in get_side_files(blog):
            leftover.unlink(missing_ok=True)
        write(blog, whole[:start] + JUNK[number % len(JUNK)] + whole[start + SQLITE_PAGE_SIZE :])
        try:
            test_client = create_app().test_client()
        except CannotStart as error:
            assert error.message.endswith(".") and "\n" not in error.message
            continue
        for expected, path in zip(expected_responses, LISTS, strict=True):
            response = test_client.get(path, headers={"X-API-KEY": write_key})
            assert response.status_code in (500, 503) or response.data == expected, (start, path)
            # SQLite reports an I/O error for a page number past the end of the file.
            if response.status_code == 503 and response.json["code"] == "damaged":
                assert test_client.get("/health/").json["code"] == "damaged"
        close_connections(test_client.application)


def test_the_error_for_damage_that_is_found_at_the_start_is_one_sentence(blog, app):
    with app.app_context():
        page = db.session.scalar(text("SELECT rootpage FROM sqlite_master WHERE name = 'article_stats'"))
    close_connections(app)
    overwrite(blog, (page - 1) * SQLITE_PAGE_SIZE, JUNK[0])
    assert (
        get_start_error()
        == f"The database sqlite:///{blog} cannot be used: database disk image is malformed."
    )


def test_pages_that_are_damaged_while_the_server_runs_cause_no_wrong_response(
    serve, blog, expected_responses
):
    with serve() as (client, _):
        pages = blog.stat().st_size // SQLITE_PAGE_SIZE
        overwrite(blog, pages // 3 * SQLITE_PAGE_SIZE, os.urandom((pages - pages // 3) * SQLITE_PAGE_SIZE))
        responses = [client("GET", path) for path in LISTS]
        assert get_status_and_code(client("GET", "/health/")) == (503, "damaged")
    assert (503, "damaged") in map(get_status_and_code, responses)
    for response, expected in zip(responses, expected_responses, strict=True):
        assert response.status in (500, 503) or response.json == json.loads(expected)


@pytest.fixture
def killed_database(app, make_tag, instance, tmp_path) -> Path:
    """The file and the log of a blog whose server was killed after it had created thirty tags."""
    for number in range(30):
        make_tag(f"tag {number}")
    database = instance / "blog.db"
    for file in (database, get_side_files(database).log):
        copy(file, tmp_path)
    close_connections(app)
    for file in (database, get_side_files(database).log):
        copy(tmp_path / file.name, file)
    return database


def list_tag_names() -> list[str]:
    """Start the application again and return the names of all tags."""
    app = create_app()
    with app.app_context():
        found = list(db.session.scalars(select(Tag.name)))
    close_connections(app)
    return found


def test_every_write_in_the_log_of_a_killed_server_is_kept(killed_database):
    assert len(list_tag_names()) == 30


def test_the_last_write_is_dropped_if_a_power_failure_interrupted_it(killed_database):
    log = get_side_files(killed_database).log
    overwrite(log, log.stat().st_size - 100)
    assert len(list_tag_names()) == 29


@pytest.mark.parametrize("where", ["head", "middle"])
def test_a_damaged_log_is_refused_until_doctor_drops_the_lost_writes(
    killed_database, where, app, instance, tmp_path
):
    def run(*words: str) -> tuple[int, str]:
        result = app.test_cli_runner().invoke(args=list(words))
        return result.exit_code, result.output

    log = get_side_files(killed_database).log
    damaged = overwrite(log, 3 if where == "head" else log.stat().st_size // 2)
    for _ in range(2):
        assert f"{log} is damaged: " in get_start_error() and "doctor --repair" in get_start_error()
    for words in (("backup", str(tmp_path / "backup.zip")), ("doctor",)):
        status, output = run(*words)
        assert status == 1 and f"{log} is damaged: " in output
    assert read(log) == damaged
    assert run("doctor", "--repair")[0] == 0
    close_connections(app)
    (kept,) = (instance / "backups").glob("*.db")
    assert get_side_files(kept).log.read_bytes() == damaged
    found = list_tag_names()
    assert found == [f"tag {number}" for number in range(len(found))]
    assert len(found) < 30 and (found or where == "head")
    assert is_intact(killed_database)


def test_a_backup_can_be_restored_over_a_blog_with_a_damaged_log(killed_database, app, instance, tmp_path):
    log = get_side_files(killed_database).log
    intact = read(log)
    backups.create_backup(instance, tmp_path / "backup.zip")
    copy(tmp_path / "blog.db", killed_database)
    write(log, intact)
    damaged = overwrite(log, len(intact) // 2)
    restored = restoring.restore_backup(tmp_path / "backup.zip", instance)
    assert restored.unreadable and restored.former_copy is not None
    assert get_side_files(restored.former_copy).log.read_bytes() == damaged
    assert len(list_tag_names()) == 30
    with pytest.raises(Conflict, match="moved with its log"):
        restoring.restore_backup(restored.former_copy, instance)
