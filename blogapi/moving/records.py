"""What is told of a copy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sum:
    """How many rows a table has, and the SHA-256 of all they hold, in the order of their keys."""

    rows: int
    sha256: str
