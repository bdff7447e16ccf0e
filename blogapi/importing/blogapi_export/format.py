"""How the files of exports of blogapi are recognised, and what reads them."""

from __future__ import annotations

from blogapi.importing.blogapi_export import article_files, layout
from blogapi.importing.blogapi_export.source import ExportSource
from blogapi.importing.format_api.files import Entry, read_bytes
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.refusals import RefusedFile


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether the file belongs to an export of blogapi.

    That is a file below the folder of an export: one of its data files, an article whose front matter has
    the field `blogapi`, or each article if the folder names its source. Another file in the folder is a file
    of another format.
    """
    export = layout.find_export(entry.path)
    if export is None:
        return False
    if layout.is_data_file(export, entry.path):
        return True
    if entry.problem or entry.path.suffix.lower() not in layout.ARTICLE_SUFFIXES:
        return False
    has_mark = article_files.has_mark(head)
    if has_mark is None:
        has_mark = article_files.has_mark(_read(entry))
    return has_mark is True or export.is_article(entry.path)


def _read(entry: Entry) -> bytes:
    try:
        return read_bytes(entry.path)
    except RefusedFile:
        return b""


FORMAT = Format(name="blogapi", contract=CONTRACT_VERSION, detect=detect, open_source=ExportSource)
