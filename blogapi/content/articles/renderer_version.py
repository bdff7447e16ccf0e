"""The version of the code and libraries that make the derived columns and search words of articles."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

# Increase this number when a change of the code changes derived columns or search words of an article. At
# the next start, all articles are then rendered again. A golden test fails if HTML, texts, search words or
# fields change, but not if the addresses of media files change.
RENDERER_NUMBER = 14

LIBRARIES = ("anyascii", "comrak-ext", "marshmallow", "nh3", "tzdata")


@cache
def get_renderer_version() -> str:
    """Return the version as text, such as `1 comrak-ext=0.2.8 …`."""
    return " ".join([str(RENDERER_NUMBER), *(f"{name}={version(name)}" for name in LIBRARIES)])
