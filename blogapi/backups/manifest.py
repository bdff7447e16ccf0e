"""The manifest of a backup, which describes its contents."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "blogapi-backup"
VERSION = 1

DATABASE, SETTINGS, MANIFEST = "blog.db", "config.toml", "manifest.json"


class InvalidBackup(Exception):
    """The file cannot be restored. The message is the reason, starts in lower case and has no full stop."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """The size and digest of one file in a backup."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a backup: its files, the migration of its schema (`step`) and its rows per table."""

    created: str
    blogapi: str
    step: str
    rows: dict[str, int]
    files: dict[str, BackupFile]

    def to_json(self) -> bytes:
        """Return the manifest as JSON, with its format and version."""
        return json.dumps({"format": FORMAT, "version": VERSION} | asdict(self), indent=1).encode("utf-8")


def parse(content: bytes) -> Manifest:
    """Return the manifest; raises InvalidBackup if this version does not understand it."""
    try:
        fields: dict[str, Any] = json.loads(content)
        if fields.pop("format") != FORMAT:
            raise InvalidBackup("it is not a backup of blogapi")
        if (version := fields.pop("version")) != VERSION:
            raise InvalidBackup(f"it has format {version}, which is newer than this version supports")
        files = {name: BackupFile(**file) for name, file in fields.pop("files").items()}
        return Manifest(files=files, **fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidBackup("its manifest cannot be read") from error
