"""The names of the migrations, for callers that need no database library."""

from __future__ import annotations

from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parent.parent / "migrations"


@cache
def list_migrations() -> tuple[str, ...]:
    """Return the names of all migrations with the oldest first (`"0001"`, …)."""
    return tuple(sorted(path.name[:4] for path in (SCRIPTS / "versions").glob("[0-9]*.py")))
