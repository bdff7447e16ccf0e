"""Everything that is derived from the content of an article."""

from __future__ import annotations

from dataclasses import dataclass

from blogapi.content import plain_text, sanitizer


@dataclass(frozen=True, slots=True)
class RenderedContent:
    """The content of an article as sanitized HTML and as plain text on one line."""

    html: str
    plain_text: str
    excerpt: str
    reading_minutes: int


def render(content: str, content_type: str) -> RenderedContent:
    """Render content; `content_type` is html, markdown or text.

    Takes at most about two seconds for 2 MB, whatever it contains, and needs no database.
    """
    html = sanitizer.to_safe_html(content, content_type)
    text = plain_text.to_plain_text(html)
    return RenderedContent(
        html, text, plain_text.make_excerpt(text), plain_text.estimate_reading_minutes(text)
    )
