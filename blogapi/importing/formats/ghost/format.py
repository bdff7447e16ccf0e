"""The format of Ghost: how its files are recognised, and the source that reads them."""

from __future__ import annotations

import codecs
import re

from blogapi.importing.format_api.files import Entry
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.formats.ghost.source import GhostSource

# Every export of Ghost itself begins with `db` or `meta`, which has the time of the export.
_DATABASE = re.compile(r'\{\s*+"db"\s*+:\s*+\[?+\s*+\{\s*+"(?:meta|data)"\s*+:')
# Some exports of 0.x and of migration tools; the first tables can be longer than the head of the file.
_DATA = re.compile(r'\{\s*+"data"\s*+:\s*+\{')
_TABLE = re.compile(r'"(?:posts|posts_(?:tags|authors|meta)|users|roles_users|tags|settings)"\s*+:\s*+\[')
_META = re.compile(r'"exported_on"\s*:')
# Exports of other tools, and responses of Ghost's API.
_POSTS = re.compile(r'"posts"\s*:\s*\[')
_BODY = re.compile(r'"(?:mobiledoc|lexical|markdown|feature_image)"\s*:')
_SLUG = re.compile(r'"slug"\s*:')


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether a file is an export of Ghost; `head` has its first bytes."""
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = head.decode("utf-16" if is_utf16 else "utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return False
    has_posts = _POSTS.search(text) and _BODY.search(text) and _SLUG.search(text)
    has_tables = _DATA.match(text) and _TABLE.search(text)
    return bool(_DATABASE.match(text) or _META.search(text) or has_posts or has_tables)


FORMAT = Format(name="ghost", contract=CONTRACT_VERSION, detect=detect, open_source=GhostSource)
