"""The declarations of views, which decorators make, and which request hooks and the API document read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import marshmallow as ma


@dataclass(slots=True)
class Operation:
    """The declarations of a view; the decorators that make them describe them.

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
    """Return the declarations of a view; a wrapper made with `functools.wraps` shares them."""
    record: Operation = view.__dict__.setdefault("operation", Operation())
    return record
