"""The formats that the import reads. A file is recognised by its content, not by its name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from blogapi.transfer import folder
from blogapi.transfer.sources import ImportOptions, Source

#: The package or module of each format.
MODULES = {
    "blogapi": "blogapi.transfer.blogapi_export",
    "wordpress": "blogapi.transfer.wordpress",
    "ghost": "blogapi.transfer.ghost",
    "blogger": "blogapi.transfer.blogger",
    "medium": "blogapi.transfer.medium",
    "markdown": "blogapi.transfer.markdown.source",
}
#: The format of files that no other format recognises.
DEFAULT_FORMAT = "markdown"
FORMATS = tuple(MODULES)
#: The formats that are recognised by the first bytes of a file, in this order.
RECOGNISED = tuple(name for name in MODULES if name != DEFAULT_FORMAT)

#: The number of bytes at the start of a file by which its format is recognised.
HEAD_BYTES = 16 * 1024


class Format(Protocol):
    """What the module of a format contains."""

    def recognise(self, entry: folder.Entry, head: bytes) -> bool:
        """Return whether a file has the format; `head` has its first HEAD_BYTES bytes."""
        ...

    def open_source(self, entries: Sequence[folder.Entry], options: ImportOptions) -> Source:
        """Return the source that reads these files, which all have the format."""
        ...


def get_format(name: str) -> Format:
    """Return the module of a format, imported on first use, so that a server does not load the readers."""
    return cast(Format, import_module(MODULES[name]))
