"""Figures and galleries from paragraphs of Markdown that contain only pictures."""

from __future__ import annotations

import re

# The sanitizer quotes each attribute value, and escapes `<` and `>` in it.
_PICTURE = r"(?:<a [^<>]*+><img [^<>]*+></a>|<img [^<>]*+>)"
_PARAGRAPH = re.compile(rf"<p>\s*+({_PICTURE}(?:\s*+(?:<br>\s*+)?{_PICTURE})*+)\s*+</p>")
_PICTURE_PATTERN = re.compile(_PICTURE)
_TITLE = re.compile(r'(<img [^<>]*?) title="([^"]+)"')


def show_figures(html: str) -> str:
    """Return sanitized HTML of Markdown with figures instead of paragraphs that contain only pictures.

    The title of a picture becomes its caption, and several pictures become a gallery. A single picture
    without a title is not changed.
    """
    return _PARAGRAPH.sub(_to_figures, html) if "<img" in html else html


def _to_figures(paragraph: re.Match[str]) -> str:
    pictures = _PICTURE_PATTERN.findall(paragraph[1])
    if len(pictures) > 1:
        return "\n".join(['<div class="gallery">', *map(_to_figure, pictures), "</div>"])
    return _to_figure(pictures[0]) if _TITLE.search(pictures[0]) else paragraph[0]


def _to_figure(picture: str) -> str:
    title = _TITLE.search(picture)
    if title is None:
        return f"<figure>{picture}</figure>"
    untitled = _TITLE.sub(r"\1", picture)
    caption = title[2].replace("&quot;", '"')
    return f"<figure>{untitled}<figcaption>{caption}</figcaption></figure>"
