"""An upgrade of the schema that is killed at any moment: the next start finishes it."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from blogapi.storage import upgrades
from tests.conftest import ARTICLES, CATEGORIES, TAGS, release
from tests.durability.conftest import PATIENCE, is_whole, times
from tests.migrations.alembic_runs import migrate_to

pytestmark = pytest.mark.sqlite("its file is copied first")

MIGRATIONS = times("MIGRATIONS", 3)
ARTICLES_THERE = 40
LISTS = (TAGS, CATEGORIES, f"{ARTICLES}?fields=title,content,html,tags,excerpt", f"{ARTICLES}?q=words")

# Is killed so many milliseconds after so many statements of its start; else it tells of each how it begins.
START = """
import json, os, signal, sys, threading, time
from sqlalchemy import Engine, event
from blogapi import create_app
last, after, seen = int(sys.argv[1]), int(sys.argv[2]) / 1000, []
def die():
    time.sleep(after)
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
@event.listens_for(Engine, "before_cursor_execute")
def note(connection, cursor, statement, *_):
    seen.append(statement.split()[0])
    if len(seen) == last:
        threading.Thread(target=die).start()
create_app({"SECRET_KEY": "x" * 32})
print(json.dumps(seen))
"""


@pytest.fixture
def answers(make_client, make_app, write_key):
    """Tells what the blog answers after a start that nobody kills, and what doctor says."""

    def tell() -> list[object]:
        app = make_app()
        client = make_client(app, write_key)
        found = [client.get(path).json for path in LISTS]
        told = app.test_cli_runner().invoke(args=["doctor"])
        assert told.exit_code == 0, told.output
        release(app)
        return found

    return tell


@pytest.fixture
def old(app, instance, tmp_path, make_article, make_tag, write_key) -> Path:
    """The file of a blog with articles, at the first step; nobody serves it."""
    tag = make_tag()
    for number in range(ARTICLES_THERE):
        body = {"content": "<p>Many words.</p>" * number, "published_at": f"2026-01-01T00:{number:02}:00Z"}
        make_article(title=f"Title {number}", tags=(tag,), **body)
    release(app)
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    migrate_to(engine, upgrades.list_migrations()[0])
    engine.dispose()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS new", (str(instance / "blog.db"),))
        for table in tables(connection) - {"alembic_version"}:
            names = [name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})")]
            listed = ", ".join(f'"{name}"' for name in names)
            connection.execute(f"DELETE FROM main.{table}")  # noqa: S608
            connection.execute(f"INSERT INTO main.{table} ({listed}) SELECT {listed} FROM new.{table}")  # noqa: S608
    return path


def tables(connection: sqlite3.Connection) -> set[str]:
    found = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    return {name for (name,) in found}


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def step(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]


def lay(old: Path, instance: Path) -> None:
    """Make the old blog that of the instance folder, with nothing beside."""
    shutil.rmtree(instance)
    instance.mkdir()
    shutil.copy(old, instance / "blog.db")
    (instance / "blog.db").chmod(0o600)


def started(last: int = 0, after: int = 0) -> list[str]:
    """Start the blog in a process of its own, to be killed then; return how its statements began."""
    words = [sys.executable, "-c", START, str(last), str(after)]
    told = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0 or last, told.stderr
    return json.loads(told.stdout or "[]")


def test_an_upgrade_that_is_killed_at_any_moment_is_finished_by_the_next_start(old, instance, answers):
    before, wanted = dump(old), answers()
    lay(old, instance)
    statements = started()
    assert (step(instance / "blog.db"), answers()) == (upgrades.list_migrations()[-1], wanted)
    numbers = range(1, len(statements) + 1)
    steps = [number for number in numbers if statements[number - 1] in ("CREATE", "ALTER", "DROP")]
    for turn in range(MIGRATIONS):
        lay(old, instance)
        # Every other time amid the steps, which are soon done.
        started(secrets.choice(numbers if turn % 2 else steps), secrets.randbelow(5))
        assert is_whole(instance / "blog.db")
        assert (
            step(instance / "blog.db") == upgrades.list_migrations()[-1]
            or dump(instance / "blog.db") == before
        )
        for copy in (instance / "backups").glob("before-upgrade-*"):
            assert dump(copy) == before
        assert answers() == wanted
