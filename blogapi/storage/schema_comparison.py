"""Comparison of the schema of a database with the models.

The tables of the models are created in a temporary schema of the same engine (a database in memory on SQLite,
temporary tables on PostgreSQL). The engine then describes both schemas: columns, constraints, indexes,
triggers, views and the search index.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, create_engine, text

# Maps each object, by its kind and name such as "table tag", to its definitions.
DatabaseSchema = dict[str, list[str]]

_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""")
_QUOTED_NAME = re.compile(r'"(\w+)"')
# A foreign key that was added together with its column.
_COLUMN_WITH_FOREIGN_KEY = re.compile(r"(\w+) (.+) (CONSTRAINT \w+) (REFERENCES .+)", re.DOTALL)
# When Alembic copies a table, it puts the defaults of the columns in parentheses.
_DEFAULT = re.compile(r"DEFAULT \( ('(?:[^']|'')*'|\w+) \)")
# After `pg_restore`, PostgreSQL describes a condition such as `status IN ('draft', 'archived')` with casts of
# the values instead of a cast of the array.
_CAST_ARRAY = re.compile(r"\((ARRAY\[[^]]*\])\)::text\[\]|(ARRAY\[[^]]*\])::text\[\]")
_CAST_VALUE = re.compile(
    r"\(('(?:[^']|'')*'::character varying)\)::text|('(?:[^']|'')*'::character varying)::text"
)

# Indexes without SQL belong to constraints. The excluded tables are created by ANALYZE, AUTOINCREMENT and
# Litestream.
_SQLITE_OBJECTS = (
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN "
    "('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4', '_litestream_lock', '_litestream_seq')"
)

# The query omits the objects of extensions. The query also omits NOT NULL constraints (contype n): the server
# chooses their names, and the definitions of the columns already include them.
_POSTGRESQL_OBJECTS = """
WITH relation AS (
  SELECT c.oid, c.relkind, c.relname FROM pg_class c
  WHERE c.relnamespace = to_regnamespace(:schema) AND NOT EXISTS (
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


def find_differences(connection: Connection, models: MetaData) -> list[str]:
    """Return a sentence without a full stop for each difference between the database and the models.

    Ignores the order of the columns in a table. Changes nothing.
    """
    if connection.dialect.name == "sqlite":
        return _compare_schemas(_read_sqlite(connection), _read_models_on_sqlite(models))
    return _compare_schemas(_read_postgresql(connection), _read_models_on_postgresql(connection, models))


def _compare_schemas(actual: DatabaseSchema, expected: DatabaseSchema) -> list[str]:
    sentences = [f"{name} is missing" for name in sorted(expected.keys() - actual.keys())]
    sentences += [f"{name} is unknown" for name in sorted(actual.keys() - expected.keys())]
    for name in sorted(actual.keys() & expected.keys()):
        actual_items, expected_items = Counter(actual[name]), Counter(expected[name])
        sentences += [f"{name} lacks: {item}" for item in (expected_items - actual_items).elements()]
        sentences += [f"{name} also has: {item}" for item in (actual_items - expected_items).elements()]
    return sentences


def _create_tables(connection: Connection, models: MetaData) -> None:
    models.create_all(connection, checkfirst=False)
    # Alembic creates this table in the real database, so the expected schema needs it too.
    version = Column("version_num", String(32), nullable=False)
    key = PrimaryKeyConstraint("version_num", name="alembic_version_pkc")
    Table("alembic_version", MetaData(), version, key).create(connection)


def _read_models_on_sqlite(models: MetaData) -> DatabaseSchema:
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            _create_tables(connection, models)
            return _read_sqlite(connection)
    finally:
        engine.dispose()


def _read_sqlite(connection: Connection) -> DatabaseSchema:
    rows = connection.exec_driver_sql(_SQLITE_OBJECTS)
    return {f"{kind} {name}": _split_definitions(sql) for kind, name, sql in rows}


def _split_definitions(sql: str) -> list[str]:
    """Split a CREATE TABLE statement into columns and constraints; return other statements as one item."""
    tokens = [_QUOTED_NAME.sub(r"\1", token) for token in _TOKEN.findall(sql)]
    if tokens[:2] != ["CREATE", "TABLE"]:
        return [" ".join(tokens)]
    definitions: list[list[str]] = [[]]
    depth = 0
    for part in tokens:
        depth += (part == "(") - (part == ")")
        # These tokens begin, separate and end the definitions.
        if (part, depth) in {("(", 1), (",", 1), (")", 0)}:
            definitions.append([])
        else:
            definitions[-1].append(part)
    items = [_DEFAULT.sub(r"DEFAULT \1", " ".join(definition)) for definition in definitions if definition]
    return [part for definition in items for part in _split_foreign_key(definition)]


def _split_foreign_key(definition: str) -> list[str]:
    """Split the definition of a column with a foreign key into column and key; return others as one item."""
    match = _COLUMN_WITH_FOREIGN_KEY.fullmatch(definition)
    if match is None or match[1] == "CONSTRAINT":
        return [definition]
    column, type, name, reference = match.groups()
    return [f"{column} {type}", f"{name} FOREIGN KEY ( {column} ) {reference}"]


def _read_postgresql(connection: Connection) -> DatabaseSchema:
    current = str(connection.scalar(text("SELECT quote_ident(current_schema())")))
    schema: DatabaseSchema = defaultdict(list)
    for kind, name, definition in connection.execute(text(_POSTGRESQL_OBJECTS), {"schema": current}):
        definition = _CAST_VALUE.sub(r"\1\2", _CAST_ARRAY.sub(r"\1\2", " ".join(definition.split())))
        schema[f"{_POSTGRESQL_KINDS.get(kind, kind)} {name}"].append(definition)
    return schema


def _read_models_on_postgresql(connection: Connection, models: MetaData) -> DatabaseSchema:
    # The temporary tables would hide the real tables, so they are rolled back immediately. The functions of
    # triggers are still found in the real schema, as PostgreSQL never looks for functions in `pg_temp`.
    current = connection.scalar(text("SELECT quote_ident(current_schema())"))
    transaction = connection.begin_nested()
    try:
        connection.exec_driver_sql(f"SET LOCAL search_path TO pg_temp, {current}")
        _create_tables(connection, models)
        return _read_postgresql(connection)
    finally:
        transaction.rollback()
