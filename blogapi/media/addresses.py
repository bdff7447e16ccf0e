"""The addresses of files, `/media/<hash>/<name>`, and references to files."""

from __future__ import annotations

import re

from blogapi.web.media_addresses import HASH_PREFIX as HASH_PREFIX
from blogapi.web.media_addresses import PATH as PATH
from blogapi.web.media_addresses import PREFIX as PREFIX

# The widths that each picture is available in.
LADDER = (200, 320, 400, 480, 640, 800, 960, 1200, 1600, 2000, 2400)
# The widths in `srcset`, for a column of 800 CSS pixels on screens with up to 3 dots each.
SRCSET_WIDTHS = (400, 640, 800, 1200, 1600, 2400)

# Matches a reference by uuid.
REFERENCE = re.compile(r"media:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", re.IGNORECASE)


def make_path(hash: str, name: str) -> str:
    """Return the path of a file below the address of the service."""
    return f"{PREFIX}{hash}/{name}"


def make_width_path(path: str, width: int) -> str:
    """Return the path of the same picture in a width of the ladder, as WebP."""
    return f"{path.rpartition('/')[0]}/w{width}.webp"


def make_rendition_name(name: str, width: int) -> str:
    """Return the name of a rendition, such as `cat-400.webp` for `cat.jpg`."""
    return f"{name.rpartition('.')[0]}-{width}.webp"
