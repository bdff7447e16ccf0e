"""The stored files of the library, their paths in the media folder, and checks of these files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, inspect, select

from blogapi.content.media.models import Media
from blogapi.storage import files
from blogapi.web.errors import Conflict

_CHUNK_SIZE = 1024 * 1024
_PATH = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.([0-9a-z]{1,16})", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class StoredFile:
    """A file of the media folder; `label` is its name in the library."""

    hash: str
    extension: str
    size: int
    label: str = field(default="", compare=False)

    @property
    def path(self) -> str:
        """Return the path in the media folder, `<hash[:2]>/<hash>.<extension>`."""
        return f"{self.hash[:2]}/{self.hash}.{self.extension}"


def is_stored_path(path: str) -> bool:
    """Return whether the text has the form of a path in the media folder, with `/` between its two parts."""
    return _PATH.fullmatch(path) is not None


def list_stored_paths(root: Path) -> Iterator[Path]:
    """Yield the paths in a media folder that have the form of the paths of stored files, in any order."""
    for folder in os.scandir(root) if root.is_dir() else ():
        if len(folder.name) == 2 and folder.is_dir(follow_symlinks=False):
            for file in os.scandir(folder):
                if is_stored_path(f"{folder.name}/{file.name}") and file.is_file(follow_symlinks=False):
                    yield Path(file.path)


def read_stored_files(connection: Connection) -> set[StoredFile]:
    """Return the stored file of each row of `media`; empty if the schema is older than the media library.

    Raises Conflict if a row names a file that cannot be in a media folder.
    """
    if not inspect(connection).has_table(Media.__tablename__):
        return set()
    originals = select(Media.hash, Media.size, Media.name)
    stored = {
        StoredFile(hash, name.rpartition(".")[2], size, name)
        for hash, size, name in connection.execute(originals)
    }
    for file in stored:
        if not is_stored_path(file.path):
            raise Conflict(f"The database names a media file that cannot exist ({file.path!r}).")
    return stored


def copy_and_verify_file(source: IO[bytes], file: StoredFile, target: IO[bytes] | None = None) -> bool:
    """Copy the file to `target` (None: only read it); return whether its size and its digest are correct."""
    digest, left = hashlib.sha256(), file.size + 1
    while left and (chunk := source.read(min(_CHUNK_SIZE, left))):
        digest.update(chunk)
        left -= len(chunk)
        if target is not None:
            target.write(chunk)
    return left == 1 and digest.hexdigest() == file.hash


def find_fault(path: Path, file: StoredFile, *, full: bool = True) -> str:
    """Return what is wrong with a file, such as `missing`, or an empty string if it is intact.

    Without `full`, only the size is checked.
    """
    try:
        if path.stat().st_size != file.size:
            return "damaged"
        if not full:
            return ""
        with path.open("rb") as source:
            return "" if copy_and_verify_file(source, file) else "damaged"
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


def write_stored_file(root: Path, file: StoredFile, write_content: Callable[[IO[bytes]], bool]) -> bool:
    """Write a file of a media folder, or replace a damaged file; return what `write_content` returns.

    `write_content` returns whether the content is intact; only then does the file get its name.
    """
    target = root / file.path
    with files.create_partial_file(root / "copy") as partial:
        with partial.open("wb") as output:
            is_intact = write_content(output)
        if is_intact:
            target.parent.mkdir(mode=0o700, exist_ok=True)
            files.replace_file(partial, target)
    return is_intact
