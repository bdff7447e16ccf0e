"""The findings of the checks, and functions that make findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from blogapi.config import AppState

_MAX_EXAMPLES = 3
CHANGE_OWNER_REMEDY = "give this file or folder to the user that runs the service"


class Level(StrEnum):
    """The severity of a finding; a hint needs no action."""

    OK = "ok"
    HINT = "hint"
    REPAIRED = "repaired"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: `says` describes it and `do` is the remedy, if one is needed."""

    check: str
    level: Level
    says: str
    do: str = ""


# Checks of packages that this package must not import; these packages register the checks.
REGISTERED_CHECKS = AppState[Sequence[Callable[[], Iterator[Finding]]]]("doctor-checks")


@dataclass(frozen=True, slots=True)
class Advice:
    """The result of a quick check for admins; `link` is the admin page that solves the problem, or None."""

    check: str
    level: Level
    title: str
    detail: str
    link: str | None = None


def make_ok_finding(check: str, says: str) -> Finding:
    """Return a finding for a check that has passed."""
    return Finding(check, Level.OK, says)


def make_hint_finding(check: str, says: str, do: str) -> Finding:
    """Return a finding that is worth knowing but needs no action."""
    return Finding(check, Level.HINT, says, do)


def make_problem_finding(check: str, says: str, do: str) -> Finding:
    """Return a finding about a problem that must be solved."""
    return Finding(check, Level.WRONG, says, do)


def report_unreadable_files(checks: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of the checks; stop with a finding if a file or folder cannot be read."""
    try:
        yield from checks
    except OSError as error:
        says = f"{error.filename} cannot be read: {error.strerror}."
        yield make_problem_finding("files", says, CHANGE_OWNER_REMEDY)


def choose_remedy(error: Exception, remedy: str) -> str:
    """Return the remedy, or CHANGE_OWNER_REMEDY if the error was caused by a file of another user."""
    return CHANGE_OWNER_REMEDY if isinstance(error.__cause__, PermissionError) else remedy


def make_repairable_finding(check: str, says: str, repair: bool) -> Finding:
    """Return a finding that says that the problem was repaired or, without `repair`, how to repair it."""
    if repair:
        return Finding(check, Level.REPAIRED, says)
    return make_problem_finding(check, says, "doctor --repair")


def join_examples(names: Sequence[str]) -> str:
    """Return the first few names, separated by commas, with an ellipsis if there are more."""
    examples = ", ".join(names[:_MAX_EXAMPLES])
    return f"{examples}, …" if len(names) > _MAX_EXAMPLES else examples


def format_count(number: int, noun: str) -> str:
    """Return the number with the noun in singular or plural, such as `1 article` or `2 articles`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_bytes(size: int) -> str:
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size / 1024**2:.1f} MB"
