"""The format of Blogger: how its files are recognised, and the source that reads them."""

from __future__ import annotations

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.blogger.source import BloggerSource

_ATOM_HINTS = (b"schemas.google.com/blogger/", b"blogger.com,1999:blog-")


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is an Atom feed of Blogger."""
    return b"<feed" in head and any(hint in head for hint in _ATOM_HINTS)


FORMAT = Format(name="blogger", contract=CONTRACT_VERSION, detect=detect, open_source=BloggerSource)
