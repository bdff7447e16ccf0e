"""Deletes files of the library: on request, and files that nothing has used for a long time.

The rows are deleted first, because rows without their file would show a broken image. After the commit, a
second transaction deletes the stored files to which no row refers: another server can have stored the same
file again in the meantime. If this transaction fails, the next `media prune` deletes these files.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import delete as delete_rows
from sqlalchemy.exc import SQLAlchemyError

from blogapi.content.media import affected_items, queries
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media
from blogapi.content.media.stored_files import list_stored_paths
from blogapi.storage import files
from blogapi.storage.database import call_after_commit, current_time, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web.errors import Conflict
from blogapi.web.pagination import PageRequest

# The maximum number of files that one transaction deletes, so that other writers wait only briefly.
BATCH_SIZE = 100
# The maximum number of uses that the error for a file in use lists.
MAX_LISTED_USES = 20
# The age, in seconds, from which a stored file that belongs to no row counts as abandoned.
ABANDONED_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class RemovedFile:
    """A file that was or would be deleted; `uuid` is None for a stored file that belongs to no row."""

    name: str
    size: int
    uuid: UUID | None = None


def delete_file(uuid: UUID, *, force: bool = False) -> None:
    """Delete a file; with `force`, even if an item uses it.

    Raises NotFound if there is no such file, and Conflict if an item uses it and `force` is not set.
    """
    with transaction():
        uses = queries.list_uses(uuid, PageRequest(1, MAX_LISTED_USES))
        if uses.total and not force:
            subject = "1 item uses" if uses.total == 1 else f"{uses.total} items use"
            raise Conflict(
                f"{subject} this file; GET /api/v1/blog/media/{uuid}/uses/ lists them all. Remove the file "
                "there, or send ?force=true to delete it anyway.",
                code="media_in_use",
                errors={"uses": [_describe_use(use) for use in uses.rows]},
            )
        _delete_files([uuid])


def prune_files(days: int, *, dry_run: bool = False) -> Iterator[RemovedFile]:
    """Delete the files that nothing has used for this number of days, and abandoned stored files.

    Yields each file after the commit of its deletion. With `dry_run` nothing is deleted.
    """
    yield from _list_unused_files(days) if dry_run else _prune_unused_files(days)
    yield from _prune_abandoned_files(dry_run=dry_run)


def _list_unused_files(days: int) -> Iterator[RemovedFile]:
    before, after = current_time() - timedelta(days=days), None
    while rows := queries.list_unused_files(before, BATCH_SIZE, after=after):
        yield from map(_to_removed_file, rows)
        after = (rows[-1].unused_since, rows[-1].uuid)


def _prune_unused_files(days: int) -> Iterator[RemovedFile]:
    while True:
        with transaction():
            rows = queries.list_unused_files(current_time() - timedelta(days=days), BATCH_SIZE)
            _delete_files([row.uuid for row in rows])
        if not rows:
            return
        yield from map(_to_removed_file, rows)


def _to_removed_file(row: Any) -> RemovedFile:
    return RemovedFile(row.name, int(row.size), row.uuid)


def _delete_files(uuids: Sequence[UUID]) -> None:
    if not uuids:
        return
    session = db.session()
    for stored_file in queries.list_stored_files(uuids):
        call_after_commit(try_delete_unreferenced_files, stored_file)
    affected_items.remember_items_using_files(session, uuids)
    session.execute(delete_rows(Media).where(Media.uuid.in_(uuids)))
    affected_items.rerender_articles(session, uuids)


def try_delete_unreferenced_files(stored_files: Collection[tuple[str, str]]) -> None:
    """Delete the stored files that belong to no row; a failure is logged, and does not raise an error."""
    try:
        delete_unreferenced_files(stored_files)
    except (OSError, SQLAlchemyError, NewerSchema) as error:
        current_app.logger.warning("deleted files remain in the media folder until `media prune`: %s", error)


def delete_unreferenced_files(stored_files: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Delete the stored files (hash, extension) that belong to no row; return them."""
    with transaction():
        unreferenced = set(stored_files) - queries.find_stored_files([hash for hash, _ in stored_files])
        for hash, extension in unreferenced:
            get_folder().delete_file(hash, extension)
    return unreferenced


def _prune_abandoned_files(*, dry_run: bool) -> Iterator[RemovedFile]:
    folder = get_folder()
    folder.delete_abandoned_folders()
    old_files = _list_old_files(folder.root)
    while sizes := dict(islice(old_files, BATCH_SIZE)):
        abandoned = sizes.keys() - queries.find_stored_files([hash for hash, _ in sizes])
        if abandoned and not dry_run:
            abandoned = delete_unreferenced_files(abandoned)
        db.session.rollback()
        for hash, extension in sorted(abandoned):
            yield RemovedFile(f"{hash}.{extension}", sizes[hash, extension])


def _list_old_files(root: Path) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the hash and the extension of each stored file that is older than a day, with its size."""
    for path, status in files.read_file_statuses(list_stored_paths(root)):
        hash, _, extension = path.name.partition(".")
        if time.time() - status.st_mtime > ABANDONED_SECONDS:
            yield (hash, extension), status.st_size


def _describe_use(use: Any) -> str:
    kind = use.kind.replace("_", " ")
    item = f"The {kind} {use.title!r}" if use.title is not None else f"The deleted {kind}"
    if use.current:
        return f"{item} ({use.uuid}) uses the file."
    return f"{item} ({use.uuid}) uses the file in former versions."
