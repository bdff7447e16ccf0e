"""What stands in a body of Markdown or HTML: its first heading, template tags, relative images."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blogapi.transfer.markdown.text import plain

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#[ \t]+(?P<text>\S.*)")
_TAIL = re.compile(r"(?:[ \t]+#+)?[ \t]*(?:\{[^{}]{0,200}\})?[ \t]*$")
_SETEXT = re.compile(r" {0,3}=+[ \t]*$")
_CODE = re.compile(r"`+[^`\n]*`+")
# Liquid `{% x %}` and `{{ x }}`, Hugo `{{< x >}}` and `{{% x %}}`; closing tags are not counted.
_TAG = re.compile(r"\{%-?\s*(?!end)\w|\{\{[<%]?-?\s*(?!end)[\w.\"]")
# Repeats are bounded: a body may be 16 MiB of "![".
_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,500}\]\(\s{0,9}<?(?P<markdown>[^)\s>]{1,2048})"
    r"|<img\s[^<>]{0,500}?\bsrc\s{0,9}=\s{0,9}[\"']?(?P<html>[^\"'\s>]{1,2048})",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(r"//|[a-z][a-z0-9+.-]{1,20}:|\{", re.IGNORECASE)


def heading(content: str) -> str:
    """Return the first level-1 heading as plain text; "" if there is none or a template fills it."""
    before = ""
    for row in _outside_code(content):
        atx = _ATX.match(row)
        if atx or (before and _SETEXT.match(row)):
            found = atx["text"] if atx else before
            return "" if _TAG.search(found) else _words(found)
        before = row.strip()
    return ""


def _words(found: str) -> str:
    return re.sub(r"\*\*|`|\\(?=[^\w\s])", "", plain(_TAIL.sub("", found[:2000])))


def tags(content: str) -> int:
    """Return how many template tags (Liquid, Nunjucks, Hugo shortcodes) stand outside of code."""
    if "{" not in content:
        return 0
    return sum(len(_TAG.findall(_CODE.sub("", row))) for row in _outside_code(content))


def relative_images(content: str) -> int:
    """Return how many images outside of code have an address without a host."""
    if "![" not in content and "<" not in content:
        return 0
    rows = (_CODE.sub("", row) for row in _outside_code(content))
    found = (image["markdown"] or image["html"] for row in rows for image in _IMAGE.finditer(row))
    return sum(not _ABSOLUTE.match(address) for address in found)


def _outside_code(content: str) -> Iterator[str]:
    """Yield the lines that are not inside a fenced block of code."""
    fence = ""
    for row in content.split("\n"):
        found = _FENCE.match(row)
        if fence:
            if found and found[1].startswith(fence) and not row.strip(f" \t{fence[0]}"):
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield row
