"""Read-only fields in the body of a PATCH; their values must be equal to the stored values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi.parsing import parse_timestamp, parse_uuid
from blogapi.web.errors import Errors, NotFound
from blogapi.web.fields import InputSchema
from blogapi.web.json import JsonBody

# A function that returns the named fields of an item as a GET shows them; `id` is None for a singleton.
ReadFields = Callable[[UUID | None, Sequence[str]], JsonBody]

# The maximum size of the parts of a stored field that the client did not send, such as members of `seo`.
_MAX_OTHER_BYTES = 1_000_000
_ERROR_MESSAGE = "Is read-only and has another value; omit it."


@dataclass(frozen=True, slots=True)
class SentFields:
    """The read-only fields that a body contains for one item.

    `values` maps the paths of the fields to their values; `prefix` contains the item's index if the body is
    an array.
    """

    prefix: tuple[str, ...]
    uuid: UUID | None
    values: Mapping[tuple[str, ...], Any]


def collect_read_only_fields(schema: ma.Schema, body: Any) -> list[SentFields]:
    """Return the items of the body that contain read-only fields of the schema."""
    if isinstance(body, list):
        sent = [
            SentFields((str(index),), _get_uuid(item), dict(_list_read_only_fields(schema, item)))
            for index, item in enumerate(body)
        ]
    else:
        sent = [SentFields((), None, dict(_list_read_only_fields(schema, body)))]
    return [item for item in sent if item.values]


def find_errors(items: Sequence[SentFields], id: UUID | None, read: ReadFields, *, max_bytes: int) -> Errors:
    """Return an error for each read-only field whose sent value differs from the value that `read` returns.

    `id` is the id in the path, and `max_bytes` is the size of the body. Items that do not exist are skipped.
    """
    errors: Errors = {}
    for item in items:
        names = tuple(dict.fromkeys(path[0] for path in item.values))
        try:
            current = _read_values(read, item.uuid or id, names, max_bytes + _MAX_OTHER_BYTES)
        except NotFound:
            continue
        for path, value in item.values.items():
            if _normalize_value(value) != _normalize_value(_get_value(current, path)):
                errors[".".join((*item.prefix, *path))] = [_ERROR_MESSAGE]
    return errors


def _list_read_only_fields(schema: ma.Schema, item: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and the value of each read-only field of an item."""
    if not isinstance(item, Mapping) or not isinstance(schema, InputSchema):
        return
    for name, value in item.items():
        field = schema.fields.get(name)
        if name in schema.read_only:
            yield (name,), value
        elif isinstance(field, ma.fields.Nested):
            yield from (((name, *path), inner) for path, inner in _list_read_only_fields(field.schema, value))


def _get_uuid(item: Any) -> UUID | None:
    uuid = item.get("uuid") if isinstance(item, Mapping) else None
    return parse_uuid(uuid) if isinstance(uuid, str) else None


def _read_values(read: ReadFields, id: UUID | None, names: Sequence[str], max_bytes: int) -> dict[str, Any]:
    """Return the current values of these fields, without values that are longer than `max_bytes`."""
    body = read(id, names).body
    if isinstance(body, bytes):
        values: dict[str, Any] = json.loads(body)
        return values
    if len(names) > 1:
        parts = (_read_values(read, id, [name], max_bytes) for name in names)
        return {name: value for part in parts for name, value in part.items()}
    collected = bytearray()
    for chunk in body:
        collected += chunk
        if len(collected) > max_bytes:
            return {}
    return dict(json.loads(collected))


def _get_value(current: Any, path: Sequence[str]) -> Any:
    for name in path:
        current = current.get(name) if isinstance(current, Mapping) else None
    return current


def _normalize_value(value: Any) -> Any:
    """Parse a uuid or a time, because both have several spellings; return any other value unchanged."""
    return parse_uuid(value) or parse_timestamp(value) or value if isinstance(value, str) else value
