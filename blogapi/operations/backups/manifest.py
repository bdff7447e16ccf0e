"""The manifest, which describes the contents of a backup, and the list of the media files of a backup."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from blogapi.content.media import stored_files
from blogapi.content.media.stored_files import StoredFile

FORMAT = "blogapi-backup"
# The version of the format. Version 1 has no `media`; versions 1 and 2 also have a digest of each file. Only
# versions 4 and 5 have `database`, and only version 5 has a theme. A backup without a theme has version 4, or
# 3 with a SQLite file, so that older versions can restore it.
VERSION, _THEMELESS_VERSION, _SQLITE_VERSION = 5, 4, 3

DATABASE_FILE, DUMP_FILE = "blog.db", "blog.dump"  # names of files in a backup
SETTINGS_FILE, MEDIA_LIST_FILE, MANIFEST_FILE = "config.toml", "media.json", "manifest.json"

_MAX_LISTED_FILES = 20


class InvalidBackup(Exception):
    """A file cannot be restored; the message is a clause with the reason, such as `it is damaged`."""


class MediaPlace(StrEnum):
    """Where the media files of a backup are: in the backup, in the folder `media` beside it, or nowhere."""

    FILE = "file"
    FOLDER = "folder"
    NONE = "none"


class DatabaseKind(StrEnum):
    """The kind of database that contains the blog of a backup."""

    SQLITE = "SQLite"
    POSTGRESQL = "PostgreSQL"


DATABASE_FILE_NAMES = {DatabaseKind.SQLITE: DATABASE_FILE, DatabaseKind.POSTGRESQL: DUMP_FILE}


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """What a snapshot of a database contains: the last migration, the rows per table, and the media files."""

    database: DatabaseKind
    migration: str
    rows: dict[str, int]
    media: set[StoredFile]


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A media file that is not in a backup: its path in the media folder, its name and the reason."""

    path: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class MediaList:
    """The sizes of the saved media files by path, and the files that could not be saved."""

    saved: dict[str, int]
    missing: tuple[MissingFile, ...] = ()

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), indent=0).encode("utf-8")

    def list_paths(self) -> set[str]:
        """Return the paths of all files, whether they were saved or not."""
        return {*self.saved, *(file.path for file in self.missing)}

    def list_saved_files(self) -> list[StoredFile]:
        """Return the saved files, with their file names as labels."""
        if not all(map(stored_files.is_stored_path, self.saved)):
            raise InvalidBackup("its list of media files names a file that cannot exist")
        names = ((*path.rpartition("/")[2].partition("."), size) for path, size in self.saved.items())
        return [StoredFile(hash, suffix, size, f"{hash}.{suffix}") for hash, _, suffix, size in names]


@dataclass(frozen=True, slots=True)
class MediaSummary:
    """The number and total size of the saved media files, and how many files could not be saved."""

    place: str = MediaPlace.NONE.value
    files: int = 0
    bytes: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup contains.

    `created` is the time of the backup, `blogapi` the version that made it, `step` the name of its last
    migration, and `rows` the number of rows of each table. `has_theme` is whether the backup contains the
    theme.
    """

    created: str
    blogapi: str
    step: str
    rows: dict[str, int]
    media: MediaSummary = field(default_factory=MediaSummary)
    database: DatabaseKind = DatabaseKind.SQLITE
    has_theme: bool = False

    def to_json(self) -> bytes:
        fields, version = asdict(self), VERSION
        if not self.has_theme:
            del fields["has_theme"]
            version = _THEMELESS_VERSION
            if self.database is DatabaseKind.SQLITE:
                del fields["database"]
                version = _SQLITE_VERSION
        return json.dumps({"format": FORMAT, "version": version} | fields, indent=1).encode("utf-8")


def parse_manifest(content: bytes) -> Manifest:
    """Return the manifest; raises InvalidBackup if this version does not understand it."""
    try:
        fields: dict[str, Any] = json.loads(content)
        if fields.pop("format") != FORMAT:
            raise InvalidBackup("it is not a backup of blogapi")
        if (version := fields.pop("version")) not in range(1, VERSION + 1):
            raise InvalidBackup(f"its format {version} is newer than this version of blogapi can read")
        fields.pop("files", None)
        media = MediaSummary(**fields.pop("media", {}))
        MediaPlace(media.place)
        database = DatabaseKind(fields.pop("database", DatabaseKind.SQLITE))
        manifest = Manifest(media=media, database=database, **fields)
        numbers = (*manifest.rows.values(), media.files, media.bytes, media.missing)
        year = datetime.fromisoformat(manifest.created).astimezone(UTC).year
        if year not in range(1970, 9999) or any(type(number) is not int for number in numbers):
            raise InvalidBackup("its manifest contains impossible values")
        return manifest
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InvalidBackup("its manifest cannot be read") from error


def parse_media_list(content: bytes) -> MediaList:
    """Return the list of media files; raises InvalidBackup if it cannot be read."""
    try:
        fields = json.loads(content)
        texts = ({name: str(text) for name, text in file.items()} for file in fields["missing"])
        missing = tuple(MissingFile(**file) for file in texts)
        return MediaList({str(path): int(size) for path, size in fields["saved"].items()}, missing)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InvalidBackup("its list of media files cannot be read") from error


def describe_missing_files(missing: Sequence[MissingFile]) -> Iterable[str]:
    """Yield a line for each missing file; after the first 20, a line with the number of further files."""
    for file in missing[:_MAX_LISTED_FILES]:
        yield f"  {file.path} ({file.name}): {file.reason}"
    if len(missing) > _MAX_LISTED_FILES:
        yield f"  … and {len(missing) - _MAX_LISTED_FILES} more"
