"""What the doctor says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is: `hint` is worth knowing, and no reason to worry."""

    OK = "ok"
    HINT = "hint"
    MENDED = "mended"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check: what is found, and what to do about it."""

    check: str
    level: Level
    says: str
    do: str = ""


def ok(check: str, says: str) -> Finding:
    """Return that all is well."""
    return Finding(check, Level.OK, says)


def hint(check: str, says: str, do: str) -> Finding:
    """Return something worth knowing."""
    return Finding(check, Level.HINT, says, do)


def wrong(check: str, says: str, do: str) -> Finding:
    """Return something that must be mended."""
    return Finding(check, Level.WRONG, says, do)


_EXAMPLES = 3


def some(names: Sequence[str], count: int) -> str:
    """Return the first few names, and that there are more."""
    shown = ", ".join(names[:_EXAMPLES])
    return f"{shown}, …" if count > _EXAMPLES else shown


def bytes_of(number: int) -> str:
    """Return a size for a person."""
    return f"{number / 1024**3:.1f} GB" if number >= 1024**3 else f"{number / 1024**2:.1f} MB"
