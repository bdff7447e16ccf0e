"""Exports the blog to a folder or a zip archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from blogapi.cli import ProgressReporter, hide_progress
from blogapi.content.media.folder import get_folder
from blogapi.exporting.export_files import list_files
from blogapi.exporting.layouts import Layout
from blogapi.exporting.results import ExportReport, FileResult
from blogapi.exporting.snapshot import open_snapshot
from blogapi.exporting.writers import write_folder, write_zip
from blogapi.storage.disk_errors import is_disk_full_error
from blogapi.web.errors import Conflict, StorageFull


def write_export(
    target: Path,
    layout: Layout,
    *,
    drafts: bool = False,
    admin_fields: bool = True,
    since: datetime | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    progress: ProgressReporter = hide_progress,
) -> ExportReport:
    """Write the blog into a folder, or into an archive if the name of the target ends with `.zip`.

    With `since`, the export contains only articles and media files that were written since then, and all
    pages and terms. Raises StorageFull or Conflict if the target cannot be written.
    """
    report, media = ExportReport(), get_folder().root
    with (
        _convert_errors(target),
        open_snapshot(drafts=drafts, admin_fields=admin_fields, since=since) as snapshot,
    ):
        report.public, report.media = snapshot.public_count, len(snapshot.media)
        report.drafts = snapshot.article_count - snapshot.public_count
        report.left_out = snapshot.left_out
        is_archive = target.suffix.lower() == ".zip"
        if is_archive and target.is_dir():
            raise Conflict(f"{target} is a folder; choose another name for the archive.")
        total = snapshot.article_count + len(snapshot.media)
        items = progress(list_files(snapshot, layout), total=total, label="Exporting")
        if not is_archive:
            flags = {"overwrite": overwrite, "dry_run": dry_run, "is_private": drafts}
            write_folder(items, target, media, report, layout.manifest, **flags)
        elif dry_run:
            report.files[FileResult.WRITTEN] = sum(1 for _ in items)
        else:
            write_zip(items, target, media, report, layout.manifest)
    return report


@contextmanager
def _convert_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # The message does not name the folder, because editors who download an export see the message.
        name = Path(error.filename or target).name
        if is_disk_full_error(error):
            raise StorageFull(
                f"The disk is full; the export is incomplete. Free some space and run it again ({name})."
            ) from error
        raise Conflict(f"{name} cannot be written ({(error.strerror or str(error)).lower()}).") from error
