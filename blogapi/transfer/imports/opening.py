"""Open the paths of an import: group their files by format and let each format read its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.imports import formats
from blogapi.transfer.sources import ImportOptions, Source


def open_sources(
    entries: Iterable[folder.Entry],
    options: ImportOptions,
    *,
    media_extensions: set[str],
    given: Iterable[Path] = (),
    format_name: str | None = None,
) -> Mapping[str, Source]:
    """Return a source for each format that a file has, by the name of the format.

    Media files are left out, because they are taken with the articles that refer to them; a file that the
    user has named (`given`) is not. With `format_name`, all files belong to this format.
    """
    named = {path.resolve() for path in given}
    groups: dict[str, list[folder.Entry]] = {}
    for entry in entries:
        is_media = entry.path.suffix[1:].lower() in media_extensions and entry.path not in named
        if not is_media:
            groups.setdefault(format_name or detect_format(entry), []).append(entry)
    # The order of the formats is fixed, so that two imports of the same files give the same slugs.
    return {
        name: formats.get_format(name).open_source(groups[name], options)
        for name in formats.FORMATS
        if name in groups
    }


def detect_format(entry: folder.Entry) -> str:
    """Return the name of the format of a file, by its first bytes."""
    head = b""
    if entry.problem is None:
        with suppress(RefusedFile):
            head = folder.read_head(entry.path, formats.HEAD_BYTES)
    recognised = (name for name in formats.RECOGNISED if formats.get_format(name).recognise(entry, head))
    return next(recognised, formats.DEFAULT_FORMAT)
