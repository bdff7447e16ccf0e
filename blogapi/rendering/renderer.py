"""Renders the content of an article, and derives its excerpt, its length and its table of contents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogapi.rendering import plain_text

# The table of contents is limited, so that it stays shorter than the content.
MAX_HEADINGS = 500
MAX_HEADING_LENGTH = 500

# nh3 quotes each attribute value and escapes `<`, `>` and `"` in it.
_HEADING = re.compile(r"<h([1-6])((?: [^<>]*)?)>((?:[^<]++|<(?!/?h[1-6][ >]))*+)</h\1>")
_ID = re.compile(r' id="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level (1 to 6), its plain text and its id; the id may be empty."""

    level: int
    text: str
    id: str


def list_headings(html: str) -> tuple[Heading, ...]:
    """Return the first MAX_HEADINGS headings of sanitized HTML that have a text, in their order."""
    headings = list[Heading]()
    for level, attributes, content in _HEADING.findall(html):
        text = plain_text.to_plain_text(plain_text.FOOTNOTE_REFERENCE.sub("", content))[:MAX_HEADING_LENGTH]
        if text:
            id_match = _ID.search(attributes)
            id = plain_text.decode_entities(id_match[1]) if id_match else ""
            headings.append(Heading(int(level), text, id))
        if len(headings) == MAX_HEADINGS:
            break
    return tuple(headings)


@dataclass(frozen=True, slots=True)
class RenderedContent:
    """The content of an article as sanitized HTML and as plain text on one line.

    `toc` contains the headings of the HTML, as its table of contents.
    """

    html: str
    plain_text: str
    excerpt: str
    reading_minutes: int
    word_count: int
    toc: tuple[Heading, ...]


def render_text(content: str, content_type: str) -> RenderedContent:
    """Render the content of an article; `content_type` is html, markdown or text.

    Takes at most about two seconds for 2 MB of any content, and needs no database.
    """
    # Imported here, so that servers that render nothing save the 4 MB of memory of the sanitizer.
    from blogapi.rendering import sanitizer

    html = sanitizer.to_safe_html(content, content_type)
    text = plain_text.to_plain_text(html)
    length = plain_text.measure_text(text)
    return RenderedContent(
        html,
        text,
        plain_text.make_excerpt(html),
        length.reading_minutes,
        length.word_count,
        list_headings(html),
    )
