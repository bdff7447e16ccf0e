"""The format of Medium: how its files are recognised, and the source that reads them."""

from __future__ import annotations

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.medium.source import MediumSource

_STARTS = (b'class="h-entry"', b'data-field="body"')


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is the page of a story."""
    return all(start in head for start in _STARTS)


FORMAT = Format(name="medium", contract=CONTRACT_VERSION, detect=detect, open_source=MediumSource)
