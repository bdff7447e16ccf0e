"""The schema: numbered steps, taken at start under a lock, with a copy of the file set aside first."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, event, inspect, text
from sqlalchemy.exc import DatabaseError

from blogapi import clock
from blogapi.config import CannotStart
from blogapi.storage import files, integrity, schema_comparison

SCRIPTS = Path(__file__).parent.parent / "migrations"

# How long a start waits for another process that is migrating, in seconds.
LOCK_SECONDS = 60

# How many differences of a schema are told.
_SHOWN = 5

# How the name of the copy begins that is set aside before an upgrade.
_SET_ASIDE = "before-upgrade-from-"

# What every writer on PostgreSQL asks first, and a migration too: one at a time goes on, until its
# transaction ends. Any number that no other user of the database is likely to lock.
WRITE_LOCK_SQL = "SELECT pg_advisory_xact_lock(6251846213)"


@cache
def list_migrations() -> tuple[str, ...]:
    """Return the names of all steps, oldest first (`"0001"`, …)."""
    return tuple(sorted(path.name[:4] for path in (SCRIPTS / "versions").glob("[0-9]*.py")))


def is_in_memory(engine: Engine) -> bool:
    """Tell whether the database is SQLite in memory: one connection, gone with the process."""
    return engine.dialect.name == "sqlite" and engine.url.database in (None, "", ":memory:")


def upgrade(engine: Engine, models: MetaData, *, backups: Path) -> None:
    """Bring the schema to the newest step; does nothing where it is.

    Safe when several processes start at once: one migrates, the others wait. A database with content is
    copied into `backups` before it is changed. Raises CannotStart for a database that this version
    cannot use, or whose schema would not be that of the models; it is then left as it was.
    """
    with convert_errors(engine):
        step = current_migration(engine)
        if step == list_migrations()[-1]:
            return
        _refuse_unknown(step)
        with _locked(engine) as connection:
            step = _step(connection)
            if step == list_migrations()[-1]:
                return
            with _set_aside(engine, backups, step):
                _upgrade(connection)
                check_schema(connection, models)


def check_schema(connection: Connection, models: MetaData) -> None:
    """Raise CannotStart, with what differs, unless the schema is that of the models."""
    if found := schema_comparison.differences(connection, models):
        more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
        raise CannotStart(
            "The schema of the database is not that of this version of blogapi; nothing was changed. "
            f"What differs: {'; '.join(found[:_SHOWN])}{more}."
        )


@contextmanager
def convert_errors(engine: Engine) -> Iterator[None]:
    """Say of an error of the database, in one sentence, that nothing can be started on it."""
    try:
        yield
    except (DatabaseError, sqlite3.Error) as error:
        # Some drivers tell it in several lines.
        reason = " ".join(str(getattr(error, "orig", error)).split())
        if _is_full(engine):
            reason = f"the disk is full ({reason})"
        raise CannotStart(
            f"The database {engine.url.render_as_string()} cannot be used: {reason}."
        ) from error


def _is_full(engine: Engine) -> bool:
    if engine.dialect.name != "sqlite" or is_in_memory(engine):
        return False
    # SQLite needs more than that for the index of its log, and calls its lack an I/O error.
    return shutil.disk_usage(Path(str(engine.url.database)).parent).free < 64 * 1024


def current_migration(engine: Engine) -> str | None:
    """Return the step that the database stands at, None for an empty one.

    Looks through a connection of its own, which sets nothing: a database that is not ours keeps even its
    journal mode. Raises CannotStart where the log is damaged, which SQLite would cut short.
    """
    if is_in_memory(engine):
        return None
    if engine.dialect.name == "sqlite":
        _refuse_damaged_log(Path(str(engine.url.database)))
    looking = create_engine(engine.url, hide_parameters=True)
    try:
        with looking.connect() as connection:
            return _step(connection)
    finally:
        looking.dispose()


def _refuse_damaged_log(path: Path) -> None:
    if count := integrity.count_lost_writes(path):
        problem = integrity.describe_lost_writes(path, count)
        raise CannotStart(f"{problem}; restore a backup, or run doctor --repair to drop them.")


def _step(connection: Connection) -> str | None:
    tables = inspect(connection).get_table_names()
    if "alembic_version" not in tables:
        if tables:
            raise CannotStart("The database holds tables of another program; name another in DATABASE_URL.")
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _refuse_unknown(step: str | None) -> None:
    if step is not None and step not in list_migrations():
        raise CannotStart(
            f"The database was made by a newer version or another program (step {step}); "
            "install that version, or name another database in DATABASE_URL."
        )


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    """Yield a connection inside a transaction that only one process at a time can hold."""
    if engine.dialect.name != "sqlite":
        # Above READ COMMITTED the tables would be looked for in the state from before the wait.
        with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.exec_driver_sql(WRITE_LOCK_SQL)
            yield connection
        return
    if is_in_memory(engine):
        with engine.begin() as connection:
            yield connection
        return
    alone = create_engine(engine.url, connect_args={"timeout": LOCK_SECONDS}, hide_parameters=True)
    event.listen(alone, "connect", _prepare)
    event.listen(alone, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with alone.begin() as connection:
            yield connection
    finally:
        alone.dispose()


def _prepare(connection: sqlite3.Connection, record: object) -> None:
    # With foreign keys on, re-creating a table silently deletes the rows that refer to it.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys=OFF")
    # Set before the first step, since it takes a moment without any other connection.
    connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def _set_aside(engine: Engine, backups: Path, step: str | None) -> Iterator[None]:
    """Copy the database as it is before the upgrade; readers and the lock's holder do not mind.

    The copy is dropped where the upgrade fails, which leaves the database itself as it was: a service
    that is started again and again must not fill the disk.
    """
    if step is None or engine.dialect.name != "sqlite":
        yield
        return
    copy = backups / f"{_SET_ASIDE}{step}-{clock.now():%Y%m%dT%H%M%S}.db"
    try:
        _copy(Path(str(engine.url.database)), copy)
        yield
    except BaseException:
        with suppress(OSError):
            copy.unlink()
        raise


def is_set_aside(path: Path) -> bool:
    """Tell by its name whether the file is a copy that was set aside before an upgrade."""
    return path.name.startswith(_SET_ASIDE) and path.suffix == ".db"


def _copy(path: Path, copy: Path) -> None:
    try:
        # Under its name it is whole: whoever needs it, needs it when something went wrong.
        with files.partial_file(copy) as made:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(made)) as target:
                source.backup(target)
            files.replace(made, copy)
    except OSError as error:
        raise CannotStart(f"The copy {copy} cannot be made before the upgrade: {error.strerror}.") from error


def _upgrade(connection: Connection) -> None:
    # Imported here: a start that finds the schema ready, which is nearly every one, does without Alembic.
    from alembic import command
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    settings.attributes["connection"] = connection
    command.upgrade(settings, "head")
    if connection.dialect.name == "sqlite":
        _refuse_broken(connection)


def _refuse_broken(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise CannotStart(f"The upgrade would break {len(broken)} references; nothing was changed.")
