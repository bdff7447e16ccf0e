"""The version of the code that makes the derived columns and search words of articles."""

from __future__ import annotations

# Increase this number when a change of the code, or of a library that renders, changes derived columns or
# search words of an article. At the next start, all articles are then rendered again. A golden test fails if
# HTML, texts, search words or fields change, but not if the addresses of media files change. The number
# contains no library versions: otherwise two servers with other libraries would render all articles in turn.
RENDERER_NUMBER = 16


def get_renderer_version() -> str:
    """Return the version as the database stores it."""
    return str(RENDERER_NUMBER)
