"""The addresses of files, `/media/<hash>/<name>`, and references to files."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from blogapi.web.media_addresses import MEDIA_PREFIX

ALLOWED_WIDTHS = (200, 320, 400, 480, 640, 800, 960, 1200, 1600, 2000, 2400)
# The widths in `renditions`. A picture that is not wider than the smallest width has no renditions.
RENDITION_WIDTHS = (400, 800, 1600)
# The widths in `srcset`, for a column of 800 CSS pixels on screens with up to 3 device pixels per CSS pixel.
SRCSET_WIDTHS = (400, 640, 800, 1200, 1600, 2400)
COMMON_COPY_EXTENSIONS = ("avif", "webp")

MEDIA_REFERENCE = re.compile(r"media:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)

_COPY_NAME = re.compile(r"w([1-9][0-9]{2,3})\.([a-z]{3,4})", re.ASCII)


class CopyFormat(NamedTuple):
    """The format of a resized copy: a width in ALLOWED_WIDTHS, and the extension of the file."""

    width: int
    extension: str

    @property
    def name(self) -> str:
        """The last part of the address of the copy, such as `w640.webp`."""
        return f"w{self.width}.{self.extension}"


def parse_copy_format(name: str) -> CopyFormat | None:
    """Return the width and the extension in the last part of an address; None for other addresses."""
    match = _COPY_NAME.fullmatch(name)
    copy_format = CopyFormat(int(match[1]), match[2]) if match else None
    return copy_format if copy_format and copy_format.width in ALLOWED_WIDTHS else None


def make_file_path(hash: str, name: str) -> str:
    """Return the path of a file below the address of the service."""
    return f"{MEDIA_PREFIX}{hash}/{name}"


def make_copy_path(path: str, width: int) -> str:
    """Return the path of the same picture in a width of ALLOWED_WIDTHS, as WebP."""
    return f"{path.rpartition('/')[0]}/w{width}.webp"


def scale_height(width: int, height: int, new_width: int) -> int:
    """Return the height of a copy with the width `new_width`."""
    return max(1, round(height * new_width / width))


def list_renditions(path: str, width: int, height: int) -> list[dict[str, Any]]:
    """Return width, height and path (`url`) of each smaller version of the picture at this path."""
    return [
        {"width": size, "height": scale_height(width, height, size), "url": make_copy_path(path, size)}
        for size in RENDITION_WIDTHS
        if size < width
    ]
