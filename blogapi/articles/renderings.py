"""Renderings of contents, made before the transaction that stores them: other writers never wait for one."""

from __future__ import annotations

from collections.abc import Iterable

from blogapi.content.rendering import RenderedContent, render
from blogapi.storage.database import db

# The key of the session's info that holds the renderings by content and content type.
_INFO_KEY = "renderings"


def prepare(contents: Iterable[tuple[str, str]]) -> None:
    """Render these contents, given with their content types, for the next transaction of the session.

    They replace the renderings that were prepared before.
    """
    db.session().info[_INFO_KEY] = {pair: render(*pair) for pair in set(contents)}


def get_rendering(content: str, content_type: str) -> RenderedContent:
    """Return the prepared rendering of the content, or render it now."""
    prepared = db.session().info.get(_INFO_KEY, {})
    return prepared.get((content, content_type)) or render(content, content_type)
