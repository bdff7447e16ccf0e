"""JSON that is made when something is written, so that a read only copies it.

The fields of a row are kept as lines, `"name":value` each, in the order of the schema that made them: JSON
without indentation has no line feed of its own. A read picks lines and joins them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

import marshmallow as ma
from sqlalchemy import event as events
from sqlalchemy import update
from sqlalchemy.orm import Mapped, Session, mapped_column

from blogapi.storage.database import Timestamped, db
from blogapi.web import json as web_json
from blogapi.web.json import JsonBody

Shape = TypeVar("Shape", bound=type[ma.Schema])

_SHAPES: dict[type[Any], ma.Schema] = {}


class StoresJson(Timestamped):
    """A row that carries its own fields as lines, made by the schema that `renders` it."""

    pieces: Mapped[str] = mapped_column(deferred=True, default="", server_default="", sort_order=1)


def stored_for(model: type[StoresJson]) -> Callable[[Shape], Shape]:
    """Declare the schema whose fields the rows of the model carry."""

    def declare(shape: Shape) -> Shape:
        _SHAPES[model] = shape()
        return shape

    return declare


def init_app() -> None:
    """Listen to every flush of the session."""
    if not events.contains(db.session, "after_flush", _render):
        events.listen(db.session, "after_flush", _render)


def stored_models() -> Sequence[type[Any]]:
    """Return the models whose rows carry their fields."""
    return tuple(_SHAPES)


def render_fragments(row: Any) -> str:
    """Return the lines that the row should carry."""
    return to_fragments(_SHAPES[type(row)].dump(row))


def store_fragments(session: Session, row: Any) -> None:
    """Give the row its lines; nothing else of it changes."""
    model = type(row)
    session.execute(
        update(model)
        .where(model.uuid == row.uuid)
        # Named, or its own default would date the row anew.
        .values(pieces=render_fragments(row), last_updated=row.last_updated)
        .execution_options(synchronize_session=False)
    )


def to_fragments(shown: dict[str, Any]) -> str:
    """Return the fields as lines of JSON."""
    return "\n".join(f"{web_json.to_json(name)}:{web_json.to_json(value)}" for name, value in shown.items())


def to_object(carried: str) -> str:
    """Return the object of all lines."""
    return "{" + carried.replace("\n", ",") + "}"


def select_fields(model: type[StoresJson], carried: str, names: Container[str]) -> str:
    """Return the object of the lines of these names."""
    found = zip(_SHAPES[model].fields, carried.split("\n"), strict=True)
    return "{" + ",".join(line for name, line in found if name in names) + "}"


def to_array(objects: Iterable[str]) -> bytes:
    """Return the JSON array of the objects."""
    return f"[{','.join(objects)}]".encode()


def add_member(whole: str, name: str, value: JsonBody, *, beside: str) -> JsonBody:
    """Return the object with one more member, at its end."""
    before = f"{whole[:-1]}{',' if len(whole) > 2 else ''}{web_json.to_json(name)}:".encode()
    beside = f"{beside} {value.beside}"
    if isinstance(value.body, bytes):
        return JsonBody(before + value.body + b"}", beside)
    return JsonBody(chain([before], value.body, [b"}"]), beside, f"{whole} {value.state}")


def _render(session: Session, context: Any) -> None:
    for row in (*session.new, *session.dirty):
        if type(row) in _SHAPES and (row in session.new or session.is_modified(row)):
            store_fragments(session, row)
