"""The dumps of PostgreSQL databases in backups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, func, inspect, select, table, text

from blogapi.content.media import stored_files
from blogapi.operations.backups.manifest import (
    DUMP_FILE,
    DatabaseContents,
    DatabaseKind,
    InvalidBackup,
    Manifest,
)
from blogapi.operations.backups.media_restoring import BackupMedia
from blogapi.storage import connections, postgresql_dumps, upgrades
from blogapi.web.errors import Conflict

Upgrader = Callable[[URL, Path], None]


def write_dump(url: URL, target: Path) -> DatabaseContents:
    """Write a dump into the file `target` and return what the database contains; raises DumpError."""
    with _open_connection(url) as connection:
        # `pg_dump` and all reads of this transaction see the same snapshot.
        contents = _read_contents(connection)
        snapshot = connection.scalar(select(func.pg_export_snapshot()))
        postgresql_dumps.dump_database(url, target, f"--snapshot={snapshot}")
        return contents


def refuse_nonempty_database(url: URL) -> None:
    """Raise Conflict if the database has any table."""
    with _open_connection(url) as connection:
        if inspect(connection).get_table_names():
            raise Conflict(
                f"The database {url.database} is not empty; name a database without tables in DATABASE_URL. "
                "This command creates one: createdb --encoding UTF8 --template template0 NAME"
            )


def restore_dump(url: URL, folder: Path, manifest: Manifest, media: BackupMedia, upgrade: Upgrader) -> None:
    """Fill a database without tables from an unpacked backup; delete the new tables after an error."""
    with postgresql_dumps.restore_tables(url, folder / DUMP_FILE):
        _check_and_upgrade_database(url, folder, manifest, media, upgrade)


def verify_dump(url: URL, folder: Path, manifest: Manifest, media: BackupMedia, upgrade: Upgrader) -> bool:
    """Restore an unpacked backup into a temporary database, and return True.

    If the database user has no right to create a database, only read the dump, and return False. Raises the
    same errors as `restore_dump`.
    """
    permission_query = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
    with _open_connection(url) as connection:
        if not connection.scalar(text(permission_query)):
            postgresql_dumps.check_dump(folder / DUMP_FILE)
            return False
    with postgresql_dumps.restore_temporary_database(url, folder / DUMP_FILE) as copy:
        _check_and_upgrade_database(copy, folder, manifest, media, upgrade)
    return True


def _check_and_upgrade_database(
    url: URL, folder: Path, manifest: Manifest, media: BackupMedia, upgrade: Upgrader
) -> None:
    with _open_connection(url) as connection:
        contents = _read_contents(connection)
    if (contents.migration, contents.rows) != (manifest.step, manifest.rows):
        raise InvalidBackup("its database does not match its manifest")
    listed_paths = {file.path for file in media.files}.union(file.path for file in media.known_missing)
    if {file.path for file in contents.media} != listed_paths:
        raise InvalidBackup("its database does not match its list of media files")
    upgrade(url, folder)


def _read_contents(connection: Connection) -> DatabaseContents:
    migration = upgrades.read_last_migration(connection)
    if migration is None:
        raise Conflict("The database contains no blog.")
    names = sorted(inspect(connection).get_table_names())
    rows = {name: connection.scalar(select(func.count()).select_from(table(name))) or 0 for name in names}
    return DatabaseContents(
        DatabaseKind.POSTGRESQL, migration, rows, stored_files.read_stored_files(connection)
    )


@contextmanager
def _open_connection(url: URL) -> Iterator[Connection]:
    engine = connections.make_engine(url)
    try:
        with engine.connect() as connection:
            connections.disable_timeouts(connection)
            yield connection
    finally:
        engine.dispose()
