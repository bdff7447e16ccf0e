"""An audit hook: no process that uses the blog through SQLite may open one of its three files in another way.

When a process closes any descriptor of a file, POSIX drops all its locks on this file, also those of SQLite.
The next process then deletes the log, and all later writes are lost. Nothing else shows this fault.

`tests.conftest` installs the hook, and `sitecustomize` in the processes that tests start. SQLite itself opens
files without the event `open`. The creation of a new file is allowed, because it opens no file that exists.
This module imports only the standard library and works outside of the package `tests`.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

# The environment variable that names the file into which the hook writes what it finds. A violation in a
# server is an error 500 at most, so the test could miss it.
REPORT = "BLOGAPI_TEST_OPENED_FILES"

_ENDINGS = (".db", ".db-wal", ".db-shm")
_NAMES = tuple(f"blog{ending}" for ending in _ENDINGS)
_allowed = threading.local()


class OpenedSqliteFile(Exception):
    """A file of SQLite was opened in another way."""


@contextmanager
def allow_opening() -> Iterator[None]:
    """Let this thread open the files, to copy or damage them. No connection of a server should be open."""
    before = getattr(_allowed, "value", False)
    _allowed.value = True
    try:
        yield
    finally:
        _allowed.value = before


def install() -> None:
    """Install the hook in this process; it cannot be removed."""
    sys.addaudithook(_check)


def _check(event: str, arguments: tuple[object, ...]) -> None:
    # This function runs at every audit event of the process, such as an import.
    if event not in ("open", "os.truncate"):
        return
    path = arguments[0]
    if isinstance(path, int):
        return
    name = os.fsdecode(path)  # type: ignore[arg-type]
    if name.endswith(_ENDINGS) and _is_forbidden(name, arguments):
        _report(name)


def _is_forbidden(name: str, arguments: tuple[object, ...]) -> bool:
    folder, base = os.path.split(os.path.abspath(name))  # noqa: PTH100, links stay
    if base not in _NAMES or folder != os.environ.get("BLOGAPI_INSTANCE_PATH"):
        return False
    creates = len(arguments) == 3 and bool(arguments[2] & os.O_EXCL)  # type: ignore[operator]
    return not creates and not getattr(_allowed, "value", False)


def _report(name: str) -> None:
    found = (
        f"{name} was opened, but not by SQLite (pid {os.getpid()}):\n{''.join(traceback.format_stack()[:-2])}"
    )
    if report := os.environ.get(REPORT):
        with open(report, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(found)
    raise OpenedSqliteFile(found)
