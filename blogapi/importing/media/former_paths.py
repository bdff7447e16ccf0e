"""The paths under which the file of a former address can be on the disk.

WordPress, Ghost and others put media files into folders by date and create smaller copies of each picture.
This blog makes its own renditions, so the largest version of a picture is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Only this number of parts at the end of a longer path is looked up.
_MAX_TAIL_PARTS = 8
# Folders for uploads; the rest of an address is the path in the folder.
UPLOAD_FOLDERS = {"uploads", "images", "files", "media", "assets", "img"}

_UPLOADS = re.compile(r"(?:^|/)(?:wp-content/)?(?:uploads|files|blogs\.dir|content/images)/", re.IGNORECASE)
# `x-300x200.jpg`: a smaller copy in WordPress.
_SIZE = re.compile(r"-[0-9]{1,5}x[0-9]{1,5}(?=\.[A-Za-z0-9]{2,5}$)")
# `x-e1577836800.jpg`: an edited picture. `x-scaled.jpg`, `x-rotated.jpg`: the picture that WordPress shows in
# place of a large upload.
_EDIT = re.compile(r"-(?:e[0-9]{9,14}|scaled|rotated)(?=\.[A-Za-z0-9]{2,5}$)")
_GHOST_SIZE = re.compile(r"(?:^|(?<=/))size/w[0-9]{1,5}(?:h[0-9]{1,5})?/(?:format/[a-z]{1,5}/)?")
_INNER_FOLDERS = re.compile(
    r"(?:^|/)((?:wp-content|content)/((?:uploads|images|media|files)/.+))$", re.DOTALL
)


def list_versions(path: str) -> list[str]:
    """Return the paths of the versions of a file, the preferred version first.

    The original comes before a resized copy, and an edited or scaled picture before its original. Only in
    folders for uploads is it certain that `x-300x200.jpg` is a copy; elsewhere the exact name comes first.
    """
    plain = _GHOST_SIZE.sub("", path, count=1)
    full = _SIZE.sub("", plain)
    larger = [_add_suffix(full, "-scaled"), full] if full != plain else [plain]
    versions = [*larger, path] if _UPLOADS.search(path) else [path, *larger]
    # Programs that save pictures replace characters that addresses contain.
    saved = [path.replace("+", " "), path.replace("*", "_")]
    return list(dict.fromkeys([*versions, plain, _EDIT.sub("", full), *saved]))


def _add_suffix(path: str, suffix: str) -> str:
    stem, dot, extension = path.rpartition(".")
    return f"{stem}{suffix}{dot}{extension}"


def list_tails(path: str) -> Iterator[tuple[str, str]]:
    """Yield the ends of a relative path, longest first, each with the name of the folder before it."""
    parts = path.split("/")
    for start in range(max(1, len(parts) - _MAX_TAIL_PARTS), len(parts)):
        yield "/".join(parts[start:]), parts[start - 1]


def number_name(path: str) -> str:
    """Return the path of the second file with a name, as Google numbers it: `x.jpg` gives `x(1).jpg`."""
    return _add_suffix(path, "(1)")


def list_inner_paths(path: str) -> tuple[str, ...]:
    """Return the paths in the folders of WordPress and Ghost that can be beside an export.

    `blog/wp-content/uploads/x.jpg` gives `wp-content/uploads/x.jpg` and `uploads/x.jpg`.
    """
    match = _INNER_FOLDERS.search(path)
    return match.groups() if match else ()
