"""The format of Notion: how its files are recognised, and the source that reads them."""

from __future__ import annotations

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.notion.source import FILE_NAME, NotionSource


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is a page or a database of Notion."""
    return FILE_NAME.fullmatch(entry.path.name) is not None


FORMAT = Format(name="notion", contract=CONTRACT_VERSION, detect=detect, open_source=NotionSource)
