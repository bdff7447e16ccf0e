"""The format of Substack: how its files are recognised, and the source that reads them."""

from __future__ import annotations

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.substack.source import (
    POST_NAME,
    TABLE_NAME,
    TABLE_START,
    SubstackSource,
    find_table,
)


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is the table of an export, or a post that is beside it."""
    if entry.path.name == TABLE_NAME:
        return TABLE_START.match(head) is not None
    return POST_NAME.fullmatch(entry.path.name) is not None and find_table(entry.path.parent) is not None


FORMAT = Format(name="substack", contract=CONTRACT_VERSION, detect=detect, open_source=SubstackSource)
