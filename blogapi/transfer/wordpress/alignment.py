"""Alignment of text and pictures as the classes of WordPress, because the sanitizer removes styles."""

from __future__ import annotations

import re

_ALIGNED = re.compile(
    r"<(?P<name>p|div|h[1-6]|img)(?=\s)(?>[^<>]*?"
    r"(?<![\w-])(?:align=[\"']?|style=[\"'](?:[^\"'<>]*?[;\s])?text-align:\s*+)"
    r"(?P<side>left|right|center|justify)(?![\w-]))[^<>]*+>",
    re.IGNORECASE,
)
_CLASS = re.compile(r"(?<![\w-])(class=[\"'])", re.IGNORECASE)


def add_alignment_classes(html: str) -> str:
    """Return the HTML with a class for each `align` and `text-align` of paragraphs, headings and pictures."""
    return _ALIGNED.sub(_add_class, html)


def _add_class(tag: re.Match[str]) -> str:
    name, side = tag["name"], tag["side"].lower()
    added = f"align{side}" if name.lower() == "img" else f"has-text-align-{side}"
    if added in tag[0]:
        return tag[0]
    if _CLASS.search(tag[0]):
        return _CLASS.sub(rf"\g<1>{added} ", tag[0], count=1)
    return f'<{name} class="{added}"{tag[0][len(name) + 1 :]}'
