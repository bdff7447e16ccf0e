"""Open an import: unpack its archives, group its files by format, and build the run.

The format of a file is recognised by its content, not by its name.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from flask import current_app

from blogapi.importing import archives
from blogapi.importing.format_api.source import Format, ImportOptions, Source
from blogapi.importing.format_api.source_files import Entry, read_head, walk_paths
from blogapi.importing.formats import registry
from blogapi.importing.media.imported_media import list_extensions
from blogapi.importing.pipeline.run import ImportRun, open_spool
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.storing.service import Importer
from blogapi.storage import files
from blogapi.storage.database import db

#: The number of bytes at the start of a file by which its format is recognised.
HEAD_BYTES = 16 * 1024


@contextmanager
def open_run(
    paths: Sequence[Path], importer: Importer, options: ImportOptions, *, format_name: str | None = None
) -> Iterator[ImportRun]:
    """Yield the import of these files, folders and archives; their temporary files are deleted at the end.

    Archives are unpacked in the folder of imports. With `format_name`, all files belong to this format.
    Raises RefusedFile if a path or an archive is refused.
    """
    with ExitStack() as stack:
        notes: list[str] = []
        # Only SQLite may open the database and its side files.
        database = Path(str(db.engine.url.database)).resolve()
        is_sqlite = db.engine.dialect.name == "sqlite"
        database_files = (database, *files.get_side_files(database)) if is_sqlite else ()
        walked = walk_paths(_unpack_archives(paths, stack, notes, database_files))
        own = NotAnArticle("It is the database of this blog.")
        entries = [replace(it, problem=own) if it.path in database_files else it for it in walked]
        if format_name:
            formats = {format_name: registry.get_format(format_name, notes)}
        else:
            formats = registry.load_formats(notes)
        sources = open_sources(entries, formats, options, media_extensions=list_extensions(), given=paths)
        run = ImportRun(importer, sources, stack.enter_context(open_spool()), options)
        run.notes += notes
        yield run


def _unpack_archives(
    paths: Sequence[Path], stack: ExitStack, notes: list[str], excluded: Container[Path]
) -> Iterator[Path]:
    """Yield the paths, with the temporary folder of an unpacked archive in place of each archive."""
    limit: int = current_app.config["MAX_MEDIA_SIZE"]
    for path in paths:
        if path.resolve() not in excluded and archives.is_archive(path):
            opened = archives.open_archive(path, archives.get_import_folder(), max_media_bytes=limit)
            folder, skipped = stack.enter_context(opened)
            notes += skipped
            yield folder
        else:
            yield path


def open_sources(
    entries: Iterable[Entry],
    formats: Mapping[str, Format],
    options: ImportOptions,
    *,
    media_extensions: set[str],
    given: Iterable[Path] = (),
) -> Mapping[str, Source]:
    """Return a source for each format that at least one file has, by the name of the format.

    Media files are left out, because they are imported with the articles that refer to them. Files that the
    user has named (`given`) are not left out. If there is only one format, all files belong to it.
    """
    named = {path.resolve() for path in given}
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.path.suffix[1:].lower() in media_extensions and entry.path not in named:
            continue
        name, head = next(iter(formats)), b""
        if len(formats) > 1:
            with suppress(RefusedFile):
                head = b"" if entry.problem else read_head(entry.path, HEAD_BYTES)
            name = next(name for name, format_ in formats.items() if format_.detect(entry, head))
        groups.setdefault(name, []).append(entry)
    # The order of the formats is fixed, so that two imports of the same files give the same slugs.
    return {
        name: format_.open_source(groups[name], options)
        for name, format_ in formats.items()
        if name in groups
    }
