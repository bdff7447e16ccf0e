"""Find the first heading of a Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blogapi.transfer.markdown.text import to_plain_line

_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX_HEADING = re.compile(r" {0,3}#[ \t]+(?P<text>\S.*)")
# Matches closing `#` characters and attributes such as `{#id}`.
_HEADING_END = re.compile(r"(?<![ \t])(?:[ \t]++#++)?[ \t]*+(?:\{[^{}]{0,200}+\}[ \t]*+)?$")
_SETEXT_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
# Matches Liquid `{% x %}` and `{{ x }}`, and Hugo `{{< x >}}` and `{{% x %}}`, but not closing tags.
_TEMPLATE_TAG = re.compile(r"\{%-?\s*(?!end)\w|\{\{[<%]?-?\s*(?!end)[\w.\"]")


def find_heading(body: str) -> str:
    """Return the first level-1 heading as plain text, or "" if there is none or it has a template tag."""
    previous = ""
    for line in _lines_outside_code(body):
        atx = _ATX_HEADING.match(line)
        if atx or (previous and _SETEXT_UNDERLINE.match(line)):
            heading = atx["text"] if atx else previous
            return "" if _TEMPLATE_TAG.search(heading) else _to_plain_heading(heading)
        previous = line.strip()
    return ""


def _to_plain_heading(heading: str) -> str:
    return re.sub(r"\*\*|`|\\(?=[^\w\s])", "", to_plain_line(_HEADING_END.sub("", heading[:2000])))


def _lines_outside_code(body: str) -> Iterator[str]:
    """Yield the lines that are not in a fenced code block."""
    fence = ""
    for line in body.split("\n"):
        match = _CODE_FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not line.strip(f" \t{fence[0]}"):
                fence = ""
        elif match:
            fence = match[1]
        else:
            yield line
