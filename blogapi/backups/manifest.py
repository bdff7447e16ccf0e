"""What a backup says of itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "blogapi-backup"
VERSION = 1

DATABASE, SETTINGS, MANIFEST = "blog.db", "config.toml", "manifest.json"


class InvalidBackup(Exception):
    """The file is no whole backup; the message says why, to stand after a colon."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the backup."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a backup: its parts by name, the last migration (`step`), and the rows of each table."""

    created: str
    blogapi: str
    step: str
    rows: dict[str, int]
    files: dict[str, Part]

    def written(self) -> bytes:
        """Return the manifest as it stands in the file."""
        return json.dumps({"format": FORMAT, "version": VERSION} | asdict(self), indent=1).encode("utf-8")


def read(written: bytes) -> Manifest:
    """Return the manifest; raises Unfit where it is none that this version understands."""
    try:
        found: dict[str, Any] = json.loads(written)
        if found.pop("format") != FORMAT:
            raise InvalidBackup("it is no backup of blogapi")
        if (version := found.pop("version")) != VERSION:
            raise InvalidBackup(f"its format {version} is newer than this version of blogapi knows")
        files = {name: Part(**part) for name, part in found.pop("files").items()}
        return Manifest(files=files, **found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidBackup("its manifest cannot be read") from error
