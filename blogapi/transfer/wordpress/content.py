"""Converts the text of a WordPress post to HTML."""

from __future__ import annotations

from blogapi.transfer.wordpress.context import Attachment, ContentContext, Converted

__all__ = ["Attachment", "ContentContext", "Converted", "to_html"]


def to_html(content: str, context: ContentContext) -> Converted:
    """Return the text of a post or page as HTML; `content` is its text in the database of WordPress."""
    return Converted(html=content)
