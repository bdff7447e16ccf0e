"""Replaces embedded pages of other sites that may not be embedded in articles."""

from __future__ import annotations

import re
from html import unescape

from blogapi.importing.texts.titles import split_address
from blogapi.rendering.players import EMBED_HOSTS

_FRAME = re.compile(r"<iframe\b([^<>]*)>(?:[^<]*</iframe>)?", re.IGNORECASE)
_SOURCE = re.compile(r"""\ssrc\s*+=\s*+["']?\s*+([^"'\s<>]+)""", re.IGNORECASE)


def replace_frames(html: str) -> tuple[str, int]:
    """Return the HTML with iframes of hosts that are not allowed replaced by links, and their number."""
    count = 0

    def replace(frame: re.Match[str]) -> str:
        nonlocal count
        source = _SOURCE.search(frame[1])
        if source is None or split_address(unescape(source[1])).hostname in EMBED_HOSTS:
            return frame[0]
        count += 1
        return f'<p><a href="{source[1]}">{source[1]}</a></p>'

    return _FRAME.sub(replace, html), count
