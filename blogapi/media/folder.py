"""The media folder: each file once, under the SHA-256 of its bytes, as `<hash[:2]>/<hash>.<extension>`.

Several servers can share the folder. A file is complete when it gets its name, and is placed and deleted only
inside a write transaction, so that one server never deletes a file that another one has just stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask, current_app

from blogapi.storage import files


class MediaFolder:
    """The folder with the files of the library."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def get_path(self, hash: str, extension: str) -> Path:
        """Return the path of a file, even if it is missing."""
        return self.root / hash[:2] / f"{hash}.{extension}"

    @contextmanager
    def temporary_file(self) -> Iterator[Path]:
        """Yield the path of an empty private file on the same disk; it is deleted unless it was placed."""
        with files.partial_file(self.root / "upload") as path:
            yield path

    def place(self, source: Path, hash: str, extension: str) -> None:
        """Move a closed file into the folder, unless a file with this hash is already there."""
        target = self.get_path(hash, extension)
        if not target.exists():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            files.replace(source, target)

    def delete(self, hash: str, extension: str) -> None:
        """Delete a file, if it is there."""
        self.get_path(hash, extension).unlink(missing_ok=True)


def get_folder(app: Flask | None = None) -> MediaFolder:
    """Return the media folder of the application: MEDIA_PATH, or `media` in the instance folder."""
    app = app or current_app
    return MediaFolder(Path(app.instance_path, app.config["MEDIA_PATH"] or "media"))
