"""What a view declares of itself; its decorators fill the record, and hooks and documents read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import marshmallow as ma


@dataclass(slots=True)
class Operation:
    """The declarations of a view; each is described at the decorator that makes it.

    These are `access.allow`, `shared_caching.shows`, `slug_lookup.accept_slugs` and the methods of
    `blueprint.Blueprint`. `id` is the operation id of the OpenAPI document.
    """

    id: str = ""
    # An `access.Access`; that module imports this one.
    access: Any = None
    schema: ma.Schema | dict[str, Any] | None = None
    partial_schema: type[ma.Schema] | None = None
    section: str = ""
    takes_query: bool = False
    writes: bool = False
    shows: bool = False
    accepts_slugs: bool = False
    cacheable: bool = False
    may_be_missing: bool = False


def get_operation(view: Callable[..., Any]) -> Operation:
    """Return the record of a view; `functools.wraps` copies the reference to it, so a wrapper shares it."""
    record: Operation = view.__dict__.setdefault("operation", Operation())
    return record
