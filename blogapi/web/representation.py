"""The representations of items and lists, from which views compute responses and ETags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import marshmallow as ma

from blogapi.web.errors import NotFound
from blogapi.web.fields import restrict_schema
from blogapi.web.json import JsonBody, make_json_body
from blogapi.web.pagination import Query


class PartialResult:
    """The result of a view, and the names of the fields that the query selects (None: all fields).

    `hidden_state` is state that a write can change but the body does not show; the ETag depends on it.
    """

    def __init__(self, result: Any, query: Query | None = None, *, hidden_state: str = "") -> None:
        self.result = result
        self.fields = query.fields if query else None
        self.hidden_state = hidden_state


@dataclass(frozen=True, slots=True)
class UpsertResult:
    """A written item, and whether the write created it."""

    item: Any
    created: bool


@dataclass(frozen=True, slots=True)
class Representation:
    """The functions and schemas that a GET of an item (by its uuid) and a GET of the list use.

    `hidden_state` returns state that a write to the list can change but the list does not show. `get_fields`
    returns an item with the named fields of `fields_schema`, as a GET with `fields` does; if it is None, a
    GET returns all fields. `get_items_by_uuid` returns items in the order of their uuids, with the named
    fields.
    """

    get_item: Callable[[UUID], Any]
    item_schema: ma.Schema
    get_items: Callable[[], Any]
    items_schema: ma.Schema
    hidden_state: Callable[[], str] = str
    get_fields: Callable[[UUID, Sequence[str]], Any] | None = None
    fields_schema: type[ma.Schema] | None = None
    get_items_by_uuid: Callable[[Sequence[UUID], Sequence[str] | None], JsonBody] | None = None

    def compute_etag(self, id: UUID | None) -> str | None:
        """Return the ETag of an item (None if it does not exist), or of the list if `id` is None."""
        if id is None:
            return make_json_body(self.get_items(), self.items_schema).compute_etag(self.hidden_state())
        try:
            return make_json_body(self.get_item(id), self.item_schema).compute_etag()
        except NotFound:
            return None

    def read_fields(self, id: UUID | None, names: Sequence[str]) -> JsonBody:
        """Return the named fields of an item, or the list if `id` is None; raises NotFound."""
        if id is None:
            return make_json_body(self.get_items(), self.items_schema)
        if self.get_fields is None or self.fields_schema is None:
            return make_json_body(self.get_item(id), self.item_schema)
        # If only lists have the named fields, read `uuid`, so that a missing item raises NotFound.
        fields = tuple(name for name in self.fields_schema._declared_fields if name in names) or ("uuid",)
        return make_json_body(self.get_fields(id, fields), restrict_schema(self.fields_schema, fields))
