"""Ghost's Markdown: what its renderers show and CommonMark does not."""

from __future__ import annotations

import re

from blogapi.content import sanitizer

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_LAZY_HEADING = re.compile(r"(#{1,6})(?=[^#\s])")
_HIGHLIGHT = re.compile(r"(?<![=\w`])==(?=[^\s=`])([^=`\n]+?)(?<!\s)==(?![=\w`])")


def to_commonmark(text: str) -> str:
    """Return the text with hard line breaks, a space after the signs of a heading, and `<mark>` for `==`.

    Ghost shows each line break of a paragraph, and `#Heading` as a heading. Two spaces at the end of a line
    are a hard line break inside a paragraph, and mean nothing elsewhere.
    """
    lines, fence = text.split("\n"), ""
    for index, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            fence = "" if found and found[1].startswith(fence) else fence
        elif found:
            fence = found[1]
        else:
            line = _LAZY_HEADING.sub(r"\1 ", line, count=1) if line.startswith("#") else line
            line = _HIGHLIGHT.sub(r"<mark>\1</mark>", line) if "==" in line else line
            has_next = index + 1 < len(lines) and lines[index + 1].strip()
            is_paragraph = has_next and line.strip() and not line.endswith(("  ", "\\"))
            lines[index] = f"{line.rstrip()}  " if is_paragraph else line
    return "\n".join(lines)


def render_markdown(text: str) -> str:
    """Return the text of a Markdown card as sanitized HTML."""
    return sanitizer.to_safe_html(to_commonmark(text), "markdown")
