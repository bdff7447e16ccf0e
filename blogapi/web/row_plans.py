"""Dumps rows by a schema, several times faster than the schema itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import marshmallow as ma

from blogapi.web.fields import Fields, NestedColumns

# For each field: its name, the attribute of the row (None: the row itself), and the function that serializes
# the value. A schema would look up each value in several ways.
Plan = Sequence[tuple[str, str | None, Callable[[Any, str, Any], Any]]]


def make_plan(schema: ma.Schema, prefix: str = "") -> Plan:
    """Return the plan by which `dump_row` dumps rows that have all attributes of the schema's fields.

    In the rows, the names of the attributes begin with the prefix.
    """
    plan: list[tuple[str, str | None, Callable[[Any, str, Any], Any]]] = []
    for name, field in schema.fields.items():
        if isinstance(field, NestedColumns):
            plan.append((name, None, _dump_nested(make_plan(field.schema))))
        elif isinstance(field, ma.fields.Method | ma.fields.Function):
            plan.append((name, None, field._serialize))
        else:
            plan.append((name, f"{prefix}{field.attribute or name}", field._serialize))
    return plan


def _dump_nested(plan: Plan) -> Callable[[Any, str, Any], Any]:
    return lambda row, *_: dump_row(plan, row)


def dump_row(plan: Plan, row: Any) -> Fields:
    """Return the fields of the row as JSON values."""
    return {
        name: serialize(row if attribute is None else getattr(row, attribute), name, row)
        for name, attribute, serialize in plan
    }
