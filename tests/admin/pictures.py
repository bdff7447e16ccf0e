"""Draws the pictures of the README and of the guide.

`python -m tests.admin.pictures [NAME…]` writes them into the package as WebP.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from blogapi.docs.assets import STATIC
from tests.admin import screenshots

# The name of each picture, and its file among the screenshots.
PICTURES = {
    "editor": "editor-light",
    "publish": "editor-publish-light",
    "history": "history-light",
    "media": "media-light",
    "phone": "editor-phone",
    "overview": "overview-light",
}
QUALITY = 80


def write_pictures(names: list[str]) -> None:
    """Draw the pictures with these names, or all pictures."""
    files = {name: file for name, file in PICTURES.items() if not names or name in names}
    with TemporaryDirectory() as folder:
        screenshots.draw(Path(folder), sorted({file.rpartition("-")[0] for file in files.values()}))
        for name, file in files.items():
            with Image.open(Path(folder) / f"{file}.png") as image:
                image.convert("RGB").save(STATIC / f"{name}.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    write_pictures(sys.argv[1:])
