"""Results of slow functions that a write computes before it takes the write lock.

They belong to the session. If the arguments have changed meanwhile, the write computes the result again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import has_app_context

from blogapi.storage.database import db

Result = TypeVar("Result")

_KEY = "prepared"


def prepare(function: Callable[..., Result], *arguments: Any) -> Result:
    """Compute the result of the function for these hashable arguments, and keep it for the next write."""
    results: dict[Any, Result] = db.session().info.setdefault(_KEY, {})
    key = function, arguments
    if key not in results:
        results[key] = function(*arguments)
    return results[key]


def compute(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the prepared result of the function for these arguments, or compute it now."""
    # `db copy` writes without an application, so without a session.
    results: dict[Any, Result] = db.session().info.get(_KEY, {}) if has_app_context() else {}
    key = function, arguments
    return results[key] if key in results else function(*arguments)


def forget() -> None:
    """Remove all prepared results."""
    db.session().info.pop(_KEY, None)
