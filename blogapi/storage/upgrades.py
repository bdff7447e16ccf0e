"""Schema upgrades, which run the pending migrations at the start of the application.

An upgrade holds a lock, and copies the database before it changes anything; see `_copy_before_upgrade`.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, create_engine, event, inspect, text
from sqlalchemy.exc import DatabaseError

from blogapi.config import CannotStart
from blogapi.storage import (
    connections,
    files,
    integrity,
    migration_names,
    postgresql_dumps,
    schema_comparison,
    upgrade_progress,
)
from blogapi.storage.disk_errors import is_disk_full_error

logger = logging.getLogger(__name__)

# With pages of 4 kB (SQLite's default), rows of about 2 kB waste space.
SQLITE_PAGE_SIZE = 8192

# How long the start waits for another process that runs migrations, in seconds.
LOCK_WAIT_SECONDS = 60

# The largest number of schema differences in an error message.
_MAX_DIFFERENCES = 5

COPY_PREFIX = "before-upgrade-from-"


def upgrade_schema(engine: Engine, models: MetaData, *, backups: Path) -> None:
    """Run the pending migrations.

    When several processes start at the same time, one runs the migrations and the others wait. A database
    with content is first copied into `backups`. Raises CannotStart if this version cannot use the database or
    its schema would differ from the models; the database is then unchanged.
    """
    with convert_database_errors(engine):
        migration = find_last_migration(engine)
        if migration == migration_names.list_migrations()[-1]:
            return
        refuse_unknown_migration(migration)
        with _open_locked_connection(engine) as connection:
            migration = read_last_migration(connection)
            if migration == migration_names.list_migrations()[-1]:
                return
            with _copy_before_upgrade(engine, backups, migration):
                _run_migrations(connection, report=migration is not None)
                check_schema(connection, models)
                # If the commit fails, for example on a full disk, the copy must be deleted too.
                connection.commit()


def check_schema(connection: Connection, models: MetaData) -> None:
    """Raise CannotStart and list the differences if the schema differs from the models."""
    if differences := schema_comparison.find_differences(connection, models):
        named, further = differences[:_MAX_DIFFERENCES], len(differences) - _MAX_DIFFERENCES
        more = f" (and {further} more)" if further > 0 else ""
        raise CannotStart(
            "The schema of the database differs from the schema of this version of blogapi; nothing was "
            f"changed. Differences: {'; '.join(named)}{more}."
        )


@contextmanager
def convert_database_errors(engine: Engine) -> Iterator[None]:
    """Convert each database error in the `with` block into CannotStart, with the reason in one sentence."""
    try:
        yield
    except (DatabaseError, sqlite3.Error) as error:
        # The messages of some drivers have several lines.
        reason = " ".join(str(getattr(error, "orig", error)).split())
        if is_disk_full_error(error):
            reason = f"the disk is full ({reason})"
        database = connections.describe_url(engine.url)
        raise CannotStart(f"The database {database} cannot be used: {reason}.") from error


def find_last_migration(engine: Engine) -> str | None:
    """Return the name of the last migration of the database, or None for an empty database.

    Uses a separate connection without the settings of the application, so that the journal mode of a database
    of another program does not change. Raises CannotStart if the log is damaged, because SQLite would
    truncate it.
    """
    if engine.dialect.name == "sqlite":
        _refuse_damaged_log(Path(str(engine.url.database)))
    with connections.open_plain_engine(engine.url) as plain, plain.connect() as connection:
        return read_last_migration(connection)


def _refuse_damaged_log(path: Path) -> None:
    if count := integrity.count_lost_writes(path):
        problem = integrity.describe_lost_writes(path, count)
        raise CannotStart(f"{problem}; restore a backup, or run doctor --repair to drop these writes.")


def read_last_migration(connection: Connection) -> str | None:
    """Return the last migration, or None if there are no tables; raises CannotStart for other tables."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" not in tables:
        if tables:
            raise CannotStart(
                "The database contains tables of another program; set DATABASE_URL to another database."
            )
        return None
    names = connection.execute(text("SELECT version_num FROM alembic_version ORDER BY 1")).scalars().all()
    if len(names) > 1:
        raise CannotStart("{}; {}.".format(*migration_names.describe_several_migrations(names)))
    return names[0] if names else None


def refuse_unknown_migration(migration: str | None) -> None:
    if migration is not None and migration not in migration_names.list_migrations():
        raise CannotStart(
            f"The database was made by a newer version or another program (migration {migration}); "
            "install that version, or name another database in DATABASE_URL."
        )


@contextmanager
def _open_locked_connection(engine: Engine) -> Iterator[Connection]:
    """Yield a connection in a transaction that excludes the transactions of other processes."""
    if engine.dialect.name != "sqlite":
        # At a higher isolation level, the snapshot would be taken before the wait for the lock.
        with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_WAIT_SECONDS}s'")
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            connection.exec_driver_sql(connections.WRITE_LOCK_SQL)
            yield connection
        return
    exclusive = create_engine(engine.url, connect_args={"timeout": LOCK_WAIT_SECONDS}, hide_parameters=True)
    event.listen(exclusive, "connect", _configure_upgrade_connection)
    event.listen(exclusive, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with exclusive.begin() as connection:
            yield connection
    finally:
        exclusive.dispose()


def _configure_upgrade_connection(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None
    integrity.define_sqlar_uncompress(connection)
    # If foreign keys were on, re-creating a table would silently delete the rows that refer to it.
    connection.execute("PRAGMA foreign_keys=OFF")
    # A file that is not empty keeps its page size.
    connection.execute(f"PRAGMA page_size={SQLITE_PAGE_SIZE}")
    # Set the journal mode before the migrations, because it cannot change while other connections are open.
    connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def _copy_before_upgrade(engine: Engine, backups: Path, migration: str | None) -> Iterator[None]:
    """Copy the database, unless it is empty, before the upgrade in the `with` block.

    If the programs of PostgreSQL are missing, a PostgreSQL database is not copied. In all other cases, a
    failed copy raises CannotStart.

    If the upgrade fails, the database is unchanged and the copy is deleted; if the process is killed, the
    next upgrade replaces the copy. Therefore, repeated restarts by a supervisor do not fill the disk.
    """
    if migration is None:
        yield
        return
    is_sqlite = engine.dialect.name == "sqlite"
    copy = backups / f"{COPY_PREFIX}{migration}{'.db' if is_sqlite else '.dump'}"
    upgrade_progress.report_progress("copy", 0, 1)
    try:
        if is_sqlite:
            refuse_full_disk(Path(str(engine.url.database)))
        _copy_database(engine, copy)
        yield
    except BaseException:
        with suppress(OSError):
            copy.unlink()
        raise


def compute_needed_space(path: Path) -> int:
    """Return the free bytes that an upgrade of the SQLite file needs, for the copy and for a new log."""
    sizes = (file.stat().st_size for file in (path, files.get_side_files(path).log) if file.exists())
    return 3 * sum(sizes)


def refuse_full_disk(path: Path) -> None:
    """Raise CannotStart if the disk lacks the space for an upgrade of the SQLite file."""
    needed, free = compute_needed_space(path), shutil.disk_usage(path.parent).free
    if free < needed:
        raise CannotStart(
            f"The upgrade needs {needed / 1024**2:.1f} MB in {path.parent}, which has "
            f"{free / 1024**2:.1f} MB free; nothing was changed."
        )


def _copy_database(engine: Engine, copy: Path) -> None:
    try:
        # The lock excludes other upgrades, so killed upgrades have left these files.
        for unfinished in copy.parent.glob(f".{copy.name}.*"):
            unfinished.unlink()
        # Write to a partial file first, so that a file with the final name is always complete.
        with files.create_partial_file(copy) as partial:
            if engine.dialect.name == "sqlite":
                path = str(engine.url.database)
                with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(partial)) as target:
                    source.backup(target)
            else:
                postgresql_dumps.dump_database(engine.url, partial)
            files.replace_file(partial, copy)
    except postgresql_dumps.DumpError as error:
        if postgresql_dumps.find_missing_program() is None:
            advice = "Install the programs of the server's version; without them, the upgrade makes no copy."
            problem = f"The copy {copy} cannot be made before the upgrade: {error}."
            raise CannotStart(f"{problem} {advice}") from error
        # Without the programs, the upgrade continues, because the server may have other backups.
        logger.warning("no copy of the database is made before the upgrade: %s", error)
    except OSError as error:
        raise CannotStart(f"The copy {copy} cannot be made before the upgrade: {error.strerror}.") from error


def _run_migrations(connection: Connection, *, report: bool) -> None:
    # These imports are local, because nearly every start finds the newest schema and does not need Alembic.
    from alembic import command
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(migration_names.MIGRATIONS_FOLDER).replace("%", "%%"))
    settings.attributes["connection"] = connection
    settings.attributes["on_version_apply"] = _report_migration if report else None
    if broken := _count_broken_references(connection):
        raise CannotStart(
            f"{broken} references were broken before the upgrade; nothing was changed. `doctor --repair` "
            "deletes the rows that refer to missing ones."
        )
    command.upgrade(settings, "head")
    if broken := _count_broken_references(connection):
        raise CannotStart(f"The upgrade would break {broken} references; nothing was changed.")


def _report_migration(*, step: Any, **_: Any) -> None:
    names = migration_names.list_migrations()
    upgrade_progress.report_progress("migrations", names.index(step.up_revision_id) + 1, len(names))


def _count_broken_references(connection: Connection) -> int:
    is_sqlite = connection.dialect.name == "sqlite"
    return len(connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()) if is_sqlite else 0
