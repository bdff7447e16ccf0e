"""Stored JSON: a row is serialized when it is written and stores its JSON, so that reads do not serialize.

`blogapi.content.dependencies` sets the schemas that serialize the rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import marshmallow as ma
from flask import Flask
from sqlalchemy import LargeBinary, bindparam, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Mapped, Session, mapped_column
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from blogapi.config import AppState, CannotStart
from blogapi.storage.database import Base, Timestamped, batch_uuids, db, table_of, transaction
from blogapi.web import json as web_json

# The schemas that serialize the rows, by model.
_SCHEMAS = AppState[Mapping[type[Any], ma.Schema]]("stored-json")


class StoresJson(Timestamped):
    """Mixin for models whose rows store their JSON."""

    # The column is binary, because each read would decode and encode a text column.
    json: Mapped[bytes] = mapped_column(
        LargeBinary, deferred=True, default=b"", server_default="", sort_order=1
    )


class utf8(FunctionElement[bytes]):  # noqa: N801, as SQLAlchemy writes its functions
    """The UTF-8 bytes of a text."""

    inherit_cache = True
    type = LargeBinary()


@compiles(utf8)
def _compile_utf8(element: utf8, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **options)} AS BLOB)"


@compiles(utf8, "postgresql")
def _compile_utf8_postgresql(element: utf8, compiler: SQLCompiler, **options: Any) -> str:
    return f"convert_to({compiler.process(element.clauses, **options)}, 'UTF8')"


class json_items(FunctionElement[bytes]):  # noqa: N801
    """The aggregate that joins the JSON of all rows, in their order, with commas."""

    inherit_cache = True
    type = LargeBinary()


@compiles(json_items)
def _compile_items(element: json_items, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST(coalesce(group_concat({compiler.process(element.clauses, **options)}), '') AS BLOB)"


@compiles(json_items, "postgresql")
def _compile_items_postgresql(element: json_items, compiler: SQLCompiler, **options: Any) -> str:
    return f"coalesce(string_agg({compiler.process(element.clauses, **options)}, ','::bytea), '')"


def init_app(app: Flask, *, schemas: Mapping[type[StoresJson], type[ma.Schema]]) -> None:
    """Set the schemas that serialize the rows of each model; raises CannotStart if a model has none."""
    for mapper in Base.registry.mappers:
        if issubclass(mapper.class_, StoresJson) and mapper.class_ not in schemas:
            name = mapper.class_.__name__
            raise CannotStart(
                f"The rows of {name} store JSON; add its schema to blogapi/content/dependencies.py."
            )
    _SCHEMAS.set(app, {model: schema() for model, schema in schemas.items()})


def stored_models() -> Sequence[type[Any]]:
    """Return the models whose rows store JSON."""
    return tuple(_SCHEMAS.get())


def render_json(row: Any) -> bytes:
    """Return the row as JSON, serialized from its current columns."""
    return web_json.to_json_bytes(_SCHEMAS.get()[type(row)].dump(row))


def store_json(session: Session, *rows: Any) -> None:
    """Store the JSON of the rows; no other column changes."""
    values = defaultdict[type[Any], list[dict[str, Any]]](list)
    for row in rows:
        # `last_updated` is set explicitly because `onupdate` would change it otherwise.
        changes = {"new_json": render_json(row), "old_time": row.last_updated}
        values[type(row)].append({"key": row.uuid, **changes})
    for model, changed in values.items():
        table = table_of(model)
        statement = update(table).where(table.c.uuid == bindparam("key"))
        statement = statement.values(json=bindparam("new_json"), last_updated=bindparam("old_time"))
        session.connection().execute(statement, changed)


def store_all(batch_size: int) -> None:
    """Store the JSON of all rows again, in one transaction for each `batch_size` rows."""
    for model in stored_models():
        for uuids in batch_uuids(model, batch_size):
            with transaction():
                store_json(db.session(), *db.session.scalars(select(model).where(model.uuid.in_(uuids))))
            db.session.expunge_all()
