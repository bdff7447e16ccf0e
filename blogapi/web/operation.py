"""What decorators declare about views; request hooks and the OpenAPI document read the declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import marshmallow as ma


@dataclass(slots=True)
class Operation:
    """The declarations of a view; each is described in the docstring of its decorator.

    The decorators are `access.allow`, `shared_caching.shows`, `slug_lookup.accept_slugs` and the methods of
    `blueprint.Blueprint`. `id` is the operation id in the OpenAPI document.
    """

    id: str = ""
    # An `access.Access`; its type cannot be named here, because `access` imports this module.
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
