"""What differs between the schema of a database and the one that the models describe.

The models are created in an empty place of the same engine (a database in memory on SQLite, temporary tables
on PostgreSQL), and the engine describes both: columns, constraints, indexes, triggers, views, search index.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, create_engine, text

# The definitions of each object, by its kind and name.
Schema = dict[str, list[str]]

_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""")
_QUOTED_NAME = re.compile(r'"(\w+)"')

# Indexes without a text belong to constraints; ANALYZE and AUTOINCREMENT make tables of their own.
_SQLITE_OBJECTS = (
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL "
    "AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')"
)

# Objects of extensions are their own matter. The names of NOT NULL constraints (contype n) are chosen by the
# server, and the columns tell of them.
_POSTGRESQL_OBJECTS = """
WITH relation AS (
  SELECT c.oid, c.relkind, c.relname FROM pg_class c
  WHERE c.relnamespace = to_regnamespace(:place) AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
)
SELECT relkind::text, relname, '' FROM relation WHERE relkind NOT IN ('i', 'I', 't')
UNION ALL
SELECT 'r', relname, concat(quote_ident(attname), ' ', format_type(atttypid, atttypmod),
  CASE WHEN attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(adbin, adrelid),
  ' IDENTITY ' || nullif(attidentity::text, ''), ' GENERATED ' || nullif(attgenerated::text, ''))
FROM relation JOIN pg_attribute ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = relation.oid AND adnum = attnum WHERE relkind IN ('r', 'p')
UNION ALL
SELECT 'r', relname, concat('CONSTRAINT ', quote_ident(conname), ' ', pg_get_constraintdef(pg_constraint.oid))
FROM relation JOIN pg_constraint ON conrelid = relation.oid WHERE contype <> 'n'
UNION ALL
SELECT 'i', relname, pg_get_indexdef(oid, 0, true) FROM relation WHERE relkind IN ('i', 'I')
UNION ALL
SELECT 'trigger', tgname, pg_get_triggerdef(pg_trigger.oid, true)
FROM relation JOIN pg_trigger ON tgrelid = relation.oid WHERE NOT tgisinternal
UNION ALL
SELECT relkind::text, relname, pg_get_viewdef(oid, true) FROM relation WHERE relkind IN ('v', 'm')
"""
_POSTGRESQL_KINDS = {"r": "table", "i": "index", "v": "view", "S": "sequence"}


def differences(connection: Connection, models: MetaData) -> list[str]:
    """Return a sentence without its full stop for each difference; nothing where the schemas are equal.

    The order of a table's columns does not count. Changes nothing.
    """
    if connection.dialect.name == "sqlite":
        return _told(_on_sqlite(connection), _modelled_on_sqlite(models))
    return _told(_on_postgresql(connection), _modelled_on_postgresql(connection, models))


def _told(found: Schema, wanted: Schema) -> list[str]:
    told = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
    told += [f"{name} is unknown" for name in sorted(found.keys() - wanted.keys())]
    for name in sorted(found.keys() & wanted.keys()):
        there, right = Counter(found[name]), Counter(wanted[name])
        told += [f"{name} lacks: {one}" for one in (right - there).elements()]
        told += [f"{name} has beside: {one}" for one in (there - right).elements()]
    return told


def _create(connection: Connection, models: MetaData) -> None:
    models.create_all(connection, checkfirst=False)
    # As Alembic makes it.
    version = Column("version_num", String(32), nullable=False)
    key = PrimaryKeyConstraint("version_num", name="alembic_version_pkc")
    Table("alembic_version", MetaData(), version, key).create(connection)


def _modelled_on_sqlite(models: MetaData) -> Schema:
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            _create(connection, models)
            return _on_sqlite(connection)
    finally:
        engine.dispose()


def _on_sqlite(connection: Connection) -> Schema:
    rows = connection.exec_driver_sql(_SQLITE_OBJECTS)
    return {f"{kind} {name}": _definitions(sql) for kind, name, sql in rows}


def _definitions(sql: str) -> list[str]:
    """Return the columns and constraints of a CREATE TABLE, in no order; any other statement as a whole."""
    tokens = [_QUOTED_NAME.sub(r"\1", token) for token in _TOKEN.findall(sql)]
    if tokens[:2] != ["CREATE", "TABLE"]:
        return [" ".join(tokens)]
    parts: list[list[str]] = [[]]
    depth = 0
    for sign in tokens:
        depth += (sign == "(") - (sign == ")")
        # The list of definitions begins, goes on or ends.
        if (sign, depth) in {("(", 1), (",", 1), (")", 0)}:
            parts.append([])
        else:
            parts[-1].append(sign)
    return [" ".join(part) for part in parts if part]


def _on_postgresql(connection: Connection, place: str = "") -> Schema:
    place = place or str(connection.scalar(text("SELECT quote_ident(current_schema())")))
    schema: Schema = defaultdict(list)
    for kind, name, definition in connection.execute(text(_POSTGRESQL_OBJECTS), {"place": place}):
        schema[f"{_POSTGRESQL_KINDS.get(kind, kind)} {name}"].append(" ".join(definition.split()))
    return schema


def _modelled_on_postgresql(connection: Connection, models: MetaData) -> Schema:
    # Taken back at once. While they are there, their names hide those of the tables themselves.
    transaction = connection.begin_nested()
    try:
        connection.exec_driver_sql("SET LOCAL search_path TO pg_temp")
        _create(connection, models)
        return _on_postgresql(connection)
    finally:
        transaction.rollback()
