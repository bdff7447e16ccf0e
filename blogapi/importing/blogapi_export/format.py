"""The format `blogapi`: the files of exports of blogapi."""

from __future__ import annotations

from blogapi.importing.blogapi_export import article_files, layout
from blogapi.importing.blogapi_export.source import ExportSource
from blogapi.importing.format_api.files import Entry, read_bytes
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.refusals import RefusedFile


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether the file belongs to an export of blogapi.

    In the folder of an export, these are the data files and the text files with the field `blogapi` in the
    front matter. If `blogapi.yaml` names a source, they are all files in the folders of articles too. Other
    files in the folder belong to other formats.
    """
    export = layout.find_export(entry.path)
    if export is None:
        return False
    if layout.is_data_file(export, entry.path):
        return True
    if entry.problem or entry.path.suffix.lower() not in layout.ARTICLE_SUFFIXES:
        return False
    has_blogapi_field = article_files.has_blogapi_field(head)
    if has_blogapi_field is None:
        has_blogapi_field = article_files.has_blogapi_field(_read(entry))
    return has_blogapi_field is True or export.is_article(entry.path)


def _read(entry: Entry) -> bytes:
    try:
        return read_bytes(entry.path)
    except RefusedFile:
        return b""


FORMAT = Format(name="blogapi", contract=CONTRACT_VERSION, detect=detect, open_source=ExportSource)
