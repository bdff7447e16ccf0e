"""The names of the migrations; this module imports no database library, so that it is quick to import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

MIGRATIONS_FOLDER = Path(__file__).parent.parent / "migrations"


@cache
def list_migrations() -> tuple[str, ...]:
    """Return the names of all migrations with the oldest first (`"0001"`, …)."""
    return tuple(sorted(path.name[:4] for path in (MIGRATIONS_FOLDER / "versions").glob("[0-9]*.py")))


def describe_several_migrations(names: Sequence[str]) -> tuple[str, str]:
    """Return a problem and its remedy: the database names more than one last migration."""
    return (
        f"The table alembic_version names {len(names)} migrations ({', '.join(names)})",
        "restore a backup, or keep only the row of the migration that matches the tables",
    )
