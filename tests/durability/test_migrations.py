"""The next start finishes a schema upgrade that was killed at any time."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from blogapi.storage import migration_names
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, CATEGORIES, TAGS, close_connections
from tests.databases import open_sqlite
from tests.durability.conftest import get_repetitions, is_intact
from tests.durability.test_processes import TIMEOUT
from tests.migrations.alembic_runner import migrate_to

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("its file is copied first")]

UPGRADES = get_repetitions("MIGRATIONS", 2)
ARTICLE_COUNT = 40
LISTS = (TAGS, CATEGORIES, f"{ARTICLES}?fields=title,content,html,tags,excerpt", f"{ARTICLES}?q=words")

# Starts the blog. The process kills itself argv[2] milliseconds after statement number argv[1]. If
# argv[1] is 0, the process prints the first word of each statement.
START = """
import json, os, signal, sys, threading, time
from sqlalchemy import Engine, event
from blogapi import create_app
last, after, seen = int(sys.argv[1]), int(sys.argv[2]) / 1000, []
def kill():
    time.sleep(after)
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
@event.listens_for(Engine, "before_cursor_execute")
def count(connection, cursor, statement, *_):
    seen.append(statement.split()[0])
    if len(seen) == last:
        threading.Thread(target=kill).start()
create_app({"SECRET_KEY": "x" * 32})
print(json.dumps(seen))
"""


@pytest.fixture
def read_lists(make_client, make_app, write_key):
    """Starts the blog, checks it with `doctor` and returns its lists."""

    def read() -> list[object]:
        app = make_app()
        client = make_client(app, write_key)
        found = [client.get(path).json for path in LISTS]
        result = app.test_cli_runner().invoke(args=["doctor", "--full"])
        assert result.exit_code == 0, result.output
        close_connections(app)
        return found

    return read


@pytest.fixture
def old_database(app, instance, tmp_path, make_article, make_tag, write_key) -> Path:
    """The database file of a blog with articles at the first migration. No process has it open."""
    tag = make_tag()
    for number in range(ARTICLE_COUNT):
        body = {"content": "<p>Many words.</p>" * number, "published_at": f"2026-01-01T00:{number:02}:00Z"}
        make_article(title=f"Title {number}", tags=(tag,), **body)
    close_connections(app)
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    migrate_to(engine, migration_names.list_migrations()[0])
    engine.dispose()
    with open_sqlite(path, isolation_level=None) as connection:
        connection.execute("ATTACH ? AS new", (str(instance / "blog.db"),))
        for table in list_tables(connection) & list_tables(connection, "new") - {"alembic_version"}:
            names = [name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})")]
            listed = ", ".join(f'"{name}"' for name in names)
            connection.execute(f"DELETE FROM main.{table}")  # noqa: S608
            # A reader was a member at first.
            values = listed.replace('"role"', "replace(role, 'reader', 'member')")
            connection.execute(f"INSERT INTO main.{table} ({listed}) SELECT {values} FROM new.{table}")  # noqa: S608
        # The SEO record of an article was a row of its own.
        connection.execute(
            "INSERT INTO main.seo (uuid, article_id, created, last_updated, title, description, og_image,"
            " canonical_url) SELECT seo_uuid, uuid, seo_created, seo_last_updated, seo_title,"
            " seo_description, seo_og_image, seo_canonical_url FROM new.article"
        )
        # The first migration has no authors.
        connection.execute(
            "INSERT INTO main.change (kind, uuid, position, public_position, public, gone)"
            " SELECT kind, uuid, position, public_position, 1, 0 FROM new.event"
            " WHERE kind != 'author' AND newest_public IS NOT NULL"
        )
        connection.execute(
            "UPDATE main.change_counter SET (position, public_position) ="
            " (SELECT max(position), max(public_position) FROM main.change)"
        )
    return path


def list_tables(connection: sqlite3.Connection, schema: str = "main") -> set[str]:
    found = connection.execute(f"SELECT name FROM {schema}.sqlite_master WHERE type = 'table'")  # noqa: S608
    return {name for (name,) in found}


def dump(path: Path) -> list[str]:
    with open_sqlite(path) as connection:
        return list(connection.iterdump())


def read_migration(path: Path) -> str:
    with open_sqlite(path) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]


def install_database(old_database: Path, instance: Path) -> None:
    """Empty the instance folder and copy the old database into it."""
    shutil.rmtree(instance)
    instance.mkdir()
    with allow_opening():
        shutil.copy(old_database, instance / "blog.db")
    (instance / "blog.db").chmod(0o600)


def start_blog(kill_at: int = 0, milliseconds: int = 0) -> list[str]:
    """Run START in a process of its own; return the first words of its statements."""
    command = [sys.executable, "-c", START, str(kill_at), str(milliseconds)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 0 or kill_at, result.stderr
    return json.loads(result.stdout or "[]")


def test_an_upgrade_that_is_killed_is_finished_by_the_next_start(old_database, instance, read_lists):
    before, expected = dump(old_database), read_lists()
    install_database(old_database, instance)
    statements = start_blog()
    assert (read_migration(instance / "blog.db"), read_lists()) == (
        migration_names.list_migrations()[-1],
        expected,
    )
    numbers = range(1, len(statements) + 1)
    schema_changes = [number for number in numbers if statements[number - 1] in ("CREATE", "ALTER", "DROP")]
    for turn in range(UPGRADES):
        install_database(old_database, instance)
        # Every second kill happens during the schema changes, which take only a small part of the start.
        start_blog(secrets.choice(numbers if turn % 2 else schema_changes), secrets.randbelow(5))
        assert is_intact(instance / "blog.db")
        assert (
            read_migration(instance / "blog.db") == migration_names.list_migrations()[-1]
            or dump(instance / "blog.db") == before
        )
        for copy in (instance / "backups").glob("before-upgrade-*"):
            assert dump(copy) == before
        assert read_lists() == expected
