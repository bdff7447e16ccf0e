"""The matrix of rights: who may call each operation of the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flask import Flask

from blogapi.blueprints import list_operations


def build_matrix(app: Flask) -> dict[str, str]:
    """Return the callers of each operation (`GET /path/`), without the effect of the settings."""
    return {
        f"{method} {path}": f"{access.rule.description}, scope {access.scope}"
        for path, method, _, access in list_operations(app, public_reads=False)
        if path.startswith("/api/")
    }


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each operation that is new, gone, or has other callers."""
    for operation in sorted({*before, *after}):
        old, new = before.get(operation), after.get(operation)
        if old == new:
            continue
        if old is None:
            yield f"new      {operation}: {new}"
        elif new is None:
            yield f"gone     {operation}: {old}"
        else:
            yield f"changed  {operation}: {old} -> {new}"
