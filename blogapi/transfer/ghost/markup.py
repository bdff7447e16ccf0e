"""Writes HTML: elements with escaped attributes, the links of Ghost's placeholders, and Ghost's Markdown."""

from __future__ import annotations

import re
from html import escape

from blogapi.content import sanitizer
from blogapi.transfer.markdown.text import to_line

# `__GHOST_URL__` stands for the address of the blog; the variants stand for those of its files.
_GHOST_URL = re.compile(r"__GHOST_(?:[A-Z]{1,20}_)?URL__(/?)")
# Ghost makes smaller copies of pictures in `size`, and copies in other formats in `format`.
_SIZED_IMAGE = re.compile(r"(/content/images)/size/w\d{1,5}(?:h\d{1,5})?(?:/format/\w{1,10})?(?=/)")
_IGNORED_IN_ID = re.compile(r"[\]\[!\"#$%&'()*+,./:;<=>?@\\^_{|}~`]")
_TAG = re.compile(r"<[^<>]*>")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_LAZY_HEADING = re.compile(r"(#{1,6})(?=[^#\s])")
_HIGHLIGHT = re.compile(r"(?<![=\w`])==(?=[^\s=`])([^=`\n]+?)(?<!\s)==(?![=\w`])")


def clean_addresses(text: str) -> str:
    """Return the text with root-relative addresses of the blog, and with those of the original pictures."""
    if "__GHOST_" in text:
        # The placeholder alone is the address of the home page.
        text = _GHOST_URL.sub("/", text)
    return _SIZED_IMAGE.sub(r"\1", text) if "/size/w" in text else text


def element(name: str, content: str, class_: str = "", **attributes: object) -> str:
    """Return an element around HTML; attributes that are "" or None are left out."""
    return f"{start_tag(name, class_, **attributes)}{content}</{name}>"


def start_tag(name: str, class_: str = "", **attributes: object) -> str:
    """Return the start tag of an element; attributes that are "" or None are left out.

    `class_` is not escaped.
    """
    text = f' class="{class_}"' if class_ else ""
    for key, value in attributes.items():
        if value and (line := to_line(value)):
            text += f' {key}="{escape(line)}"'
    return f"<{name}{text}>"


def make_heading_id(html: str) -> str:
    """Return the id that Ghost gives a heading, so that links to it keep working."""
    words = _IGNORED_IN_ID.sub("", _TAG.sub("", html[:500]).lower()).split()
    return "-".join(words)


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
