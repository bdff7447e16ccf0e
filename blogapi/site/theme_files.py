"""Finds the files of the owner's theme, in the folder `theme` of the instance folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

THEME_FOLDER = "theme"

# Matches paths without hidden files and folders, and without characters that some systems do not allow.
_PATH_PATTERN = re.compile(rf"{THEME_FOLDER}(?:/(?!\.)[^/\\:\x00-\x1f\ud800-\udfff]+)+")


def is_theme_path(path: str) -> bool:
    """Return whether a path such as `theme/fonts/serif.woff2` can be the path of a file of a theme."""
    return _PATH_PATTERN.fullmatch(path) is not None


def list_theme_files(instance: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the theme of a blog, each with its path relative to the instance folder.

    Symbolic links and hidden files are left out, because the blog does not use them.
    """
    for folder, folders, names in os.walk(instance / THEME_FOLDER):
        folders.sort()
        for path in (Path(folder, name) for name in sorted(names)):
            relative = path.relative_to(instance).as_posix()
            if is_theme_path(relative) and path.is_file() and not path.is_symlink():
                yield relative, path
