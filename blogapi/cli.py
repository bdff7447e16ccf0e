"""Error messages, signals and progress bars for all commands."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import click
from sqlalchemy.exc import DBAPIError

from blogapi.storage.disk_errors import is_disk_full_error
from blogapi.storage.version_check import NewerSchema
from blogapi.web.errors import Problem
from blogapi.web.fields import join_messages

Item = TypeVar("Item")


class ProgressReporter(Protocol):
    """The type of the functions `show_progress` and `hide_progress`."""

    def __call__(self, items: Iterable[Item], *, total: int, label: str) -> Iterator[Item]:
        """Yield the items, of which there are `total`; `label` describes the work."""


@contextmanager
def report_problems() -> Iterator[None]:
    """Turn a Problem or a database error into a message on standard error and exit status 1."""
    try:
        yield
    except Problem as error:
        raise click.ClickException(
            " ".join(part for part in (error.detail, join_messages(error.errors or {})) if part)
        ) from error
    except NewerSchema as error:
        raise click.ClickException(str(error)) from error
    except DBAPIError as error:
        if is_disk_full_error(error):
            raise click.ClickException(f"The disk is full ({error.orig}).") from error
        raise click.ClickException(f"The database reported an error: {error.orig}.") from error


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C in the `with` block, so that temporary files are deleted."""

    def exit_process(number: int, _: object) -> None:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        # Only the main thread can handle signals.
        yield
        return
    old_handler = signal.signal(signal.SIGTERM, exit_process)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old_handler or signal.SIG_DFL)


def is_stdin_terminal() -> bool:
    """Return whether standard input is a terminal, at which a person can answer a question."""
    return sys.stdin.isatty()


def hide_progress(items: Iterable[Item], *, total: int, label: str) -> Iterator[Item]:
    """Yield the items without a progress bar."""
    yield from items


def show_progress(items: Iterable[Item], *, total: int, label: str) -> Iterator[Item]:
    """Yield the items, with a progress bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    # Imported here because the server does not need it.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield from bar.track(items, total=total)
