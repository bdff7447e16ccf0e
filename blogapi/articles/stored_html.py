"""The HTML of articles as it is stored: compressed, with the content of the article as dictionary.

Most of the HTML is in the content, so it takes a tenth of the space that it takes without the dictionary.
"""

from __future__ import annotations

import json
import zlib

from blogapi.rendering.plain_text import to_plain_text
from blogapi.web.errors import Damaged


def compress(html_json: bytes, content: bytes) -> bytes:
    """Return the JSON of the HTML as it is stored beside the content."""
    compressor = zlib.compressobj(zdict=content)
    return compressor.compress(html_json) + compressor.flush()


def decompress(stored: bytes, content: bytes) -> bytes:
    """Return the JSON of the HTML; raises Damaged if it was not rendered from this content."""
    decompressor = zlib.decompressobj(zdict=content)
    try:
        html_json = decompressor.decompress(stored)
    # SQLite returns a text if another program has stored one.
    except (zlib.error, TypeError) as error:
        raise Damaged("the stored HTML of an article does not fit its content") from error
    if not decompressor.eof:
        raise Damaged("the stored HTML of an article is incomplete")
    return html_json


def read_plain_text(stored: bytes, content: str) -> str:
    """Return the HTML as plain text; raises Damaged if it was not rendered from this content."""
    try:
        return to_plain_text(json.loads(decompress(stored, content.encode())))
    except ValueError as error:
        raise Damaged("the stored HTML of an article is not text") from error
