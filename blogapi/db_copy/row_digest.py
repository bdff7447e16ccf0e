"""What a row amounts to, the same on every engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


def serialize_row(row: Iterable[Any]) -> bytes:
    """Return the values of a row in one line; different rows give different lines."""
    return json.dumps([_plain(value) for value in row], ensure_ascii=True).encode() + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"moment": value.isoformat(timespec="microseconds")}
    if isinstance(value, UUID):
        return {"uuid": value.hex}
    return {"bytes": value.hex()} if isinstance(value, bytes) else value


@dataclass(frozen=True, slots=True)
class TableSum:
    """How many rows a table has, and the SHA-256 of all they hold, in the order of their keys."""

    rows: int
    sha256: str
