"""Lists the tags and attributes of HTML in document order."""

from __future__ import annotations

from html.parser import HTMLParser


class Inspector(HTMLParser):
    """Collects the tags of HTML with their attributes."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
