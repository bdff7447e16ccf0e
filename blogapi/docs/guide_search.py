"""The search index of the guide, which `guide.js` loads and searches."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import cache

from blogapi.docs import guide_pages
from blogapi.docs.guide_pages import GuidePage
from blogapi.rendering.plain_text import to_plain_text
from blogapi.web import json as web_json


@cache
def compress_index() -> bytes:
    """Return the entries, one for each section of the guide, as a JSON array, compressed with gzip."""
    entries = [entry for page in guide_pages.list_pages() for entry in _list_entries(page)]
    return gzip.compress(web_json.to_json_bytes(entries), mtime=0)


def _list_entries(page: GuidePage) -> Iterator[dict[str, str]]:
    headings = [*guide_pages.HEADING.finditer(page.html)]
    ends = [heading.start() for heading in headings[1:]] + [len(page.html)]
    for heading, end in zip(headings, ends, strict=True):
        yield {
            "url": page.url if heading[1] == "1" else f"{page.url}#{heading[2]}",
            "page": page.title,
            "heading": to_plain_text(heading[3]),
            "text": to_plain_text(page.html[heading.end() : end]),
        }
