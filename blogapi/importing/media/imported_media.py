"""Find the media files to which the records of an import refer, and store each file in the library once.

Each file is stored in a transaction of its own before the article that uses it. Therefore other writers do
not wait while pictures are processed, and at most two pictures have temporary files at the same time. If the
article is then refused, the file stays in the library as an unused file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from flask import Flask, current_app

from blogapi.content.media import addresses
from blogapi.content.media import service as media_service
from blogapi.importing import queries
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import MediaReport, RefusedMedia
from blogapi.importing.format_api.source_files import describe_error, open_file
from blogapi.importing.media.file_lookup import FoundFile, MediaFileFinder
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.media_references import (
    MAX_REFERENCES,
    FileReference,
    is_local_address,
    list_references,
)
from blogapi.importing.texts.messages import MAX_LISTED, join_names
from blogapi.rendering.media_types import TYPES_BY_EXTENSION
from blogapi.web.errors import Problem, StorageFull

# The library prepares two files at a time.
_THREAD_COUNT = 2
# Extensions that links to media files can have in addition to the extensions that the library uses.
_OTHER_EXTENSIONS = ("jpeg", "jpe", "oga")

Input = TypeVar("Input")
Output = TypeVar("Output")

#: The names of the lists in a MediaReport.
MEDIA_RESULTS = tuple(item.name for item in fields(MediaReport))


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of the library; `uuid` is None in a dry run if the file is not stored."""

    uuid: UUID | None
    address: str
    is_new: bool = False
    note: str = ""  #: a sentence about changes of the picture, such as lost texts


@dataclass(slots=True)
class RecordMedia:
    """The results for the media files to which a record refers."""

    files: dict[str, LibraryFile] = field(default_factory=dict)
    alts: dict[UUID, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    refused: list[RefusedMedia] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def make_report(self, mapped: Iterable[str]) -> tuple[MediaReport, list[str]]:
        """Return the report and its sentences; the paths in `mapped` are known from an earlier import."""
        mapped, notes = set(mapped), list(self.notes)
        new = [path for path, file in self.files.items() if file.is_new]
        missing = [path for path in self.missing if path not in mapped]
        known = [path for path in (*self.files, *self.missing) if path not in new and path not in missing]
        if missing:
            notes.append(f"Missing media files: {join_names([f'“{path[:100]}”' for path in missing])}.")
        notes += [f"“{it.path[:100]}” was not imported: {it.reason}" for it in self.refused[:MAX_LISTED]]
        if self.refused[MAX_LISTED:]:
            notes.append(f"{len(self.refused) - MAX_LISTED:,} more media files were not imported.")
        return MediaReport(tuple(new), tuple(known), tuple(missing), tuple(self.refused)), notes


class MediaImporter:
    """Finds and stores the media files of one import; `assets` are further folders to search.

    `user` is stored as the uploader of the files.
    """

    def __init__(
        self, assets: Sequence[Path] = (), *, user: UUID | None = None, dry_run: bool = False
    ) -> None:
        self.file_finder = MediaFileFinder(assets)
        self._user, self._dry_run = user, dry_run
        self._hash_file = cache(hash_file)
        self._results: dict[str, LibraryFile | RefusedFile] = {}
        #: The reason why no further file can be stored: the library or the disk is full.
        self._full: RefusedFile | None = None

    def store_files(
        self, records: Iterable[ArticleRecord], get_html: Callable[[ArticleRecord], str]
    ) -> dict[str, RecordMedia]:
        """Store the files to which the records refer; return them by the key of the record.

        `get_html` returns the sanitized HTML of a record, or "" if it contains no references. A file that is
        already in the library is not decoded again. Call this outside any transaction.
        """
        media_by_key: dict[str, RecordMedia] = {}
        located: list[tuple[RecordMedia, FileReference, str]] = []
        paths: dict[str, Path] = {}
        alts: dict[str, str] = {}
        for record in records:
            covers = (FileReference(record.og_image), FileReference(record.cover_image, record.cover_alt))
            listed = list_references(get_html(record), list_extensions()) if record.path else []
            listed += [item for item in covers if record.path and is_local_address(item.path)]
            references = list({item.path: item for item in listed}.values())
            if not references:
                continue
            result = media_by_key[record.key] = RecordMedia()
            if len(references) > MAX_REFERENCES:
                result.notes.append(
                    f"Only the first {MAX_REFERENCES} of its {len(references):,} media files were imported."
                )
            for reference in references[:MAX_REFERENCES]:
                start = f"“{reference.path[:100]}” was found"
                try:
                    found = self._find_file(reference.path, record)
                    if found is None:
                        result.missing.append(reference.path)
                        continue
                    if found.is_elsewhere:
                        result.notes.append(f"{start} in another folder: {found.path.parent.name}/.")
                    elif found.differs_in_case:
                        note = f"{start} as “{found.path.name}”, which differs in upper and lower case."
                        result.notes.append(note)
                    digest = self._hash_file(found.path)
                except RefusedFile as refusal:
                    result.refused.append(RefusedMedia(reference.path, str(refusal)))
                    continue
                paths.setdefault(digest, found.path)
                located.append((result, reference, digest))
                if reference.alt:
                    alts.setdefault(digest, reference.alt)
        unknown = [digest for digest in paths if digest not in self._results]
        uploads = queries.find_media_by_digests(unknown)
        for digest, row in uploads.items():
            self._results[digest] = LibraryFile(row.uuid, addresses.make_file_path(row.hash, row.name))
        new = [digest for digest in unknown if digest not in uploads]
        stored = store_each(lambda digest: self._store_media_file(paths[digest], alts.get(digest, "")), new)
        self._results |= zip(new, stored, strict=True)
        for result, reference, digest in located:
            file = self._results[digest]
            if isinstance(file, RefusedFile):
                result.refused.append(RefusedMedia(reference.path, str(file)))
                continue
            result.files[reference.path] = file
            result.notes += [f"“{reference.path[:100]}”: {file.note}"] if file.note else []
            if file.uuid and reference.alt:
                result.alts.setdefault(file.uuid, reference.alt)
            # Only the first path of a new file is reported as new.
            self._results[digest] = replace(file, is_new=False, note="")
        return media_by_key

    def has_file(self, path: str, record: ArticleRecord) -> bool:
        """Return whether a file is found for a path in the record (see `MediaFileFinder.find_file`)."""
        try:
            return is_local_address(path) and self._find_file(path, record) is not None
        except RefusedFile:
            return False

    def _find_file(self, path: str, record: ArticleRecord) -> FoundFile | None:
        if record.path is None:
            return None
        root = record.path.parents[max(0, record.key.count("/") - 1)]
        if record.media_folder and not path.startswith("/"):
            file = self.file_finder.find_file(f"/{record.media_folder.strip('/')}/{path}", record.path, root)
            if file:
                return file
        return self.file_finder.find_file(path, record.path, root)

    def _store_media_file(self, path: Path, alt: str) -> LibraryFile:
        if self._full:
            raise self._full
        try:
            with media_service.prepare_file(path, path.name) as prepared:
                if self._dry_run:
                    return LibraryFile(None, "", is_new=True, note=prepared.note)
                stored, is_new = media_service.store_file(prepared, alt=alt, user=self._user)
                address = addresses.make_file_path(stored.hash, stored.name)
                return LibraryFile(stored.uuid, address, is_new, prepared.note)
        except StorageFull as error:
            self._full = RefusedFile(error.detail)
            raise self._full from error


def store_each(store: Callable[[Input], Output], items: Iterable[Input]) -> Iterator[Output | RefusedFile]:
    """Call `store` for each item in threads; yield its result, or why the library refuses the file."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]

    def store_or_refuse(item: Input) -> Output | RefusedFile:
        try:
            with app.app_context():
                return store(item)
        except RefusedFile as refusal:
            return refusal
        except Problem as error:
            return RefusedFile(" ".join(chain.from_iterable((error.errors or {"": [error.detail]}).values())))
        except OSError as error:
            return RefusedFile(f"It cannot be read ({describe_error(error)}).")

    with ThreadPoolExecutor(_THREAD_COUNT) as executor:
        yield from executor.map(store_or_refuse, items)


def list_extensions() -> set[str]:
    configured = (item.partition("=")[0] for item in current_app.config["MEDIA_TYPES"])
    return {*TYPES_BY_EXTENSION, *_OTHER_EXTENSIONS, *configured}


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file; raises RefusedFile if it is missing, too large or not a regular file."""
    limit: int = current_app.config["MAX_MEDIA_SIZE"]
    try:
        with open_file(path, limit=None) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise RefusedFile(
                    f"It has {size:,} bytes, more than the {limit:,} of MAX_MEDIA_SIZE; make it smaller or "
                    "raise the setting."
                )
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RefusedFile(f"It cannot be read ({describe_error(error)}).") from error
