"""The manifest of a backup, which describes its contents."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

FORMAT = "blogapi-backup"
# Version 1 has no `media`.
VERSION = 2

DATABASE, SETTINGS, MEDIA_LIST, MANIFEST = "blog.db", "config.toml", "media.json", "manifest.json"


class InvalidBackup(Exception):
    """The file cannot be restored. The message is the reason, starts in lower case and has no full stop."""


class MediaPlace(StrEnum):
    """Where the media files of a backup are: in its file, in the folder `media` beside it, or not saved."""

    FILE = "file"
    FOLDER = "folder"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BackupFile:
    """The size and digest of one file in a backup."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class MediaSummary:
    """The number and total size of the saved media files, and the number of those that could not be saved."""

    place: str = MediaPlace.NONE.value
    files: int = 0
    bytes: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a backup: its files, the migration of its schema (`step`) and its rows per table."""

    created: str
    blogapi: str
    step: str
    rows: dict[str, int]
    files: dict[str, BackupFile]
    media: MediaSummary = field(default_factory=MediaSummary)

    def to_json(self) -> bytes:
        """Return the manifest as JSON, with its format and version."""
        return json.dumps({"format": FORMAT, "version": VERSION} | asdict(self), indent=1).encode("utf-8")


def parse(content: bytes) -> Manifest:
    """Return the manifest; raises InvalidBackup if this version does not understand it."""
    try:
        fields: dict[str, Any] = json.loads(content)
        if fields.pop("format") != FORMAT:
            raise InvalidBackup("it is not a backup of blogapi")
        if (version := fields.pop("version")) not in range(1, VERSION + 1):
            raise InvalidBackup(f"it has format {version}, which is newer than this version supports")
        files = {name: BackupFile(**file) for name, file in fields.pop("files").items()}
        media = MediaSummary(**fields.pop("media", {}))
        MediaPlace(media.place)
        return Manifest(files=files, media=media, **fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidBackup("its manifest cannot be read") from error
