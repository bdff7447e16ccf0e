"""JSON fragments: each row stores its fields as JSON when it is written, so that a read only joins strings.

A row stores one line per field, `"name":value`, in the order of its schema. Compact JSON contains no line
feed, so a read can select fields by line.

An address of a file of the media library is stored without the address of the service. A read replaces the
byte SERVICE_ADDRESS in front of the address, so that the fragments do not change with the site.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import chain
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import marshmallow as ma
from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column, selectinload

from blogapi.storage.database import Timestamped, db, table_of, transaction
from blogapi.web import json as web_json
from blogapi.web.json import JsonBody

SchemaClass = TypeVar("SchemaClass", bound=type[ma.Schema])

# The character that stands for the public address of the service in stored JSON. It is not escaped there, and
# other JSON contains no control character, so it is unambiguous.
SERVICE_ADDRESS = "\x1e"
# Stands for the same in a text that is not JSON yet. Such a text, for example HTML, can contain any
# character, but authors cannot guess this mark.
SERVICE_ADDRESS_MARK = secrets.token_hex(16)

_SCHEMAS: dict[type[Any], ma.Schema] = {}


class StoresJson(Timestamped):
    """A model whose rows store their JSON fragments, serialized by the schema declared with `stored_for`."""

    # The relationships whose rows the schema shows.
    shown_relationships: ClassVar[tuple[str, ...]] = ()

    json_fragments: Mapped[str] = mapped_column(
        "pieces", deferred=True, default="", server_default="", sort_order=1
    )


def stored_for(model: type[StoresJson]) -> Callable[[SchemaClass], SchemaClass]:
    """Declare the schema that serializes the fragments of the model's rows."""

    def declare(schema: SchemaClass) -> SchemaClass:
        _SCHEMAS[model] = schema()
        return schema

    return declare


def stored_models() -> Sequence[type[Any]]:
    """Return the models whose rows store fragments."""
    return tuple(_SCHEMAS)


def render_fragments(row: Any) -> str:
    """Return the fragments of the row as its schema serializes them now."""
    return to_fragments(_SCHEMAS[type(row)].dump(row))


def store_fragments(session: Session, *rows: Any) -> None:
    """Store the fragments of the rows; no other column changes."""
    values = defaultdict[type[Any], list[dict[str, Any]]](list)
    for row in rows:
        # `last_updated` is set explicitly because `onupdate` would change it otherwise.
        changes = {"new_pieces": render_fragments(row), "old_time": row.last_updated}
        values[type(row)].append({"key": row.uuid, **changes})
    for model, changed in values.items():
        table = table_of(model)
        statement = update(table).where(table.c.uuid == bindparam("key"))
        statement = statement.values(pieces=bindparam("new_pieces"), last_updated=bindparam("old_time"))
        session.connection().execute(statement, changed)


def store_all(batch_size: int) -> None:
    """Store the fragments of all rows again, in one transaction for each `batch_size` rows."""
    for model in stored_models():
        loaded = [selectinload(getattr(model, name)) for name in model.shown_relationships]
        statement = select(model).order_by(model.uuid).limit(batch_size).options(*loaded)
        last: UUID | None = UUID(int=0)
        while last is not None:
            with transaction():
                rows = db.session.scalars(statement.where(model.uuid > last)).all()
                store_fragments(db.session(), *rows)
            db.session.expunge_all()
            last = rows[-1].uuid if len(rows) == batch_size else None


def to_fragments(fields: dict[str, Any]) -> str:
    """Return the fields as fragments: one line each, `"name":value`."""
    lines = (f"{web_json.to_json(name)}:{web_json.to_json(value)}" for name, value in fields.items())
    return mark_service_address("\n".join(lines))


def mark_service_address(text: str) -> str:
    """Return JSON with SERVICE_ADDRESS in the places of SERVICE_ADDRESS_MARK."""
    return text.replace(SERVICE_ADDRESS_MARK, SERVICE_ADDRESS)


def place_service_address(body: bytes, address: str) -> bytes:
    """Return stored JSON with the public address of the service, which may be empty, in its places."""
    return body.replace(SERVICE_ADDRESS.encode(), address.encode())


def parse_fragments(fragments: str) -> dict[str, Any]:
    """Return the fields of fragments by name; the addresses of files begin with `/media/`."""
    fields: dict[str, Any] = parse_json(to_object(fragments))
    return fields


def parse_json(text: str) -> Any:
    """Return the value of JSON that was made of fragments; the addresses of files begin with `/media/`."""
    return json.loads(text.replace(SERVICE_ADDRESS, ""))


def to_object(fragments: str) -> str:
    """Return the JSON object of all fragments."""
    return "{" + fragments.replace("\n", ",") + "}"


def select_fields(model: type[StoresJson], fragments: str, names: Container[str]) -> str:
    """Return a JSON object with only the named fields."""
    lines = zip(_SCHEMAS[model].fields, fragments.split("\n"), strict=True)
    return "{" + ",".join(line for name, line in lines if name in names) + "}"


def to_array(objects: Iterable[str]) -> bytes:
    """Return a JSON array of the objects."""
    return f"[{','.join(objects)}]".encode()


def append_member(json_object: str, name: str, value: str) -> str:
    """Return the JSON object with another member, whose value is JSON too, at its end."""
    separator = "," if len(json_object) > 2 else ""
    return f"{json_object[:-1]}{separator}{web_json.to_json(name)}:{value}}}"


def add_member(json_object: str, name: str, value: JsonBody, *, item_state: str) -> JsonBody:
    """Return the JSON object with another member, such as a long list, at its end.

    `item_state` is the state of the item that the object shows, without the other member.
    """
    start = append_member(json_object, name, "")[:-1].encode()
    body = start + value.body + b"}" if isinstance(value.body, bytes) else chain([start], value.body, [b"}"])
    return JsonBody(body, value.hidden_state, f"{json_object} {value.state}", item_state)
