"""Writes HTML: elements with escaped attributes, and the links of Ghost's placeholders."""

from __future__ import annotations

import re
from html import escape

from blogapi.transfer.markdown.text import to_line

# `__GHOST_URL__` stands for the address of the blog; the variants stand for those of its files.
_GHOST_URL = re.compile(r"__GHOST_(?:[A-Z]{1,20}_)?URL__(/?)")
# Ghost makes smaller copies of pictures in `size`, and copies in other formats in `format`.
_SIZED_IMAGE = re.compile(r"(/content/images)/size/w\d{1,5}(?:h\d{1,5})?(?:/format/\w{1,10})?(?=/)")
_IGNORED_IN_ID = re.compile(r"[\]\[!\"#$%&'()*+,./:;<=>?@\\^_{|}~`]")
_TAG = re.compile(r"<[^<>]*>")


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
