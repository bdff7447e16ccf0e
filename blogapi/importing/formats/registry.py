"""The formats that can be imported, and the package or module that reads each of them."""

from __future__ import annotations

MODULES = {
    "blogapi": "blogapi.importing.blogapi_export.format",
    "wordpress": "blogapi.importing.formats.wordpress.format",
    "ghost": "blogapi.importing.formats.ghost.source",
    "blogger": "blogapi.importing.formats.blogger.source",
    "medium": "blogapi.importing.formats.medium.source",
    "substack": "blogapi.importing.formats.substack.source",
    "notion": "blogapi.importing.formats.notion.source",
    "markdown": "blogapi.importing.formats.markdown.source",
}
#: The format of files that no other format recognises.
DEFAULT_FORMAT = "markdown"
#: The formats that are recognised by the first bytes of a file, in this order.
RECOGNISED = tuple(name for name in MODULES if name != DEFAULT_FORMAT)
