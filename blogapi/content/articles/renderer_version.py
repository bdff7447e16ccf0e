"""The version of the code that makes the derived columns and search words of articles."""

from __future__ import annotations

# Increase this number when a change of the code, or of a library that renders, changes derived columns or
# search words of an article. At the next start, all articles are then rendered again. A golden test fails if
# HTML, texts, search words or fields change, but not if the addresses of media files change. The versions of
# the libraries do not count: otherwise two servers of a release could render all articles again in turn.
RENDERER_VERSION = "16"
