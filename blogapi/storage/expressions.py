"""SQL expressions whose text differs between SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Insert, TableClause
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class unindexed(FunctionElement[Any]):  # noqa: N801, as SQLAlchemy writes its functions
    """An expression for which SQLite uses no index; on other engines, the query planner decides."""

    inherit_cache = True

    def __init__(self, expression: ColumnElement[Any]) -> None:
        super().__init__(expression)
        self.type = expression.type


@compiles(unindexed)
def _compile_unindexed(element: unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(unindexed, "sqlite")
def _compile_unindexed_on_sqlite(element: unindexed, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"


class has_json_value(FunctionElement[bool]):  # noqa: N801
    """Whether a member of a JSON object is, or with `is_list` contains, one of the given values.

    The arguments are the object (as JSON text), the name of the member, the values (as the text of a JSON
    array), and `is_list`, which is whether the member is a list.
    """

    inherit_cache = True
    type = Boolean()


@compiles(has_json_value)
def _compile_has_json_value(element: has_json_value, compiler: SQLCompiler, **options: Any) -> str:
    document, name, values, is_list = (compiler.process(clause, **options) for clause in element.clauses)
    member = f"(CAST({document} AS jsonb) -> {name})"
    wanted = f"ARRAY(SELECT jsonb_array_elements(CAST({values} AS jsonb)))"
    return f"((jsonb_typeof({member}) = 'array') = {is_list} AND {member} @> ANY ({wanted}))"


@compiles(has_json_value, "sqlite")
def _compile_has_json_value_on_sqlite(element: has_json_value, compiler: SQLCompiler, **options: Any) -> str:
    document, name, values, is_list = (compiler.process(clause, **options) for clause in element.clauses)
    member = f"{document}, '$.' || {name}"
    # SQLite returns true as 1, so the type distinguishes true from the number 1.
    value = "value, type IN ('true', 'false')"
    wanted = f"SELECT {value} FROM json_each({values})"  # noqa: S608, its parts are compiled expressions
    found = f"SELECT 1 FROM json_each({member}) WHERE ({value}) IN ({wanted})"  # noqa: S608
    return f"((json_type({member}) = 'array') = {is_list} AND EXISTS ({found}))"


def make_upsert_statement(
    dialect: str, table: TableClause, *names: str, key: Sequence[ColumnElement[Any]] = ()
) -> Insert:
    """Return an INSERT that updates the columns `names` if a row with the key exists already.

    `key` contains the columns of a unique constraint; without it, the key is the primary key.
    """
    # Only the dialect in use is imported, because PostgreSQL's dialect needs 2 MB of memory.
    statement = import_module(f"sqlalchemy.dialects.{dialect}").insert(table)
    updated: Insert = statement.on_conflict_do_update(
        index_elements=list(key or table.primary_key),
        set_={name: statement.excluded[name] for name in names},
    )
    return updated
