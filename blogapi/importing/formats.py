"""The formats that can be imported, and the package or module that reads each of them."""

from __future__ import annotations

MODULES = {
    "blogapi": "blogapi.importing.blogapi_export",
    "wordpress": "blogapi.importing.wordpress",
    "ghost": "blogapi.importing.ghost",
    "blogger": "blogapi.importing.blogger",
    "medium": "blogapi.importing.medium",
    "substack": "blogapi.importing.substack",
    "notion": "blogapi.importing.notion",
    "markdown": "blogapi.importing.markdown.source",
}
#: The format of files that no other format recognises.
DEFAULT_FORMAT = "markdown"
#: The formats that are recognised by the first bytes of a file, in this order.
RECOGNISED = tuple(name for name in MODULES if name != DEFAULT_FORMAT)
