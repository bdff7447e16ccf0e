"""The temporary folder in which a restore prepares the content; only one restore runs at a time."""

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
    """Yield a new folder in `parent`, and delete it at the end.

    Raises Conflict if another restore is using `parent`.
    """
    with files.locked(parent / _LOCK) as held:
        if not held:
            raise Conflict("Another restore is running; nothing was restored. Wait until it has finished.")
        _delete_folders(parent)
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True) as folder:
            yield Path(folder)


def init_app(app: Flask) -> None:
    """Delete the folders that killed restores of this blog have left."""
    database = connections.sqlite_path(app.config["DATABASE_URL"], Path(app.instance_path))
    if database is not None:
        clean_up(database.parent)


def clean_up(parent: Path) -> None:
    """Delete the folders that killed restores have left in `parent`, unless a restore is running."""
    if next(parent.glob(f"{_PREFIX}*"), None) is None:
        return
    # The blog can be served even if the permissions of its folder do not allow the deletion.
    with suppress(OSError), files.locked(parent / _LOCK) as held:
        if held:
            _delete_folders(parent)


def _delete_folders(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
