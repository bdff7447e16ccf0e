"""The folder in which a restore prepares the content: one restore at a time, and nothing stays behind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flask import Flask

from blogapi.storage import connections, files
from blogapi.web.errors import Conflict

_PREFIX = ".restore-"
_LOCK = f"{_PREFIX}lock"


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """Yield a new folder inside of `parent`, which is deleted at the end.

    Raises Conflict while another restore has one there.
    """
    with files.locked(parent / _LOCK) as held:
        if not held:
            raise Conflict("Another restore is running; nothing was restored. Wait for its end.")
        _delete(parent)
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True) as made:
            yield Path(made)


def init_app(app: Flask) -> None:
    """Delete what a restore of this blog left when it was killed."""
    database = connections.sqlite_path(app.config["DATABASE_URL"], Path(app.instance_path))
    if database is not None:
        clean_up(database.parent)


def clean_up(parent: Path) -> None:
    """Delete what a restore left in `parent` when it was killed; one that is running is left alone."""
    if next(parent.glob(f"{_PREFIX}*"), None) is None:
        return
    # A folder in which nothing may be deleted keeps no blog from being served.
    with suppress(OSError), files.locked(parent / _LOCK) as held:
        if held:
            _delete(parent)


def _delete(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
