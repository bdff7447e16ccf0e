"""Make titles and slugs from texts, names and addresses."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote, urlsplit

from blogapi.importing.texts.lines import to_line

_MAX_TITLE_LENGTH = 60
_HOST_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?//[^/]*")
_PAGE_SUFFIX = re.compile(r"(?:(?:^|(?<=/))index)?\.(?:html?|php|aspx?|md)$", re.IGNORECASE)
# Values of `permalink` that are not addresses: Jekyll's named styles, and false.
_PERMALINK_STYLES = {"date", "pretty", "ordinal", "weekdate", "none", "false"}


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; all are empty if it is not valid."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def make_title(name: str) -> str:
    """Return a title made from a file name: `my-first_post` gives "My first post"."""
    words = to_line(name.replace("-", " ").replace("_", " ")) or name
    return words[:1].upper() + words[1:]


def choose_title(text: str, name: str) -> str:
    """Return the first words of a plain text as a title, or else a title made from a name."""
    line = to_line(text)
    if len(line) > _MAX_TITLE_LENGTH:
        line = f"{line[:_MAX_TITLE_LENGTH].rpartition(' ')[0] or line[:_MAX_TITLE_LENGTH]}…"
    return line or make_title(name or "Untitled")


def extract_slug(address: str) -> str:
    """Return the last segment of a URL or path, without the query and the suffix.

    Returns "" if there is no last segment (`/`, `../..`) or if it is a template (`/:year/:title/`).
    """
    if address.casefold() in _PERMALINK_STYLES:
        return ""
    path = unquote(re.split(r"[?#]", _HOST_PREFIX.sub("", address, count=1))[0], errors="replace")
    parts = re.split(r"[/\\]", _PAGE_SUFFIX.sub("", path))
    segments = [part for part in map(to_line, parts) if part and set(part) != {"."}]
    return segments[-1] if segments and not re.search(r":[a-z]|[{}]", segments[-1]) else ""


def is_address(text: str) -> bool:
    """Return whether an alias is an address, and not only the name of a page (as in Obsidian)."""
    return "/" in text or _PAGE_SUFFIX.search(text) is not None


def to_former_path(address: str) -> str:
    """Return the path of an address in the former blog, with a leading slash; "" if it is a template."""
    path = re.split(r"[?#]", _HOST_PREFIX.sub("", address, count=1))[0]
    if not path or address.casefold() in _PERMALINK_STYLES or re.search(r":[a-z]|[{}<>]|\s", path):
        return ""
    return path if path.startswith("/") else f"/{path}"
