"""Backups and restores of a blog to which another process writes all the time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from blogapi.operations.backups import restoring, service
from blogapi.web.errors import Conflict

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("a server is backed up by its own means")]

ROOT = Path(__file__).parent.parent.parent.parent

# The number of backups under load; a higher number finds rarer races.
ROUNDS = int(os.environ.get("BLOGAPI_TEST_BACKUPS", "3"))

# A program that creates numbered tags and prints the number of each tag after the tag is stored. Its pauses
# allow a restore, which fails if every copy of the blog is followed by a write.
WRITER = """
import random, sys, time
from blogapi import create_app
from blogapi.storage import connections
connections.WRITE_WAIT_SECONDS = 60
client, number, headers = create_app().test_client(), 0, {"X-API-KEY": sys.argv[1]}
while True:
    time.sleep(random.choice((0, 0, 0, 0.5)))
    answer = client.post("/api/v1/blog/tags/", json={"name": f"tag {number}"}, headers=headers)
    assert answer.status_code == 201, answer.json
    print(number, flush=True)
    number += 1
"""


@pytest.fixture
def last_written(app, people, instance, tmp_path):
    """Starts a process that creates tags, and returns a function that returns the number of the last tag."""
    output = tmp_path / "output"
    with output.open("w", encoding="utf-8") as out:
        key = people.key(people.admin, "write")
        process = subprocess.Popen([sys.executable, "-c", WRITER, key], cwd=ROOT, stdout=out)

    def get_last() -> int:
        lines = output.read_text(encoding="utf-8").split("\n")[:-1]
        assert process.poll() is None
        return int(lines[-1]) if lines else -1

    while get_last() < 0:
        assert process.poll() is None
    yield get_last
    process.kill()
    process.wait(60)


def assert_writes_continue(last_written) -> None:
    end, before = time.monotonic() + 60, last_written()
    while last_written() == before:
        assert time.monotonic() < end
        time.sleep(0.01)


def read_tag_numbers(path: Path) -> set[int]:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {int(name.split()[1]) for (name,) in connection.execute("SELECT name FROM tag")}


def test_a_backup_under_load_contains_every_earlier_write(last_written, instance, tmp_path):
    for number in range(ROUNDS):
        acknowledged = last_written()
        service.create_backup(instance, tmp_path / f"{number}.zip")
        restoring.restore_backup(tmp_path / f"{number}.zip", tmp_path / f"home{number}")
        stored = read_tag_numbers(tmp_path / f"home{number}" / "blog.db")
        assert stored == set(range(len(stored))), "a backup shows the blog at one point in time"
        assert len(stored) > acknowledged
    assert_writes_continue(last_written)


def test_a_copy_is_completed_although_another_connection_writes_after_each_step(tmp_path, monkeypatch):
    source, target, connect, steps = tmp_path / "source.db", tmp_path / "target.db", sqlite3.connect, []
    writing = connect(source, isolation_level=None)
    writing.execute("PRAGMA journal_mode=WAL")
    writing.execute("CREATE TABLE tag (name)")
    writing.executemany("INSERT INTO tag VALUES (?)", [("tag 0" + " " * 1_000_000,)] * 20)

    class Connection(sqlite3.Connection):
        def backup(self, target, **options) -> None:
            super().backup(target, **options, progress=write)

    def write(status, remaining, total) -> None:
        steps.append(total - remaining)
        assert len(steps) < 200, "each write restarts the copy"
        writing.execute("INSERT INTO tag VALUES ('tag 1')")

    monkeypatch.setattr(sqlite3, "connect", partial(connect, factory=Connection))
    with closing(writing):
        service.copy_database(source, target)
    assert steps and read_tag_numbers(target) <= {0, 1}


def test_every_write_during_a_restore_is_in_the_former_state_or_in_the_live_blog(
    last_written, instance, tmp_path
):
    service.create_backup(instance, tmp_path / "saved.zip")
    saved = len(restoring.verify_backup(tmp_path / "saved.zip", tmp_path).manifest.rows)
    before = last_written()
    done = None
    while done is None:
        with suppress(Conflict):
            done = restoring.restore_backup(tmp_path / "saved.zip", instance)
    assert saved and done.former_copy is not None
    restoring.restore_backup(done.former_copy, tmp_path / "former")
    former, now = read_tag_numbers(tmp_path / "former" / "blog.db"), read_tag_numbers(instance / "blog.db")
    assert_writes_continue(last_written)
    # Writes before the restore are in the former state; later writes are in the live blog.
    assert former == set(range(len(former))) and len(former) > before
    later = now - set(range(done.manifest.rows["tag"]))
    assert not later or min(later) == len(former)
