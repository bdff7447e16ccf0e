"""Checks of the media folder and of the stored uses of its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from flask import current_app
from sqlalchemy import ColumnElement, and_, exists, or_, select, update

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.articles.models import Article
from blogapi.content.media import stored_files, uses
from blogapi.content.media.folder import get_folder
from blogapi.content.media.models import Media, MediaPath, MediaUse
from blogapi.content.media.stored_files import StoredFile
from blogapi.operations.backups.archive import MEDIA_FOLDER
from blogapi.operations.backups.media_restoring import copy_file_if_intact
from blogapi.operations.doctor import findings
from blogapi.operations.doctor.findings import (
    Finding,
    Level,
    make_hint_finding,
    make_ok_finding,
    make_problem_finding,
    make_repairable_finding,
)
from blogapi.storage import files
from blogapi.storage.database import current_time, db, transaction

_COPY_REMEDY = "copy these files from the folder `media` of a backup to the same paths, or restore a backup"


def run_checks(
    *, repair: bool = False, full: bool = False, progress: ProgressReporter = hide_progress
) -> Iterator[Finding]:
    """Yield findings about the media folder and the use of media.

    The sizes of all files are checked, and with `full` their digests. `repair` deletes no media; it copies
    lost files from the daily backups.
    """
    root = get_folder().root
    yield from _check_folder(root)
    stored = _read_stored_files()
    faults = {
        file: fault
        for file in progress(sorted(stored), total=len(stored), label="Media files")
        if (fault := stored_files.find_fault(root / file.path, file, full=full))
    }
    existing = {path.relative_to(root).as_posix(): path for path in stored_files.list_stored_paths(root)}
    # A running service may have added or deleted files in the meantime.
    current = _read_stored_files()
    faults = {file: fault for file, fault in faults.items() if file in current}
    if faults and repair and not _is_unmounted(root):
        yield from _restore_from_backups(root, faults)
    yield _report_faults(root, faults) if faults else _report_intact_files(root, stored, full)
    known_paths = {file.path for file in stored | current}
    yield from _report_orphans(root, [path for name, path in existing.items() if name not in known_paths])
    yield from _check_unfinished_files(root, repair)
    yield _check_media_uses(repair)
    yield _check_unused_since(repair)


def _is_unmounted(root: Path) -> bool:
    # The default media folder is created with the first file.
    return bool(current_app.config["MEDIA_PATH"]) and not root.is_dir()


def _check_folder(root: Path) -> Iterator[Finding]:
    if _is_unmounted(root):
        says = f"The media folder {root} does not exist."
        yield make_problem_finding("media", says, "mount it, create it, or correct MEDIA_PATH")
    elif root.is_dir() and not os.access(root, os.W_OK):
        yield make_problem_finding(
            "media", f"{root} is not writable.", f"give {root} to the user that runs the service"
        )


def _read_stored_files() -> set[StoredFile]:
    stored = stored_files.read_stored_files(db.session.connection())
    db.session.rollback()
    return stored


def _restore_from_backups(root: Path, faults: dict[StoredFile, str]) -> Iterator[Finding]:
    """Copy files from the daily backups; remove the restored files from `faults`."""
    source, names = Path(current_app.instance_path, "backups", MEDIA_FOLDER), []
    for file in list(faults):
        if copy_file_if_intact(source, file, root):
            del faults[file]
            names.append(file.path)
    if names:
        says = f"{len(names)} media files were copied from {source} ({findings.join_examples(names)})."
        yield Finding("media", Level.REPAIRED, says)


def _report_faults(root: Path, faults: dict[StoredFile, str]) -> Finding:
    names = [f"{file.path} ({file.label}): {fault}" for file, fault in sorted(faults.items())]
    paths = [root / file.path for file in faults]
    are_unreadable = all(path.exists() and not os.access(path, os.R_OK) for path in paths)
    state, remedy = "are missing or damaged", _COPY_REMEDY
    if are_unreadable:
        state, remedy = "cannot be read", findings.CHANGE_OWNER_REMEDY
    says = f"{len(names)} media files in {root} {state} ({findings.join_examples(names)})."
    return make_problem_finding("media", says, remedy)


def _report_intact_files(root: Path, stored: set[StoredFile], full: bool) -> Finding:
    size = findings.format_bytes(sum(file.size for file in stored))
    says = f"{len(stored)} media files ({size}) in {root} have the right sizes"
    return make_ok_finding(
        "media", f"{says} and digests." if full else f"{says}; --full checks their digests too."
    )


def _report_orphans(root: Path, orphans: list[Path]) -> Iterator[Finding]:
    if orphans:
        size = findings.format_bytes(sum(status.st_size for _, status in files.read_file_statuses(orphans)))
        names = findings.join_examples(sorted(path.name for path in orphans))
        says = f"{len(orphans)} files ({size}) in {root} belong to no media ({names})."
        remedy = "run `media prune` to delete them when they are a day old, but not before a `rollback`"
        yield make_hint_finding("media", says, remedy)


def _check_unfinished_files(root: Path, repair: bool) -> Iterator[Finding]:
    names = [path.name for path in files.list_abandoned_files(root)]
    if not names:
        return
    says = f"{len(names)} unfinished files in {root} were left by killed processes."
    if repair:
        files.delete_abandoned_files(root)
        yield Finding("media", Level.REPAIRED, says)
    else:
        yield make_hint_finding("media", says, "doctor --repair")


def _check_media_uses(repair: bool) -> Finding:
    """Check the stored uses of media except by existing articles, which `derived_data_checks` checks."""
    items = uses.list_items_with_wrong_uses(db.session())
    is_deleted = ~exists().where(Article.uuid == MediaUse.item_id)
    statement = select(MediaUse.item_id).where(MediaUse.kind == uses.ARTICLE, MediaUse.current, is_deleted)
    deleted = db.session.scalars(statement.distinct()).all()
    db.session.rollback()
    if not items and not deleted:
        return make_ok_finding(
            "media", "The uses of media by authors, categories, working copies and the site are up to date."
        )
    if repair:
        with transaction():
            uses.repair_uses(db.session(), items)
            uses.mark_article_uses_former(db.session(), deleted)
    names = [f"{kind} {item}" for kind, item, _ in items] + [f"deleted article {item}" for item in deleted]
    says = f"The uses of media by {len(names)} items are wrong ({findings.join_examples(names)})."
    return make_repairable_finding("media", says, repair)


def _check_unused_since(repair: bool) -> Finding:
    used = or_(
        exists().where(MediaUse.media_id == Media.uuid), exists().where(MediaPath.media_id == Media.uuid)
    )
    outdated = and_(used, Media.unused_since.is_not(None))
    missing = and_(~used, Media.unused_since.is_(None))
    names = list(db.session.scalars(select(Media.name).where(or_(outdated, missing)).order_by(Media.name)))
    db.session.rollback()
    if not names:
        return make_ok_finding("media", "`unused_since` is right for all media.")
    if repair:
        with transaction():
            _set_unused_since(outdated, None)
            _set_unused_since(missing, current_time())
    says = f"{len(names)} media have a wrong `unused_since` ({findings.join_examples(names)})."
    return make_repairable_finding("media", says, repair)


def _set_unused_since(condition: ColumnElement[bool], time: datetime | None) -> None:
    # `last_updated` is set explicitly because `onupdate` would change it otherwise.
    values = {"unused_since": time, "last_updated": Media.last_updated}
    db.session.execute(
        update(Media).where(condition).values(values).execution_options(synchronize_session=False)
    )
