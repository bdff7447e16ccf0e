"""Draws the pictures of the README and of the guide.

`python -m tests.admin.pictures [NAME…]` writes them into the package as WebP.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from blogapi.docs.assets import STATIC_FOLDER
from blogapi.operations.demo import seed
from tests.admin import screenshots
from tests.admin.blogs import serve_blog
from tests.browser import PageOpener, launch_browser

# The first picture of the README: the home of the built-in site beside the editor.
FIRST = "site"
# The name of each other picture, and its file among the screenshots.
PICTURES = {
    "editor": "editor-light",
    "publish": "editor-publish-light",
    "history": "history-light",
    "media": "media-light",
    "phone": "editor-phone",
    "overview": "overview-light",
}
QUALITY = 80
_HOME_WIDTH, _FIRST_WIDTH, _GAP = 1120, 1600, 24


def write_pictures(names: list[str]) -> None:
    """Draw the pictures with these names, or all pictures."""
    wanted = PICTURES | {FIRST: PICTURES["editor"]}
    files = {name: file for name, file in wanted.items() if not names or name in names}
    with TemporaryDirectory() as folder:
        screenshots.draw(Path(folder), sorted({file.rpartition("-")[0] for file in files.values()}))
        for name, file in files.items():
            with Image.open(Path(folder) / f"{file}.png") as image:
                shown = _add_home(image, Path(folder)) if name == FIRST else image
                shown.convert("RGB").save(STATIC_FOLDER / f"{name}.webp", quality=QUALITY, method=6)


def _add_home(editor: Image.Image, folder: Path) -> Image.Image:
    """Return the home of the sample blog beside the editor."""
    with serve_blog(folder / "instance") as blog, launch_browser() as browser:
        with blog.app.app_context():
            seed.fill_empty_blog(blog.origin)
        page = PageOpener(browser, blog.origin)("/", width=_HOME_WIDTH, height=editor.height)
        page.wait_for_load_state("networkidle")
        drawn = io.BytesIO(page.screenshot())
    with Image.open(drawn) as home:
        both = Image.new("RGB", (home.width + _GAP + editor.width, editor.height), "white")
        both.paste(home, (0, 0))
    both.paste(editor, (_HOME_WIDTH + _GAP, 0))
    return both.resize((_FIRST_WIDTH, both.height * _FIRST_WIDTH // both.width), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    write_pictures(sys.argv[1:])
