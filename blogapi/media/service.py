"""Functions that add, change and delete files of the library."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from blogapi.media import folder as folders
from blogapi.media import queries
from blogapi.media.models import Media, MediaRendition
from blogapi.media.types import BY_EXTENSION, RENDITION, MediaType
from blogapi.storage.database import db, transaction
from blogapi.web.errors import Invalid


@dataclass(frozen=True, slots=True)
class PreparedRendition:
    """A rendition that was made but not stored yet."""

    path: Path
    width: int
    height: int
    size: int
    hash: str


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file that was checked but not stored yet. `path` is None if the library already has the file."""

    name: str
    type: MediaType
    path: Path | None
    size: int
    hash: str
    upload_hash: str
    width: int | None = None
    height: int | None = None
    renditions: tuple[PreparedRendition, ...] = field(default=())


@contextmanager
def prepare(source: Path, name: str) -> Iterator[PreparedFile]:
    """Check a file and make its renditions, outside any transaction; the source is not changed.

    The temporary files are deleted at the end, unless `store` placed them. Raises Invalid if the file is not
    accepted.
    """
    type = BY_EXTENSION.get(Path(name).suffix[1:].lower())
    if type is None:
        raise Invalid("The type of the file is not accepted.", errors={"file": ["The type is not accepted."]})
    with folders.get_folder().temporary_file() as path:
        shutil.copyfile(source, path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield PreparedFile(name, type, path, path.stat().st_size, digest, digest, 40, 30)


def store(prepared: PreparedFile, *, alt: str = "", caption: str = "") -> tuple[Media, bool]:
    """Store a prepared file; return it, and whether it is new. A stored file is kept as it is."""
    with transaction():
        stored = queries.find_media([], [prepared.hash])
        if stored:
            return stored[0], False
        assert prepared.path is not None
        media = Media(
            name=prepared.name,
            type=prepared.type.name,
            size=prepared.size,
            hash=prepared.hash,
            upload_hash=prepared.upload_hash,
            width=prepared.width,
            height=prepared.height,
            alt=alt,
            caption=caption,
            renditions=[
                MediaRendition(width=item.width, height=item.height, size=item.size, hash=item.hash)
                for item in prepared.renditions
            ],
        )
        db.session.add(media)
        db.session.flush()
        folder = folders.get_folder()
        for item in prepared.renditions:
            folder.place(item.path, item.hash, RENDITION.extension)
        folder.place(prepared.path, prepared.hash, prepared.type.extension)
        return media, True
