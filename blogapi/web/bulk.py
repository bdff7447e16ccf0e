"""Bulk writes, which write all items in one transaction or none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from blogapi.storage.database import transaction
from blogapi.web.errors import Invalid, Problem

Item = TypeVar("Item")
Result = TypeVar("Result")


def write_all(items: Sequence[Item], write: Callable[[Item], Result]) -> list[Result]:
    """Write all items in one transaction and return the results.

    The field paths in the `errors` of a raised Problem begin with the index of the item.
    Raises Invalid if a uuid occurs twice.
    """
    results: list[Result] = []
    seen: set[Any] = set()
    with transaction(visible=None):
        for index, item in enumerate(items):
            uuid = item["uuid"] if isinstance(item, dict) else getattr(item, "uuid", item)
            try:
                if uuid in seen:
                    raise Invalid(
                        "A uuid occurs twice; send each item once.", errors={"uuid": ["Occurs twice."]}
                    )
                seen.add(uuid)
                results.append(write(item))
            except Problem as error:
                raise error.prefix_errors(str(index)) from error
    return results
