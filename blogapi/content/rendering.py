"""Everything that is computed from the content of an article."""

from __future__ import annotations

from dataclasses import dataclass

from blogapi.content import plain_text, sanitizer


@dataclass(frozen=True, slots=True)
class RenderedContent:
    """Sanitized HTML, its text on one line, the beginning of the text, and the reading time in minutes."""

    html: str
    plain_text: str
    excerpt: str
    reading_minutes: int


def render(content: str, content_type: str) -> RenderedContent:
    """Return what is computed from the content; `content_type` is html, markdown or text."""
    html = sanitizer.to_safe_html(content, content_type)
    text = plain_text.to_plain_text(html)
    return RenderedContent(
        html, text, plain_text.make_excerpt(text), plain_text.estimate_reading_minutes(text)
    )
