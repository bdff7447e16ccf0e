"""`upgrade` and `rollback` of a blog on PostgreSQL, with a dump by the programs of PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine, make_url, select, text

from blogapi.config import CannotStart
from blogapi.storage import migration_names, postgresql_dumps
from blogapi.storage.postgresql_dumps import DumpError
from blogapi.upgrading import commands
from tests.databases import DUMP_MARKS, SERVER_URL
from tests.migrations.test_landed import copy_rows, read_text
from tests.upgrading.conftest import write_post

URL = "BLOGAPI_DATABASE_URL"
LAST = migration_names.list_migrations()[-1]
pytestmark = DUMP_MARKS
FORMER = migration_names.list_migrations()[-2]
# Migrations that have landed stay as they are.
OLDER = [
    pytest.param(name, marks=(pytest.mark.slow, pytest.mark.release)) for name in ("0001", "0010", "0030")
]


@pytest.fixture(params=[FORMER])
def migration(request, databases, instance, tmp_path, monkeypatch) -> str:
    """The migration of a recorded blog, which is the blog of the test, in a database of its own."""
    url = databases.create_empty(tmp_path)
    monkeypatch.setenv(URL, url)
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(read_text(f"{request.param}.sql"))
    engine = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    with engine.connect() as connection:
        copy_rows(connection, url, request.param)
    engine.dispose()
    instance.mkdir()
    return request.param


def dump() -> dict[str, list[Any]]:
    """Return the rows of each table, by the name of the table."""
    engine, metadata = create_engine(os.environ[URL]), MetaData()
    try:
        with engine.connect() as connection:
            metadata.reflect(connection)
            return {
                table.name: sorted(map(repr, connection.execute(select(table)).mappings()))
                for table in metadata.sorted_tables
            }
    finally:
        engine.dispose()


def execute(statement: str) -> None:
    engine = create_engine(os.environ[URL])
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


@pytest.fixture
def created(monkeypatch):
    """The statements that create or drop a database."""
    statements: list[str] = []
    original = postgresql_dumps._execute_statement

    def record(url, statement):
        statements.append(statement)
        original(url, statement)

    monkeypatch.setattr(postgresql_dumps, "_execute_statement", record)
    return statements


def check_dropped(statements) -> None:
    (create, drop) = statements
    name = create.removeprefix("CREATE DATABASE ").split()[0]
    assert drop.startswith(f"DROP DATABASE {name} ")
    engine = create_engine(SERVER_URL)
    with engine.connect() as connection:
        found = text("SELECT count(*) FROM pg_database WHERE datname = :name")
        assert connection.execute(found, {"name": name}).scalar() == 0
    engine.dispose()


@pytest.mark.parametrize("migration", [FORMER, *OLDER], indirect=True)
def test_the_rows_come_back_and_new_content_can_be_imported(migration, run, instance, tmp_path):
    before = dump()
    result = run("upgrade")
    assert result.exit_code == 0, result.output
    copy = instance / "backups" / f"before-upgrade-from-{migration}.dump"
    assert f"A copy from before the upgrade is in {copy}." in result.output
    assert "cannot be undone" not in result.output
    if os.name == "posix":
        assert copy.stat().st_mode & 0o777 == 0o600
    assert run("import", write_post(tmp_path, "Since"), "--author", "ada").exit_code == 0
    after = dump()
    result = run("rollback")
    assert result.exit_code == 0, result.output
    assert dump() == before
    (saved,) = instance.glob("backups/before-rollback-*.dump")
    assert f"The state after the upgrade is in {saved}." in result.output
    again = run("rollback")
    assert again.exit_code == 1 and "already in the state before the upgrade" in again.output
    assert run("upgrade").exit_code == 0
    (folder,) = instance.glob("backups/since-upgrade-*")
    assert run("import", folder, "--author", "ada").exit_code == 0
    upgraded = dump()
    assert upgraded.keys() == after.keys() and len(upgraded["article"]) == len(after["article"])


def test_a_blog_in_use_is_not_changed(migration, run, instance, make_app):
    assert run("upgrade").exit_code == 0
    after = dump()
    with make_app().app_context() as context, context.app.extensions["sqlalchemy"].engine.connect():
        result = run("rollback")
        assert result.exit_code == 1 and "The blog is in use; stop the service" in result.output
    assert dump() == after
    assert [path.suffix for path in instance.glob("backups/*")] == [".dump"]


def test_a_damaged_dump_changes_nothing(migration, run, instance):
    assert run("upgrade").exit_code == 0
    (copy,) = instance.glob("backups/*.dump")
    copy.write_bytes(copy.read_bytes()[:-3000])
    after = dump()
    result = run("rollback", "--no-export")
    assert result.exit_code == 1 and "The copy cannot be restored: pg_restore failed" in result.output
    assert dump() == after
    assert list(instance.glob("backups/*")) == [copy]


def test_without_the_programs_the_upgrade_says_that_there_is_no_way_back(
    migration, run, instance, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    result = run("upgrade")
    assert result.exit_code == 0, result.output
    said, _, rest = result.output.partition(
        "This upgrade cannot be undone, because pg_dump is not installed."
    )
    assert rest and "Upgraded the blog in " not in said and "A copy from before" not in rest
    assert f"'version_num': '{LAST}'" in dump()["alembic_version"][0]
    assert not list(instance.glob("backups/*"))
    refused = run("rollback")
    assert refused.exit_code == 1 and "contains no copy from before an upgrade" in refused.output


def test_an_upgrade_whose_dump_fails_changes_nothing(migration, run, instance, monkeypatch):
    before = dump()

    def fail(*arguments):
        raise DumpError("pg_dump failed: server version mismatch")

    with monkeypatch.context() as patch:
        patch.setattr(postgresql_dumps, "dump_database", fail)
        result = run("upgrade")
    says = "cannot be made before the upgrade: pg_dump failed: server version mismatch."
    assert result.exit_code == 1 and says in result.output, result.output
    assert dump() == before and list(instance.glob("backups/*")) == []
    assert run("upgrade").exit_code == 0


def test_a_check_leaves_no_database_behind(migration, run, instance, created):
    before = dump()
    result = run("upgrade", "--check")
    assert result.exit_code == 0, result.output
    assert "The upgrade of a copy took " in result.output and "The upgrade needs" not in result.output
    assert dump() == before
    assert list(instance.iterdir()) == []
    check_dropped(created)


def fail_start(settings):
    raise CannotStart("The upgrade fails.")


def fail_restore(*arguments, original=postgresql_dumps._run_program, **options):
    if arguments[1] == "pg_restore":
        raise DumpError("pg_restore failed")
    original(*arguments, **options)


@pytest.mark.parametrize(
    ("place", "name", "function"),
    [(commands, "create_app", fail_start), (postgresql_dumps, "_run_program", fail_restore)],
)
def test_a_check_that_fails_leaves_no_database_behind(
    place, name, function, migration, run, instance, created, monkeypatch
):
    before = dump()
    monkeypatch.setattr(place, name, function)
    result = run("upgrade", "--check")
    assert result.exit_code == 1 and "fail" in result.output, result.output
    assert dump() == before
    assert list(instance.iterdir()) == []
    check_dropped(created)


def test_an_upgrade_that_fails_leaves_no_dump(migration, run, instance):
    execute("ALTER TABLE article ADD COLUMN other INTEGER")
    before = dump()
    result = run("upgrade")
    assert result.exit_code == 1 and "The schema of the database differs" in result.output
    assert dump() == before
    assert not list(instance.glob("backups/*"))


def test_the_password_is_not_in_the_arguments_of_the_programs(migration, run, instance, monkeypatch):
    address = make_url(os.environ[URL]).set(password="secret-word")
    address = address.update_query_dict({"prepare_threshold": "0", "application_name": "my blog"})
    address = address.update_query_dict({"sslpassword": "secret-word of the key"})
    monkeypatch.setenv(URL, address.render_as_string(hide_password=False))
    calls = []
    original = subprocess.run

    def record(arguments, **options):
        calls.append((arguments, options.get("env") or {}))
        return original(arguments, **options)

    monkeypatch.setattr(subprocess, "run", record)
    for command in (("upgrade", "--check"), ("upgrade",), ("rollback",)):
        result = run(*command)
        assert result.exit_code == 0, result.output
    programs = [
        arguments
        for arguments, _ in calls
        if str(arguments[0]).endswith(postgresql_dumps.POSTGRESQL_PROGRAMS)
    ]
    assert {Path(arguments[0]).name for arguments in programs} == set(postgresql_dumps.POSTGRESQL_PROGRAMS)
    assert not any("secret-word" in argument for arguments in programs for argument in arguments)
    passwords = [options.get("PGPASSWORD") for arguments, options in calls if "--dbname" in str(arguments)]
    assert set(passwords) == {"secret-word"}
