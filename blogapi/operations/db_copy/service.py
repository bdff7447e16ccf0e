"""Copies a whole blog into an empty database and compares both databases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Connection,
    Engine,
    FromClause,
    Row,
    Select,
    String,
    Table,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.exc import DatabaseError

from blogapi import clock
from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.articles import search_texts
from blogapi.content.search import engines
from blogapi.content.search.engine_base import SearchText
from blogapi.content.search.models import SearchEntry
from blogapi.delivery.webhooks.models import PAUSE_COPIED_WEBHOOKS
from blogapi.storage import connections, files, migration_names, upgrades
from blogapi.storage.database import Base, CommitCounter, bytewise
from blogapi.storage.disk_errors import is_damage_error
from blogapi.storage.releases import Release
from blogapi.web.errors import Conflict, NotFound

# The maximum number of rows in memory at a time; a row with an article can have megabytes.
_ROWS_PER_BATCH = 100

_PREFILLED_TABLES = ("article_stats", "site", CommitCounter.__tablename__, Release.__tablename__)
_SEARCH_INDEX = "search_index"


def copy_blog(
    source: Engine, target: Engine, *, backups: Path, progress: ProgressReporter = hide_progress
) -> dict[str, Checksum]:
    """Copy the source into the target; return the number of rows and the digest of each table.

    One transaction reads the source, and another one writes the target. The search index is built again,
    because each database engine has its own format. The copy is read back and compared before the commit.
    Raises NotFound if the source is not a blog of this version. Rolls the target back and raises Conflict if
    the target is not empty, or if it differs from the source after the copy.
    """
    _check_source(source)
    with _delete_target_on_failure(target):
        upgrades.upgrade_schema(target, Base.metadata, backups=backups)
        connections.configure_connections(source)
        options = connections.get_write_options(target, connections.WRITE_WAIT_SECONDS)
        # All reads of the source see the same state, because they are in one transaction.
        with _begin_transaction(source) as reader, _begin_transaction(target, **options) as writer:
            _refuse_nonempty_target(writer)
            # The progress counts each row twice (copied and read back), and each search index entry once.
            total = 2 * sum(_count_rows(reader, table) for table in _list_tables())
            total += _count_rows(reader, SearchEntry.__table__)
            sums: dict[str, Checksum] = {}
            for _ in progress(_copy_tables(reader, writer, sums), total=total, label="Copying"):
                pass
            writer.execute(PAUSE_COPIED_WEBHOOKS, {"now": clock.now()})
    return sums


def _list_tables() -> list[Table]:
    """Return the tables to copy; each table follows the tables that it refers to."""
    return Base.metadata.sorted_tables


def _check_source(source: Engine) -> None:
    path = source.url.database
    if source.dialect.name == "sqlite" and not (path and Path(path).is_file()):
        raise NotFound(f"The file {path} does not exist.")
    migration = upgrades.find_last_migration(source)
    if migration is None:
        raise NotFound(f"{connections.describe_url(source.url)} contains no blog.")
    if migration != migration_names.list_migrations()[-1]:
        raise NotFound(
            f"{connections.describe_url(source.url)} is a blog of another version (migration {migration}); "
            "start this version of blogapi once with this database, which upgrades it."
        )


@contextmanager
def _delete_target_on_failure(target: Engine) -> Iterator[None]:
    """Delete the SQLite file of the target if the copy created it and then failed."""
    path = Path(str(target.url.database)) if target.dialect.name == "sqlite" else None
    is_new = path is not None and not path.exists()
    try:
        connections.configure_connections(target)
        yield
    except BaseException:
        target.dispose()
        if path is not None and is_new:
            for file in (path, *files.get_side_files(path)):
                file.unlink(missing_ok=True)
        raise


@contextmanager
def _begin_transaction(engine: Engine, **options: Any) -> Iterator[Connection]:
    with engine.execution_options(**options).begin() as connection:
        connections.disable_timeouts(connection)
        yield connection


def _refuse_nonempty_target(target: Connection) -> None:
    tables = [table for table in _list_tables() if table.name not in _PREFILLED_TABLES]
    filled = [table.name for table in tables if _count_rows(target, table)]
    if filled:
        raise Conflict(f"The target is not empty ({', '.join(filled)}); name an empty database.")


def _count_rows(connection: Connection, table: FromClause) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _copy_tables(source: Connection, target: Connection, sums: dict[str, Checksum]) -> Iterator[None]:
    """Copy and compare all tables and the search index; yield None for each copied or compared row."""
    for table in _list_tables():
        if table.name in _PREFILLED_TABLES:
            target.execute(delete(table))
        yield from _copy_table(source, target, table, sums)
    yield from _copy_search_index(source, target, sums)


def _copy_table(
    source: Connection, target: Connection, table: Table, sums: dict[str, Checksum]
) -> Iterator[None]:
    def store_rows(rows: list[Row[*tuple[Any, ...]]]) -> None:
        target.execute(insert(table), [dict(row._mapping) for row in rows])

    keys = [bytewise(key) if isinstance(key.type, String) else key for key in table.primary_key]
    statement = select(table).order_by(*keys)
    copied, stored = _RowReader(store_rows), _RowReader()
    yield from copied.read_rows(source, statement)
    yield from stored.read_rows(target, statement)
    if copied.get_checksum() != stored.get_checksum():
        raise _make_difference_error(table.name)
    sums[table.name] = stored.get_checksum()


def _copy_search_index(source: Connection, target: Connection, sums: dict[str, Checksum]) -> Iterator[None]:
    """Fill the search index of the target with the words of the copied articles."""

    def store_entries(entries: list[Row[*tuple[Any, ...]]]) -> None:
        try:
            texts = search_texts.read_search_texts(source, [entry.article_id for entry in entries])
            rows = [
                SearchText(entry.article_id, entry.listed_from, *texts[entry.article_id]) for entry in entries
            ]
        except (DatabaseError, KeyError) as error:
            if not isinstance(error, KeyError) and not is_damage_error(error):
                raise
            raise Conflict(
                "An article of the source is damaged; run `doctor --repair` on the source first."
            ) from None
        engines.store_words(target, rows)
        if len(engines.find_up_to_date_articles(target, rows)) != len(rows):
            raise _make_difference_error(_SEARCH_INDEX)

    copied = _RowReader(store_entries)
    yield from copied.read_rows(source, select(SearchEntry.__table__).order_by(SearchEntry.number))
    sums[_SEARCH_INDEX] = copied.get_checksum()


@dataclass(frozen=True, slots=True)
class Checksum:
    """The number of rows of a table, and the SHA-256 of its rows in primary key order."""

    rows: int
    sha256: str


class _RowReader:
    """Reads rows in batches, computes their number and digest, and passes each batch to `store`."""

    def __init__(self, store: Callable[[list[Row[*tuple[Any, ...]]]], None] = lambda rows: None) -> None:
        self.rows = 0
        self._store, self._digest = store, hashlib.sha256()

    def read_rows(self, connection: Connection, statement: Select[*tuple[Any, ...]]) -> Iterator[None]:
        """Read the rows of the statement, store them in batches, and yield None for each stored row."""
        with connection.execute(statement, execution_options={"yield_per": _ROWS_PER_BATCH}) as result:
            for batch in result.partitions():
                rows = list(batch)
                for row in rows:
                    self._digest.update(_serialize_row(row))
                self._store(rows)
                for _ in rows:
                    self.rows += 1
                    yield

    def get_checksum(self) -> Checksum:
        """Return the number and the digest of the rows read so far."""
        return Checksum(self.rows, self._digest.hexdigest())


def _make_difference_error(name: str) -> Conflict:
    return Conflict(f"The copy of {name} differs from the source; the target was rolled back.")


def _serialize_row(row: Iterable[Any]) -> bytes:
    """Return the values of a row as a line of JSON; equal rows of different engines have equal lines."""
    return json.dumps([*row], default=_to_json_value).encode() + b"\n"


def _to_json_value(value: Any) -> dict[str, str]:
    if isinstance(value, datetime):
        return {"time": value.isoformat(timespec="microseconds")}
    return {"uuid": value.hex} if isinstance(value, UUID) else {"bytes": value.hex()}
