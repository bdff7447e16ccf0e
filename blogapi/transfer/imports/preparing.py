"""Prepare an import: unpack its archives, open its files, and build the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flask import current_app

from blogapi.transfer import archives, folder
from blogapi.transfer.imports.opening import open_sources
from blogapi.transfer.imports.run import ImportRun
from blogapi.transfer.imports.service import Importer
from blogapi.transfer.imports.spool import Spool
from blogapi.transfer.links.addresses import to_host
from blogapi.transfer.media.imported_media import list_extensions
from blogapi.transfer.sources import ImportOptions


def get_folder() -> Path:
    """Return the folder of unpacked archives and of the imports over HTTP, even if it is missing."""
    return Path(current_app.instance_path) / "imports"


@contextmanager
def open_run(
    paths: Sequence[Path],
    importer: Importer,
    options: ImportOptions,
    *,
    format_name: str | None = None,
) -> Iterator[ImportRun]:
    """Yield the import of these files, folders and archives; their temporary files are deleted at the end.

    Archives are unpacked in the folder of imports. With `format_name`, all files belong to this format.
    Raises RefusedFile if a path or an archive is refused.
    """
    with ExitStack() as stack:
        notes: list[str] = []
        entries = list(folder.walk_paths(_unpack(paths, stack, notes)))
        sources = open_sources(
            entries, options, format_name=format_name, media_extensions=list_extensions(), given=paths
        )
        hosts = filter(None, [to_host(options.base_url)])
        run = ImportRun(importer, sources, stack.enter_context(Spool()), now=options.now, hosts=hosts)
        run.notes += notes
        yield run


def _unpack(paths: Sequence[Path], stack: ExitStack, notes: list[str]) -> Iterator[Path]:
    """Yield the paths, with the folder of an unpacked archive in place of each archive.

    The folders are deleted when the stack is closed.
    """
    limit: int = current_app.config["MAX_MEDIA_SIZE"]
    for path in paths:
        if archives.is_archive(path):
            archive = stack.enter_context(archives.open_archive(path, get_folder(), max_media_bytes=limit))
            notes += archive.notes
            yield archive.folder
        else:
            yield path
