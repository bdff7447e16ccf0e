"""The format of WordPress: how its files are recognised, and the source that reads them."""

from __future__ import annotations

import codecs
import re

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.wordpress.source import WordPressSource

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# The declaration of the namespace; or the elements of WordPress, because some files have no declarations.
_WXR = re.compile(
    r"xmlns:[\w.-]+\s{0,9}=\s{0,9}[\"']https?://(?:www\.)?wordpress\.org/export/"
    r"|<wp:(?:wxr_version|base_(?:site|blog)_url|author|category|tag|term|post_(?:id|type|date|name))>"
    r"|^\s*<item>.*<(?:content|excerpt):encoded>",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIXES = (".xml", ".wxr", ".rss")


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is a WXR file or a part of one; `head` has its first bytes."""
    encoding = "utf-16" if head.startswith(_UTF_16_MARKS) else "utf-8-sig"
    text = head.decode(encoding, "replace").lstrip("\ufeff\0 \t\r\n")
    # Text before the XML declaration can be a warning of PHP; but a post can also quote WXR.
    is_xml = text.startswith("<") or entry.path.suffix.lower() in _SUFFIXES
    return is_xml and _WXR.search(text) is not None


FORMAT = Format(name="wordpress", contract=CONTRACT_VERSION, detect=detect, open_source=WordPressSource)
