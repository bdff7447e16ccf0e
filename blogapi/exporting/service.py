"""Exports the blog to a folder, a zip archive or a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from blogapi.cli import ProgressReporter, no_progress
from blogapi.exporting.export_files import dump, join_lines, list_files
from blogapi.exporting.layouts import Layout
from blogapi.exporting.results import ExportReport, FileResult
from blogapi.exporting.snapshot import Item, Snapshot, get_media_path, open_snapshot
from blogapi.exporting.writers import write_folder, write_zip
from blogapi.media.folder import get_folder
from blogapi.publication.kinds import TERM_LISTS
from blogapi.storage import files
from blogapi.storage.disk_errors import is_disk_full
from blogapi.web.errors import Conflict, StorageFull


def export_files(
    target: Path,
    layout: Layout,
    *,
    drafts: bool = False,
    admin_fields: bool = True,
    overwrite: bool = False,
    dry_run: bool = False,
    progress: ProgressReporter = no_progress,
) -> ExportReport:
    """Write the blog into a folder, or into an archive if the name of the target ends with `.zip`.

    Raises StorageFull or Conflict if the target cannot be written.
    """
    report, media = ExportReport(), get_folder().root
    with _convert_errors(target), open_snapshot(drafts=drafts, admin_fields=admin_fields) as snapshot:
        if target.resolve().is_relative_to(media.resolve()):
            raise Conflict(f"{target} is in the media folder of the blog; choose another place.")
        _count(snapshot, report)
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


def export_document(
    target: Path | None,
    output: IO[bytes],
    *,
    drafts: bool = False,
    dry_run: bool = False,
    progress: ProgressReporter = no_progress,
) -> ExportReport:
    """Write the blog as one JSON document to `target`, or to `output` if there is no target."""
    report = ExportReport()
    with _convert_errors(target or Path("-")), open_snapshot(drafts=drafts) as snapshot:
        _count(snapshot, report)
        if target is not None and target.is_dir():
            raise Conflict(f"{target} is a folder; name a file.")
        parts = progress(_write_document(snapshot), total=snapshot.article_count, label="Exporting")
        with files.partial_file(target) if target and not dry_run else nullcontext() as partial:
            with partial.open("wb") if partial else nullcontext(output) as document:
                for part in parts:
                    if not dry_run:
                        document.write(part.encode())
            if partial and target:
                files.replace(partial, target)
        report.files[FileResult.WRITTEN] = 1
    return report


def _write_document(snapshot: Snapshot) -> Iterator[str]:
    """Yield the parts of the document: its head, the text of each article, and its end."""
    contents = "all" if snapshot.includes_drafts else "public"
    service_url = snapshot.site["service_url"]
    yield f'{{"format":"blogapi-export","version":1,"contents":"{contents}",\n'
    yield f'"site":{dump(snapshot.site)},\n'
    for kind in TERM_LISTS:
        yield _list(kind, getattr(snapshot, kind))
    yield _list("fields", snapshot.fields)
    yield _list("media", [{**file, "url": f"{service_url}{get_media_path(file)}"} for file in snapshot.media])
    if snapshot.includes_drafts:
        yield _list("working_copies", snapshot.read_working_copies())
    yield '"articles":['
    separator = "\n"
    for article in snapshot.read_articles():
        yield f"{separator}{dump(article)}"
        separator = ",\n"
    yield "\n]}\n"


def _list(kind: str, items: Iterable[Item]) -> str:
    return f'"{kind}":[\n{join_lines(items)}\n],\n'


def _count(snapshot: Snapshot, report: ExportReport) -> None:
    report.public, report.media = snapshot.public_count, len(snapshot.media)
    report.drafts = snapshot.article_count - snapshot.public_count


@contextmanager
def _convert_errors(target: Path) -> Iterator[None]:
    """Convert errors of the file system into a Problem."""
    try:
        yield
    except OSError as error:
        # Editors who download the export see no path of the server.
        name = Path(error.filename or target).name
        if is_disk_full(error):
            raise StorageFull(
                f"The disk is full; the export is incomplete. Free some space and run it again ({name})."
            ) from error
        raise Conflict(f"{name} cannot be written ({(error.strerror or str(error)).lower()}).") from error
