"""Turn the addresses of a blog's own media files into paths, so that the files are taken into the library.

Exports contain `https://example.com/wp-content/uploads/x.jpg`. If the file is at hand, the address becomes
`/wp-content/uploads/x.jpg`. If it is not, the address stays, and the picture still comes from its old host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from html import unescape

from blogapi.transfer.media.imported_media import list_extensions
from blogapi.transfer.media.references import get_extension

# In these attributes, an address is loaded or linked.
_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_ATTRIBUTE = re.compile(
    r"(?P<name>\s(?:src|href|poster|data-src|(?P<srcset>srcset|data-srcset))\s*=\s*)"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'<>]+)",
    re.IGNORECASE,
)
# The start and the path of an address in an attribute with one address, in one with several, and in Markdown
# (`](address`, `](<address` and `[name]: address`).
_SINGLE = r"(?<![^\"'])\s*", r"[^\"'<>?#\n]+"
_SRCSET = r"(?<![^\s,\"'])", r"[^\s\"'<>?#,]+"
_MARKDOWN = (
    r"(?:(?<=\]\()|(?<=\]\(<)|(?<=\]: )|(?<=\]:)|(?<=\]: <))",
    r"(?:[^\s\"<>()?#]|\([^\s\"<>()?#]*\))+",
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(`+[^`\n]*`+)")
# The CDN of WordPress: `https://i0.wp.com/example.com/x.jpg`.
_CDN = r"i[0-9]\.wp\.com/"
_Replace = Callable[[re.Match[str]], str]


def make_local(
    content: str,
    content_type: str,
    hosts: Collection[str],
    exists: Callable[[str], bool],
    extensions: Collection[str] | None = None,
) -> tuple[str, int]:
    """Return the content with paths in place of those own addresses whose file `exists`.

    The second value is the number of different media files that stay on the hosts of the blog.

    `hosts` are the hosts of the blog, with or without a path; `extensions` are those of media files (None =
    those of the library, which needs an application).
    """
    suffixes = list_extensions() if extensions is None else extensions
    found: dict[str, bool] = {}

    def replace(address: re.Match[str]) -> str:
        path = _to_path(address)
        if get_extension(path) in suffixes:
            if path not in found:
                found[path] = exists(unescape(path))
            if found[path]:
                return address["space"] + path + (address["fragment"] or "")
        return address[0]

    return _visit(content, content_type, hosts, replace), sum(not exists for exists in found.values())


def make_address_local(address: str, hosts: Collection[str], exists: Callable[[str], bool]) -> str:
    """Return the path of one address, for example of a cover, if it is an own one whose file `exists`."""
    if not hosts or "//" not in address:
        return address
    match = _compile(frozenset(hosts), *_SINGLE).fullmatch(address)
    return _to_path(match) if match and exists(_to_path(match)) else address


def _to_path(address: re.Match[str]) -> str:
    # `//x` would be a host. A query only selects the size of a picture.
    return "/" + address["path"].lstrip("/")


def _visit(content: str, content_type: str, hosts: Collection[str], replace: _Replace) -> str:
    """Return the content with all own addresses replaced that are loaded or linked."""
    if not hosts or "//" not in content or content_type == "text":
        return content
    names = frozenset(hosts)
    single, srcset = _compile(names, *_SINGLE), _compile(names, *_SRCSET)

    def replace_value(attribute: re.Match[str]) -> str:
        pattern = srcset if attribute["srcset"] else single
        return attribute["name"] + pattern.sub(replace, attribute["value"])

    def replace_tags(text: str) -> str:
        return _TAG.sub(lambda tag: _ATTRIBUTE.sub(replace_value, tag[0]) if "//" in tag[0] else tag[0], text)

    if content_type == "html":
        return replace_tags(content)
    in_markdown = _compile(names, *_MARKDOWN)
    return _map_prose(content, lambda text: in_markdown.sub(replace, replace_tags(text)))


def _map_prose(markdown: str, change: Callable[[str], str]) -> str:
    """Return Markdown with `change` applied to the text outside of code."""
    return "\n".join(_map_lines(markdown.split("\n"), change))


def _map_lines(lines: Iterable[str], change: Callable[[str], str]) -> Iterable[str]:
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not line.strip(f" \t{fence[0]}"):
                fence = ""
        elif match:
            fence = match[1]
        elif "//" in line:
            parts = _CODE_SPAN.split(line)
            parts[::2] = map(change, parts[::2])
            line = "".join(parts)
        yield line


@lru_cache(maxsize=16)
def _compile(hosts: frozenset[str], start: str, path: str) -> re.Pattern[str]:
    """Return the pattern of an address on one of the hosts, with the groups `path` and `fragment`."""
    names = {host.partition("/")[0].removeprefix("www.").lower() for host in hosts} - {""}
    # A blog on wordpress.com has its files on a host of its own.
    blogs = (name.removesuffix(".wordpress.com") for name in names if name.endswith(".wordpress.com"))
    names |= {f"{blog}.files.wordpress.com" for blog in blogs}
    host = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or r"(?!)"
    return re.compile(
        rf"(?P<space>{start})(?:https?:)?//(?:{_CDN})?(?:www\.)?(?:{host})(?::(?:80|443))?/"
        rf"(?P<path>{path})(?:\?(?:&#|[^\s\"'<>()#])*(?<!,))?(?P<fragment>#[^\s\"'<>(),]*)?",
        re.IGNORECASE,
    )
