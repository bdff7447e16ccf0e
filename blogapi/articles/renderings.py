"""Renders content before the transaction that stores it, so that no other writer waits for rendering."""

from __future__ import annotations

from collections.abc import Iterable

from blogapi.content.rendering import RenderedContent, render
from blogapi.storage.database import db

# The key of `session.info` for the renderings, which are stored by content and content type.
_INFO_KEY = "renderings"


def prepare(contents: Iterable[tuple[str, str]], *, keep: bool = False) -> None:
    """Render each pair of content and content type for the next transaction of the session.

    The renderings replace those of the previous call, unless `keep` is set.
    """
    info = db.session().info
    kept = info.get(_INFO_KEY, {}) if keep else {}
    info[_INFO_KEY] = kept | {pair: render(*pair) for pair in set(contents)}


def get_rendering(content: str, content_type: str) -> RenderedContent:
    """Return the prepared rendering of the content, or render it now."""
    prepared = db.session().info.get(_INFO_KEY, {})
    return prepared.get((content, content_type)) or render(content, content_type)
