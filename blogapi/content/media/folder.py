"""The media folder, which has each file once, as `<hash[:2]>/<hash>.<extension>` (SHA-256 of its bytes).

Several servers can share the folder. A file is complete when it gets its name, and is placed and deleted only
inside a write transaction, so that one server never deletes a file that another server has just stored. Files
that are not complete yet are in temporary folders inside the media folder, whose names begin with a dot.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import select

from blogapi.config import CannotStart
from blogapi.content.media.models import Media
from blogapi.storage import files
from blogapi.storage.database import db
from blogapi.storage.disk_errors import is_disk_full_error
from blogapi.web.errors import StorageFull

_TEMPORARY_PREFIX = ".upload-"
COPIES_FOLDER_NAME = ".widths"


class MediaFolder:
    """The folder with the files of the library."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def get_path(self, hash: str, extension: str) -> Path:
        """Return the path of a file, even if the file is missing."""
        return self.root / hash[:2] / f"{hash}.{extension}"

    @contextmanager
    def create_temporary_folder(self) -> Iterator[Path]:
        """Yield a new private folder inside the media folder; it is deleted at the end, with all its files.

        Raises StorageFull if the disk becomes full during the `with` block.
        """
        with report_full_disk():
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            with files.create_temporary_folder(self.root, _TEMPORARY_PREFIX) as path:
                yield path

    @contextmanager
    def create_temporary_file(self) -> Iterator[Path]:
        """Yield the path of an empty private file inside the media folder; it is deleted at the end."""
        with self.create_temporary_folder() as folder:
            files.create_private_file(folder / "file")
            yield folder / "file"

    def delete_abandoned_folders(self) -> None:
        """Delete the temporary folders of killed processes; the folders of running processes stay."""
        files.delete_temporary_folders(self.root, _TEMPORARY_PREFIX)

    def contains_file(self, hash: str, extension: str, size: int) -> bool:
        """Return whether the folder contains the file with this size."""
        try:
            return self.get_path(hash, extension).stat().st_size == size
        except OSError:
            return False

    def place_file(self, source: Path, hash: str, extension: str, *, is_synced: bool = False) -> bool:
        """Move a closed file into the folder, unless the folder has the file; return whether it was moved.

        A file of another size is damaged, and is replaced. Set `is_synced` if `files.sync_file` was already
        called for the source.
        """
        if self.contains_file(hash, extension, source.stat().st_size):
            return False
        target = self.get_path(hash, extension)
        with report_full_disk():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            files.replace_file(source, target, is_synced=is_synced)
        return True

    def delete_file(self, hash: str, extension: str) -> None:
        """Delete a file, if it exists, and its resized copies."""
        copies = self.get_copies_folder(hash)
        try:
            shutil.rmtree(copies)
        except PermissionError:
            # Windows cannot delete a copy that is being sent. The original stays for the next `media prune`.
            raise
        except OSError:
            # The folder has no copies of the picture, or another thread is adding a copy.
            pass
        self.get_path(hash, extension).unlink(missing_ok=True)
        shutil.rmtree(copies, ignore_errors=True)

    def get_copies_folder(self, hash: str) -> Path:
        """Return the folder with the resized copies of a picture; see `resized_copies`."""
        return self.root / COPIES_FOLDER_NAME / hash[:2] / hash


def init_app(app: Flask) -> None:
    """Delete the temporary files of uploads whose process was killed."""
    get_folder(app).delete_abandoned_folders()


def check_shared_folder() -> None:
    """Raise CannotStart if the shared media folder is missing or is empty, perhaps because it is not mounted.

    With SQLite and without MEDIA_PATH, the folder is not shared, and can be missing.
    """
    path, root = current_app.config["MEDIA_PATH"], get_folder().root
    problem = ""
    if path and not root.is_dir():
        problem = "does not exist"
    elif (path or db.engine.dialect.name != "sqlite") and not (root.is_dir() and any(root.iterdir())):
        has_media = db.session.scalar(select(Media.uuid).limit(1)) is not None
        problem = "is empty, but the library has files" if has_media else ""
    if problem:
        raise CannotStart(f"The media folder {root} {problem}; mount it, create it, or correct MEDIA_PATH.")


def get_folder(app: Flask | None = None) -> MediaFolder:
    """Return the media folder of the application: MEDIA_PATH, or `media` in the instance folder."""
    app = app or current_app
    return locate_folder(Path(app.instance_path), app.config["MEDIA_PATH"])


def locate_folder(instance: Path, media_path: str) -> MediaFolder:
    """Return the media folder of the blog in an instance folder, with this value of MEDIA_PATH."""
    return MediaFolder(instance / (media_path or "media"))


@contextmanager
def report_full_disk() -> Iterator[None]:
    """Raise StorageFull if the disk becomes full during the `with` block."""
    try:
        yield
    except OSError as error:
        if not is_disk_full_error(error):
            raise
        raise StorageFull(
            "The disk is full; nothing was stored. Free some space and send the request again."
        ) from error
