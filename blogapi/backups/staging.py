"""The temporary folder in which a restore prepares the content; only one restore runs at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flask import Flask

from blogapi.storage import connections, files
from blogapi.web.errors import Conflict

_FOLDER, _LOCK = ".restore-files", ".restore-lock"


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """Yield a new folder in `parent`, and delete it at the end.

    Raises Conflict if another restore is using `parent`.
    """
    folder = parent / _FOLDER
    with files.locked(parent / _LOCK) as held:
        if not held:
            raise Conflict("Another restore is running; nothing was restored. Wait until it has finished.")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def init_app(app: Flask) -> None:
    """Delete the folder that a killed restore of this blog has left, unless a restore is running."""
    database = connections.sqlite_path(app.config["DATABASE_URL"], Path(app.instance_path))
    if database is None or not (folder := database.with_name(_FOLDER)).exists():
        return
    # The blog can be served even if the permissions of its folder do not allow the deletion.
    with suppress(OSError), files.locked(database.with_name(_LOCK)) as held:
        if held:
            shutil.rmtree(folder, ignore_errors=True)
