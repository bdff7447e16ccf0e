"""The modules, style sheets and icons of the admin pages; all of them are in the package."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path

from blogapi import rendering
from blogapi.site.addresses import list_time_zones

STATIC_FOLDER = Path(__file__).parent / "static"
STYLES_FOLDER = Path(__file__).parent / "styles"
# The files of `styles` in the order of the cascade. Browsers get these files as one file, which they request
# once for all pages.
STYLE_SHEET_FILE = "admin.css"
STYLE_NAMES = (
    # Styles that several pages share.
    *("tokens", "base", "layout", "frame", "buttons", "fields", "controls", "tabs", "tables", "rows"),
    *("notices", "popovers", "dialogs", "palette", "toast", "sign-in", "choices", "term-picker"),
    # Styles of single pages, and of parts of the editor.
    *("lists", "bin", "redirects", "custom-fields", "welcome", "overview", "keys", "users", "profile"),
    *("site", "settings", "import", "media", "alt-texts"),
    *("editor", "find", "writing", "blocks", "details", "publish", "pictures"),
    *("history", "merge", "webhooks", "webhook-calls", "widths"),
)

# The names of time zones; a page requests this file when the field for the time zone is opened.
TIME_ZONES_FILE = "time-zones.txt"
# The style sheet of previews of articles: the rules of the built-in site for texts, and a few more.
READING_STYLE_FILE = "reading.css"
_TEXT_RULES_FILE = Path(rendering.__file__).with_name("text.css")


@cache
def read_files() -> dict[str, bytes]:
    """Return the content of the style sheet and of the files in `static`, by path, as of the first call.

    Type declarations are not served, because only the type checker reads them.
    """
    files = {
        path.relative_to(STATIC_FOLDER).as_posix(): path.read_bytes()
        for path in sorted(STATIC_FOLDER.rglob("*"))
        if path.is_file() and path.suffix != ".ts"
    }
    parts = [(STYLES_FOLDER / f"{name}.css").read_bytes() for name in STYLE_NAMES]
    reading = _TEXT_RULES_FILE.read_bytes() + b"\n" + files[READING_STYLE_FILE]
    # Browsers do not know the time zone "Factory".
    zones = "\n".join(sorted(list_time_zones() - {"Factory"})).encode()
    return {**files, READING_STYLE_FILE: reading, STYLE_SHEET_FILE: b"\n".join(parts), TIME_ZONES_FILE: zones}


@cache
def get_digest() -> str:
    """Return one digest of all files, which is part of the address of each file.

    Modules import each other by relative paths, so the addresses of all files change together.
    """
    digest = hashlib.sha256()
    for name, content in read_files().items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


@cache
def compress_file(name: str) -> bytes:
    """Return the content of a file, compressed with gzip."""
    return gzip.compress(read_files()[name], mtime=0)
