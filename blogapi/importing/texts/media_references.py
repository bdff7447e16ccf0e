"""Find the references to media files in sanitized HTML: pictures, players and links to files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import unescape

from blogapi.rendering.characters import FORBIDDEN_CHARACTER

#: The maximum number of media files that are imported for one article.
MAX_REFERENCES = 500
MAX_ALT_LENGTH = 500
_MAX_ADDRESS_LENGTH = 2_048

# Matches a picture or a player in Markdown or HTML.
_PICTURE_OR_PLAYER = re.compile(r"!\[|<(?:img|source|video|audio)", re.IGNORECASE)
# Matches the start of an address in Markdown or HTML that does not begin with `http://` or `https://`.
_LOCAL_ADDRESS = re.compile(
    r"(?:\]\(|\]:|\b(?:src|href|poster)\s*=)[\s<\"']*+(?!https?://|[#\s<\"'])|srcset", re.IGNORECASE
)
# The sanitizer quotes each value and escapes `<`, `>` and `"` in it.
_ELEMENT = re.compile(r"<(img|source|video|audio|a) ([^<>]*)>")
_ATTRIBUTE = re.compile(r'(?<![a-z])([a-z]++)="([^"]*)"')
_SRCSET_ADDRESS = re.compile(r"[\s,]*([^\s,]\S*)")
_SRCSET_DESCRIPTOR = re.compile(r"[^,]*")
_ABSOLUTE_START = re.compile(r"//|[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileReference:
    """The address of a file in an attribute, without entities, and the alternative text of the element."""

    path: str
    alt: str = ""


def may_contain_references(content: str, extensions: Collection[str]) -> bool:
    """Return whether content can contain references, so that most unchanged articles need not be rendered."""
    suffix = rf"\.(?:{'|'.join(map(re.escape, sorted(extensions)))})"
    has_hint = _PICTURE_OR_PLAYER.search(content) or re.search(suffix, content, re.IGNORECASE)
    return has_hint is not None and _LOCAL_ADDRESS.search(content) is not None


def list_references(html: str, extensions: Collection[str]) -> list[FileReference]:
    """Return the references without a host in sanitized HTML, each path once.

    A link counts only if its path has one of the `extensions` of media files; other links lead to pages.
    """
    unique: dict[str, FileReference] = {}
    for element in _ELEMENT.finditer(html):
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(element[2])}
        if element[1] == "a":
            paths = [path for path in (attributes.get("href", ""),) if get_extension(path) in extensions]
        else:
            named = (attributes.get(name, "") for name in ("src", "poster"))
            paths = [*named, *split_srcset(attributes.get("srcset", ""))]
        # A character reference such as `&#127;` stands for a character that the text itself cannot contain.
        alt = FORBIDDEN_CHARACTER.sub("", attributes.get("alt", "")) if element[1] == "img" else ""
        alt = " ".join(alt.split())[:MAX_ALT_LENGTH]
        for path in filter(is_local_address, paths):
            earlier = unique.get(path)
            if earlier is None or (alt and not earlier.alt):
                unique[path] = FileReference(path, alt)
    return list(unique.values())


def is_local_address(path: str) -> bool:
    """Return whether an address has neither a scheme nor a host, and is not only a query or a fragment."""
    return 0 < len(path) <= _MAX_ADDRESS_LENGTH and path[0] not in "#?" and not _ABSOLUTE_START.match(path)


def get_extension(path: str) -> str:
    """Return the extension in an address, in lower case, without the query and the fragment."""
    name = re.split(r"[?#]", path, maxsplit=1)[0].rpartition("/")[2]
    return name.rpartition(".")[2].casefold() if "." in name else ""


def split_srcset(value: str) -> Iterator[str]:
    """Yield the addresses in a `srcset`, as the HTML standard splits it."""
    position = 0
    while address := _SRCSET_ADDRESS.match(value, position):
        yield address[1].rstrip(",")
        position = address.end()
        if not address[1].endswith(","):
            position = _SRCSET_DESCRIPTOR.match(value, position).end()  # type: ignore[union-attr]
