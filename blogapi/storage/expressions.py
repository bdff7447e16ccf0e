"""SQL expressions that the engines compile in different ways."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sqlalchemy import ColumnElement, Table
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class unindexed(FunctionElement[Any]):  # noqa: N801, as SQLAlchemy writes its functions
    """An expression for which SQLite uses no index; other engines choose between indexes by statistics."""

    inherit_cache = True

    def __init__(self, expression: ColumnElement[Any]) -> None:
        super().__init__(expression)
        self.type = expression.type


@compiles(unindexed)
def _compile_plain(element: unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(unindexed, "sqlite")
def _compile_sqlite(element: unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


def insert_or_update(dialect: str, table: Table) -> Any:
    """Return an INSERT of the dialect, which has the method `on_conflict_do_update`."""
    # Each dialect is imported where it is used: PostgreSQL's needs 2 MB of memory.
    return import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
