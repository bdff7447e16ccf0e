"""A serialization of rows that is the same on every database engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


def serialize_row(row: Iterable[Any]) -> bytes:
    """Return the values of a row as one line of JSON; different rows have different lines."""
    return json.dumps([_to_json_value(value) for value in row], ensure_ascii=True).encode() + b"\n"


def _to_json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"time": value.isoformat(timespec="microseconds")}
    if isinstance(value, UUID):
        return {"uuid": value.hex}
    return {"bytes": value.hex()} if isinstance(value, bytes) else value


@dataclass(frozen=True, slots=True)
class TableSum:
    """The number of rows of a table, and the SHA-256 of its rows in primary key order."""

    rows: int
    sha256: str
