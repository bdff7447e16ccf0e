"""Run the code of formats of other packages, which can raise, print, catch and end everything."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from types import FrameType
from typing import TypeVar

Value = TypeVar("Value")

#: Called with the name of a format and its package before its code runs, and with "" behind it.
announce: Callable[[str], None] = lambda name: None  # noqa: E731
_arrived: list[int] = []


class ForeignError(Exception):
    """The code of another package has failed; the message names the exception."""


@contextmanager
def announced(subject: str) -> Iterator[None]:
    """Announce a format of another package while the `with` block runs its code."""
    announce(subject)
    try:
        yield
    finally:
        announce("")


def call(function: Callable[[], Value]) -> Value:
    """Return what a function of another package returns. What it prints goes to standard error.

    Raises ForeignError for every exception of it, an exit included, unless a signal ends the import.
    """
    try:
        with redirect_stdout(sys.stderr):
            result = function()
    # The code of another package can fail in any way.
    except BaseException as error:
        check_signals()
        raise ForeignError(f"{type(error).__name__}: {error}") from error
    check_signals()
    return result


def check_signals() -> None:
    """End the import if a signal has arrived, whatever the code of another package has caught."""
    if _arrived:
        _end(_arrived[0])


def _end(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


@contextmanager
def remember_signals() -> Iterator[None]:
    """Exit on SIGINT and SIGTERM, so that temporary files are deleted, and remember the signals."""

    def handle(number: int, _: FrameType | None) -> None:
        _arrived.append(number)
        _end(number)

    _arrived.clear()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread can handle signals.
        yield
        return
    former = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler or signal.SIG_DFL)
        _arrived.clear()
