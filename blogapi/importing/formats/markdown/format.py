"""The format of Markdown, HTML and text files, and of all files that have no other format."""

from __future__ import annotations

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.markdown.source import MarkdownSource


def detect(entry: Entry, head: bytes) -> bool:
    """Return True: this format is tried last."""
    return True


FORMAT = Format(name="markdown", contract=CONTRACT_VERSION, detect=detect, open_source=MarkdownSource)
