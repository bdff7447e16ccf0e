"""Renders the content of an article, and derives its excerpt, its length and its table of contents."""

from __future__ import annotations

from dataclasses import dataclass

from blogapi.rendering import plain_text
from blogapi.rendering.table_of_contents import Heading, list_headings


@dataclass(frozen=True, slots=True)
class RenderedContent:
    """The content of an article as sanitized HTML and as plain text on one line.

    `toc` contains the headings of the HTML.
    """

    html: str
    plain_text: str
    excerpt: str
    reading_minutes: int
    word_count: int
    toc: tuple[Heading, ...]


def render(content: str, content_type: str) -> RenderedContent:
    """Render content; `content_type` is html, markdown or text.

    Takes at most about two seconds for 2 MB, whatever it contains, and needs no database.
    """
    # Imported here, because its libraries need 4 MB of memory, which servers without writes can save.
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
