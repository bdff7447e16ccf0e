"""Split the addresses in links, and the paths of source files, into parts that can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from blogapi.importing.texts import dates

#: The maximum length of an address; longer addresses lead to no article.
MAX_ADDRESS_LENGTH = 2_048

_ADDRESS = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*+):)?(?://(?P<host>[^/?#]*+))?(?P<path>[^?#]*+)"
    r"(?:\?(?P<query>[^#]*+))?(?:#(?P<fragment>.*+))?",
    re.IGNORECASE | re.DOTALL,
)
_DEFAULT_PORT = re.compile(r":(?:80|443)?$")
# Blogger shows each blog under the domains of many countries.
_BLOGSPOT = re.compile(r"\.blogspot\.(?:com?\.)?[a-z]{2,3}$")
_SOURCE_SUFFIX = re.compile(r"\.(?:md|markdown|mkdn?|mdown|mdx|rmd|text|txt|rst|ipynb|org|adoc)$")
_PAGE_SUFFIX = re.compile(r"\.(?:html?|php|aspx?)$")
_LANGUAGE_SUFFIX = re.compile(r"(.+)\.([a-z]{2,3}(?:-[a-z0-9]{2,8})*)")
#: Matches the last segment of the path of another view of a page, such as comments in WordPress.
VIEW_SEGMENT = re.compile(r"comment-page-[0-9]+|amp")
# The characters that would end an address in Markdown or HTML.
_UNSAFE_CHARACTER = re.compile(r"[\x00-\x20\x7f<>\"'`()\\]")


@dataclass(frozen=True, slots=True)
class LinkAddress:
    """The parts of an address; `host` is in lower case without `www.`, and "" if there is none."""

    host: str
    path: str  #: percent-decoded, with `/` as separator
    query: str
    fragment: str  #: as in the address


@dataclass(frozen=True, slots=True)
class FilePath:
    """The path of a source file or a page, without the parts that a link to it can omit."""

    folders: tuple[str, ...]
    name: str  #: without date, language and suffix; the name of the folder for an index page
    date: date | None  #: the date at the start of the name
    language: str
    is_source: bool  #: whether the suffix belongs to a source file (`.md`), not to a page

    @property
    def path(self) -> str:
        return "/".join((*self.folders, self.name))


def parse_address(text: str) -> LinkAddress | None:
    """Return the parts of an address, or None if it can lead to no article (`mailto:…`, `#name`)."""
    if not text or len(text) > MAX_ADDRESS_LENGTH:
        return None
    match = _ADDRESS.match(text.strip())
    assert match is not None  # The pattern matches every text, because every part is optional.
    scheme, host, path, query = (match[name] or "" for name in ("scheme", "host", "path", "query"))
    if (scheme and (scheme.lower() not in ("http", "https") or not host)) or not (host or path or query):
        return None
    path = unquote(path, errors="replace").replace("\\", "/")
    return LinkAddress(normalize_host(host), path, query, match["fragment"] or "")


def normalize_host(host: str) -> str:
    """Return a host for comparisons: in lower case, without `www.`, default port or country of Blogspot."""
    name = _DEFAULT_PORT.sub("", host.strip().lower()).removeprefix("www.")
    return _BLOGSPOT.sub(".blogspot.com", name) if "blogspot" in name else name


def to_blog_address(url: str) -> str:
    """Return the host and the path of a blog's URL (`example.com/blog`), in the form of `Source.hosts`."""
    host, slash, path = re.sub(r"^(?:https?:)?//", "", url.strip(), flags=re.IGNORECASE).partition("/")
    return f"{host.casefold()}{slash}{path}".rstrip("/")


def fold_case(text: str) -> str:
    """Return text in the form in which names and paths are compared."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def split_path(path: str, base: Sequence[str] = ()) -> list[str]:
    """Return the folded segments of a path below `base`, without `.` and `..`."""
    segments = list(base)
    for segment in fold_case(path).split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment not in ("", "."):
            segments.append(segment)
    return segments


def normalize_page_path(segments: Sequence[str]) -> str:
    """Return the path of a page without `index.html` and without the suffix of pages."""
    last = _PAGE_SUFFIX.sub("", segments[-1]) if segments else ""
    return "/".join((*segments[:-1], last) if last not in ("", "index") else segments[:-1])


def parse_file_path(segments: Sequence[str]) -> FilePath:
    """Return the parts of a path, given as folded segments (at least one)."""
    *folders, last = segments
    name = _SOURCE_SUFFIX.sub("", last)
    is_source = name != last
    name = _PAGE_SUFFIX.sub("", name)
    match = _LANGUAGE_SUFFIX.fullmatch(name)
    name, language = match.groups() if match else (name, "")
    day, name = dates.split_date_prefix(name)
    if name == "index" and folders:
        folder_day, name = dates.split_date_prefix(folders.pop())
        day = day or folder_day
    return FilePath(tuple(folders), name, day, language, is_source)


def escape_unsafe_characters(text: str) -> str:
    """Return a part of an address, with characters percent-encoded that would end the address in a text."""
    return _UNSAFE_CHARACTER.sub(lambda match: f"%{ord(match[0]):02X}", text)
