"""Copying a whole blog into an empty database: all of it, proven equal, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    String,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)

from blogapi.cli import ProgressReporter, no_progress
from blogapi.db_copy import row_digest
from blogapi.db_copy.row_digest import TableSum
from blogapi.search import engines
from blogapi.search.models import SearchEntry
from blogapi.storage import connections, files, upgrades
from blogapi.storage.database import Base, CommitCounter, bytewise
from blogapi.web.errors import Conflict, NotFound

# Rows that are held in memory at a time; of articles, each can be megabytes.
_AT_ONCE = 100

# Rows that the schema itself brings along; of the last, each database keeps a count of its own.
_WITH_THE_SCHEMA = ("change_counter", "article_tally", CommitCounter.__tablename__)
_INDEX = "search_index"


def copy(
    source: Engine, target: Engine, *, backups: Path, watch: ProgressReporter = no_progress
) -> dict[str, TableSum]:
    """Copy all that the source holds into the target, in one transaction of each; return what was copied.

    The search index is made anew, as each engine has its own. What was stored is read back and compared
    before it stays. Raises NotFound where the source is no blog of this version, Conflict where the target
    holds content or does not hold what was copied; then nothing is left of it.
    """
    _refuse_older(source)
    with _gone_if_it_fails(target):
        upgrades.upgrade(target, Base.metadata, backups=backups)
        with _reading(source) as given, _writing(target) as taken:
            _refuse_content(taken)
            total = sum(_rows(given, one) for one in (*_tables(), SearchEntry.__table__))
            copied: dict[str, TableSum] = {}
            for name, count in watch(_copied(given, taken, copied), total=2 * total, label="Copying"):
                del name, count
            taken.execute(update(CommitCounter).values(commits=CommitCounter.commits + 1))
    return copied


def _tables() -> list[Table]:
    """Return the tables whose rows move, each after those that it refers to."""
    return [one for one in Base.metadata.sorted_tables if one.name != CommitCounter.__tablename__]


def _refuse_older(source: Engine) -> None:
    path = source.url.database
    if source.dialect.name == "sqlite" and not (path and Path(path).is_file()):
        raise NotFound(f"The file {path} is not there.")
    migration = upgrades.current_migration(source)
    if migration is None:
        raise NotFound(f"{source.url!r} holds no blog.")
    if migration != upgrades.list_migrations()[-1]:
        raise NotFound(
            f"{source.url!r} is of another version (migration {migration}); start this version on it once."
        )


@contextmanager
def _gone_if_it_fails(target: Engine) -> Iterator[None]:
    """Take a file away again that was made for the copy, where that fails."""
    path = Path(str(target.url.database)) if target.dialect.name == "sqlite" else None
    made = path is not None and not path.exists()
    try:
        connections.configure_connections(target)
        yield
    except BaseException:
        target.dispose()
        if path is not None and made:
            for file in (path, *files.side_files(path)):
                file.unlink(missing_ok=True)
        raise


@contextmanager
def _reading(engine: Engine) -> Iterator[Connection]:
    """Yield a connection that sees one state of the database, however long it takes."""
    connections.configure_connections(engine)
    with engine.begin() as connection:
        _be_patient(connection)
        yield connection


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    options = connections.write_options(engine, connections.BUSY_SECONDS)
    with engine.execution_options(**options).begin() as connection:
        _be_patient(connection)
        yield connection


def _be_patient(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")


def _refuse_content(target: Connection) -> None:
    full = [one.name for one in _tables() if one.name not in _WITH_THE_SCHEMA and _rows(target, one)]
    if full:
        raise Conflict(f"The target holds content already ({', '.join(full)}); name an empty database.")


def _rows(connection: Connection, of: Any) -> int:
    return connection.scalar(select(func.count()).select_from(of)) or 0


def _copied(source: Connection, target: Connection, sums: dict[str, TableSum]) -> Iterator[tuple[str, int]]:
    """Copy table by table and compare; yields once for each row that was copied or read back."""
    for one in _tables():
        if one.name in _WITH_THE_SCHEMA:
            target.execute(delete(one))
        yield from _moved(source, target, one, sums)
    yield from _indexed(source, target, sums)


def _moved(
    source: Connection, target: Connection, of: Table, sums: dict[str, TableSum]
) -> Iterator[tuple[str, int]]:
    def take(rows: list[Any]) -> None:
        target.execute(insert(of), [dict(row._mapping) for row in rows])

    statement = _in_order(of)
    given, there = _Counting(take), _Counting()
    yield from given.through(source, statement, of.name)
    yield from there.through(target, statement, of.name)
    sums[of.name] = _same(of.name, given, there)


def _in_order(of: Table) -> Select[*tuple[Any, ...]]:
    keys = [bytewise(one) if isinstance(one.type, String) else one for one in of.primary_key]
    return select(of).order_by(*keys)


def _indexed(source: Connection, target: Connection, sums: dict[str, TableSum]) -> Iterator[tuple[str, int]]:
    """Make the index of the target from what the source has put into its own."""
    engine = engines.get_engine(target)

    def take(rows: list[Any]) -> None:
        target.execute(insert(engine.table), [engine.row(*row) for row in rows])

    given, there = _Counting(take), _Counting()
    yield from given.through(source, _entries(source), _INDEX)
    yield from there.through(target, _entries(target), _INDEX)
    if given.rows != sums[SearchEntry.__tablename__].rows:
        raise Conflict("The search index of the source is damaged; let `doctor --mend` make it anew first.")
    sums[_INDEX] = _same(_INDEX, given, there)


def _entries(connection: Connection) -> Select[*tuple[Any, ...]]:
    engine = engines.get_engine(connection)
    texts = (engine.table.c[name] for name in ("title", "subtitle", "text"))
    return select(engine.number, *texts).order_by(engine.number)


class _Counting:
    """Rows on their way: counted, summed up, and taken in portions."""

    def __init__(self, take: Callable[[list[Any]], None] = lambda rows: None) -> None:
        self.rows = 0
        self._take, self._digest = take, hashlib.sha256()

    def through(
        self, connection: Connection, statement: Select[*tuple[Any, ...]], name: str
    ) -> Iterator[tuple[str, int]]:
        """Read the rows of the statement, yielding for each when it was taken."""
        with connection.execute(statement, execution_options={"yield_per": _AT_ONCE}) as result:
            for portion in result.partitions():
                rows = list(portion)
                for row in rows:
                    self._digest.update(row_digest.serialize_row(row))
                self._take(rows)
                for _ in rows:
                    self.rows += 1
                    yield name, self.rows

    def sum(self) -> TableSum:
        """Return what went through."""
        return TableSum(self.rows, self._digest.hexdigest())


def _same(name: str, given: _Counting, there: _Counting) -> TableSum:
    if given.sum() != there.sum():
        raise Conflict(f"The target does not hold what was copied into {name}; nothing was kept.")
    return there.sum()
