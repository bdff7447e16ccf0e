"""One process runs the schema upgrades, and a failed upgrade leaves the database unchanged."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import CheckConstraint, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import OperationalError

from blogapi import create_app
from blogapi.accounts.users.models import Account
from blogapi.config import CannotStart
from blogapi.content.taxonomies.tags import Tag
from blogapi.storage import integrity, migration_names, upgrades
from blogapi.storage.database import Base, db, transaction
from tests.databases import open_sqlite

MIGRATION = '''"""A migration of the test."""

import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{last}"


def upgrade() -> None:
    """Run the body."""
    {body}
'''
LAST = migration_names.list_migrations()[-1]
NEXT = f"{int(LAST) + 1:04}"
RECREATES_A_PARENT = """query = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name='account'"
    dropped = op.get_bind().exec_driver_sql(query).scalars().all()
    with op.batch_alter_table("account", recreate="always"):
        pass
    for trigger in dropped:
        op.execute(trigger)"""
FAILS_HALF_WAY = """op.add_column("tag", sa.Column("motto", sa.Text(), nullable=True))
    op.execute("INSERT INTO nowhere VALUES (1)")"""
BREAKS_REFERENCES = 'op.execute("DELETE FROM account")'
LEAVES_A_COLUMN = 'op.add_column("tag", sa.Column("motto", sa.Text(), nullable=True))'
LEAVES_A_VIEW = 'op.execute("CREATE VIEW motto AS SELECT 1 AS x")'
FORGETS_AN_INDEX = 'op.drop_index("ix_event_due", "event")'


@pytest.fixture
def add_migration(tmp_path, monkeypatch):
    """Adds a migration with the given body."""

    def add(body: str) -> None:
        scripts = tmp_path / "scripts"
        shutil.copytree(
            migration_names.MIGRATIONS_FOLDER, scripts, ignore=shutil.ignore_patterns("__pycache__")
        )
        write_migration(scripts, body)
        monkeypatch.setattr(migration_names, "MIGRATIONS_FOLDER", scripts)
        migration_names.list_migrations.cache_clear()

    yield add
    migration_names.list_migrations.cache_clear()


@pytest.fixture
def old_database(make_app, make_tag, people, instance):
    """The file of a blog with three users and a tag, at the last migration. No process has it open."""
    make_tag("kept")
    with people.app.app_context():
        db.session.remove()
        with db.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        db.engine.dispose()
    return instance / "blog.db"


def write_migration(scripts: Path, body: str) -> None:
    migration = MIGRATION.format(body=body, last=LAST, next=NEXT)
    (scripts / "versions" / f"{NEXT}_of_the_test.py").write_text(migration, encoding="utf-8")


def dump(path: Path) -> list[str]:
    with open_sqlite(path) as connection:
        return list(connection.iterdump())


def start_app() -> None:
    app = create_app()
    with app.app_context():
        db.engine.dispose()


def get_start_error(**settings: Any) -> str:
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message


def test_every_constraint_has_a_name():
    for table in Base.metadata.tables.values():
        for constraint in table.constraints:
            assert constraint.name, table.name
        assert all(index.name for index in table.indexes)
        checks = [one for one in table.constraints if isinstance(one, CheckConstraint)]
        assert all(str(check.name).startswith(f"ck_{table.name}_") for check in checks)


def test_the_migrations_are_numbered_without_a_gap():
    assert list(migration_names.list_migrations()) == [
        f"{number:04}" for number in range(1, len(migration_names.list_migrations()) + 1)
    ]


@pytest.mark.release
@pytest.mark.slow
def test_eight_processes_can_start_at_the_same_time_if_the_database_does_not_exist_yet(instance):
    code = "from blogapi import create_app; c = create_app().test_client(); print(c.get('/health').json)"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(8)
    ]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert {out.strip() for out, _ in outputs} == {b"{'status': 'ok'}"}, outputs
    assert not (instance / "backups").exists()


@pytest.mark.slow
def test_a_start_with_the_newest_schema_loads_only_what_serves(app):
    """What writes, upgrades, imports, exports or commands would need memory in each server."""
    names = [
        *("alembic", "PIL", "comrak", "feedgenerator", "nh3"),
        *("blogapi.accounts.users.commands", "blogapi.exporting.service", "blogapi.importing.pipeline"),
        *("blogapi.operations.db_copy", "blogapi.operations.doctor.derived_data_checks"),
        *([] if os.environ.get("BLOGAPI_TEST_DATABASE_URL") else ["sqlalchemy.dialects.postgresql"]),
    ]
    code = (
        "import sys; import blogapi.__main__; import blogapi.serving.commands; blogapi.create_app(); "
        f"print([name for name in {names} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout.strip(), run.returncode) == ("[]", 0), run.stderr


@pytest.mark.sqlite("its file is copied first")
def test_an_upgrade_first_makes_a_copy_and_keeps_all_rows(old_database, add_migration, instance):
    before = dump(old_database)
    add_migration(RECREATES_A_PARENT)
    start_app()
    with open_sqlite(old_database) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (NEXT,)
        assert connection.execute("SELECT count(*) FROM account").fetchone() == (3,)
        assert connection.execute("SELECT name FROM tag").fetchall() == [("kept",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    (copy,) = (instance / "backups").iterdir()
    assert copy.name == f"before-upgrade-from-{LAST}.db"
    assert dump(copy) == before
    if os.name != "nt":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600


@pytest.mark.sqlite("its file is copied first")
def test_an_upgraded_blog_accepts_writes(old_database, add_migration):
    add_migration(RECREATES_A_PARENT)
    app = create_app()
    with app.app_context():
        with transaction():
            owner = db.session.query(Account).first()
            db.session.add(Tag(name="new", slug="new", owner_id=owner.uuid))
        assert db.session.query(Tag).count() == 2
        assert db.session.scalar(text("PRAGMA foreign_keys")) == 1
        db.session.remove()
        db.engine.dispose()


@pytest.mark.sqlite("its file is copied first")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (FAILS_HALF_WAY, "nowhere"),
        (BREAKS_REFERENCES, "would break 4 references"),
        (LEAVES_A_COLUMN, "Differences: table tag also has: motto TEXT."),
        (LEAVES_A_VIEW, "Differences: view motto is unknown."),
        (FORGETS_AN_INDEX, "Differences: index ix_event_due is missing."),
    ],
)
def test_a_failed_migration_leaves_the_database_unchanged(
    old_database, add_migration, instance, body, reason
):
    before = dump(old_database)
    add_migration(body)
    for _ in range(2):
        assert reason in get_start_error()
    assert dump(old_database) == before
    # A supervisor that restarts the service again and again must not fill the disk with copies.
    assert list((instance / "backups").iterdir()) == []


@pytest.mark.sqlite("a server checks each reference at once")
def test_references_that_were_broken_before_are_named_so(old_database, add_migration):
    add_migration(RECREATES_A_PARENT)
    with open_sqlite(old_database) as connection, connection:
        connection.execute("UPDATE tag SET owner_id = 'missing'")
    error = get_start_error()
    assert "1 references were broken before the upgrade" in error and "doctor --repair" in error


@pytest.mark.sqlite("a table that the test changes with SQL")
def test_two_migrations_in_one_database_are_refused_in_a_sentence(old_database):
    with open_sqlite(old_database) as connection, connection:
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
    assert "The table alembic_version names 2 migrations (0001, 0" in get_start_error()


@pytest.mark.sqlite("its file is copied first")
def test_an_upgrade_whose_commit_fails_deletes_its_copy(old_database, add_migration, instance):
    def fail(connection: Connection) -> None:
        if connection.engine.url.database == str(old_database):
            raise OperationalError("COMMIT", None, sqlite3.OperationalError("disk I/O error"))

    before = dump(old_database)
    add_migration(RECREATES_A_PARENT)
    event.listen(Engine, "commit", fail)
    try:
        assert "disk I/O error" in get_start_error()
    finally:
        event.remove(Engine, "commit", fail)
    assert dump(old_database) == before
    assert list((instance / "backups").iterdir()) == []


@pytest.mark.slow
@pytest.mark.sqlite("its file is copied first")
def test_upgrades_that_are_killed_leave_one_copy(old_database, add_migration, instance, tmp_path):
    before, backups = dump(old_database), instance / "backups"
    add_migration("__import__('os')._exit(9)")
    scripts = f"migration_names.MIGRATIONS_FOLDER = Path({str(tmp_path / 'scripts')!r}); "
    killed = {
        "in the migration": "",
        "before the copy is complete": "upgrades.files.replace_file = lambda *_: os._exit(9); ",
    }
    for code in (*killed.values(), *killed.values()):
        imports = (
            "import os; from pathlib import Path; from blogapi.storage import migration_names, upgrades; "
        )
        program = f"{imports}{scripts}{code}"
        command = [sys.executable, "-c", f"{program}from blogapi import create_app; create_app()"]
        assert subprocess.run(command, timeout=60, check=False).returncode == 9
        assert dump(backups / f"before-upgrade-from-{LAST}.db") == before == dump(old_database)
    write_migration(tmp_path / "scripts", RECREATES_A_PARENT)
    start_app()
    assert [path.name for path in backups.iterdir()] == [f"before-upgrade-from-{LAST}.db"]
    assert dump(backups / f"before-upgrade-from-{LAST}.db") == before


@pytest.mark.sqlite("its file is copied first")
def test_an_upgrade_is_refused_if_the_copy_cannot_be_made(old_database, add_migration, instance):
    before = dump(old_database)
    (instance / "backups").write_text("in the way")
    add_migration(RECREATES_A_PARENT)
    assert "cannot be made before the upgrade: " in get_start_error()
    assert dump(old_database) == before


@pytest.mark.sqlite("its file is copied first")
def test_a_copy_has_its_name_only_when_it_is_complete(old_database, add_migration, instance, monkeypatch):
    copies = []

    def refuse(partial, copy):
        copies.append((dump(partial), copy.name.startswith("before-upgrade-"), copy.exists()))
        raise OSError(errno.EIO, "Input/output error")

    before = dump(old_database)
    add_migration(RECREATES_A_PARENT)
    monkeypatch.setattr(upgrades.files, "replace_file", refuse)
    assert "cannot be made before the upgrade: " in get_start_error()
    assert copies == [(before, True, False)]
    assert list((instance / "backups").iterdir()) == []
    assert dump(old_database) == before


@pytest.mark.slow
@pytest.mark.sqlite("its file is copied first")
def test_processes_that_upgrade_at_the_same_time_make_one_copy(old_database, tmp_path, instance):
    scripts = tmp_path / "scripts"
    shutil.copytree(migration_names.MIGRATIONS_FOLDER, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    write_migration(scripts, RECREATES_A_PARENT)
    code = (
        "from pathlib import Path; from blogapi.storage import migration_names; "
        f"migration_names.MIGRATIONS_FOLDER = Path({str(scripts)!r}); "
        "from blogapi import create_app; create_app(); print('up')"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [out.strip() for out, _ in outputs] == [b"up"] * 4, outputs
    assert len(list((instance / "backups").iterdir())) == 1


@pytest.mark.sqlite("its file")
def test_a_new_file_has_larger_pages(app, instance):
    assert integrity.read_page_size(instance / "blog.db") == 8192


@pytest.mark.sqlite("its file is copied first")
def test_a_newer_schema_is_refused_and_unchanged(old_database):
    with open_sqlite(old_database) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = dump(old_database)
    assert "newer version or another program (migration 9999)" in get_start_error()
    assert dump(old_database) == before


@pytest.mark.sqlite("its file")
def test_the_database_of_another_program_is_refused_and_unchanged(tmp_path):
    path = tmp_path / "other.db"
    with open_sqlite(path) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    assert "tables of another program" in get_start_error(DATABASE_URL=f"sqlite:///{path}")
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.glob("other*")] == ["other.db"]


@pytest.mark.sqlite("its file")
def test_a_file_that_is_not_a_database_is_refused_and_unchanged(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, " * 1000)
    before = path.read_bytes()
    assert "not a database" in get_start_error(DATABASE_URL=f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_the_error_of_a_database_contains_no_password():
    address = "postgresql://ada:one@db/blog?password=two&sslpassword=three&sslmode=require"
    engine = create_engine("sqlite://")
    engine.url = make_url(address)
    with pytest.raises(CannotStart) as raised, upgrades.convert_database_errors(engine):
        raise OperationalError("SELECT 1", {}, sqlite3.OperationalError("refused"))
    assert raised.value.message == (
        "The database postgresql://ada:***@db/blog?sslmode=require cannot be used: refused."
    )


@pytest.mark.sqlite("its file")
def test_a_folder_with_the_name_of_the_database_is_refused(instance):
    (instance / "blog.db").mkdir(parents=True)
    assert f"{instance / 'blog.db'} cannot be opened: " in get_start_error()


@pytest.mark.sqlite("its file")
def test_a_database_in_a_missing_folder_is_refused(tmp_path):
    assert "cannot be opened: No such file" in get_start_error(
        DATABASE_URL=f"sqlite:///{tmp_path}/no/blog.db"
    )


@pytest.mark.sqlite("its file")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can read every folder")
def test_a_database_in_an_unreadable_folder_is_refused(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    assert "Permission denied" in get_start_error(DATABASE_URL=f"sqlite:///{tmp_path}/closed/blog.db")


@pytest.mark.sqlite("its file is copied first")
def test_a_database_in_another_journal_mode_is_set_to_wal(old_database):
    with open_sqlite(old_database) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    app = create_app()
    with app.app_context():
        assert db.session.scalar(text("PRAGMA journal_mode")) == "wal"
        db.session.remove()
        db.engine.dispose()
