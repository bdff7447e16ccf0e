"""Builds small trees from the stream of a WXR file: one for each element of its channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from blogapi.transfer.article_record import RefusedFile

# The maximum size of an item with all its fields and comments, in characters. Each element counts as
# ELEMENT_SIZE characters, so that many empty elements need no more memory than a long text.
MAX_ITEM_SIZE = 32_000_000
ELEMENT_SIZE = 150
_MAX_DEPTH = 16
_MAX_IGNORED_DEPTH = 1_000
_MAX_NAMES = 10_000
_NO_ATTRIBUTES: Mapping[str, str] = {}
# A post can have thousands of comments, and the import needs nothing of these elements.
_IGNORED = frozenset({"wp:commentmeta"})
# These elements are read through: their children are the elements of the channel.
_WRAPPERS = frozenset({"wxr", "rss", "channel"})
# The prefixes that WordPress uses for the namespaces, whatever prefix a file uses.
_NAMESPACES = (
    (re.compile(r"https?://(?:www\.)?wordpress\.org/export/[0-9.]*/excerpt/?", re.IGNORECASE), "excerpt"),
    (re.compile(r"https?://(?:www\.)?wordpress\.org/export/[0-9.]*/?", re.IGNORECASE), "wp"),
    (re.compile(r"https?://purl\.org/rss/1\.0/modules/content/?", re.IGNORECASE), "content"),
    (re.compile(r"https?://purl\.org/dc/elements/1\.1/?", re.IGNORECASE), "dc"),
)
# The comments with which qTranslate marks the languages of a text: `<!--:en-->`.
_LANGUAGE_MARK = re.compile(r":(?:[a-z]{2})?")


@dataclass(slots=True)
class Element:
    """An XML element; its name has the prefix that WordPress uses (`wp:post_id`)."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""  #: "" if the element has children
    children: list[Element] = field(default_factory=list)
    is_too_large: bool = False  #: whether parts are missing, because it exceeds MAX_ITEM_SIZE

    def get_text(self, name: str) -> str:
        """Return the text of the first child with a name, without spaces around it; "" if there is none."""
        for child in self.children:
            if child.name == name:
                return child.text.strip()
        return ""

    def list_children(self, name: str) -> list[Element]:
        """Return the children with a name."""
        return [child for child in self.children if child.name == name]


class ElementBuilder:
    """Builds the elements of the channel; `take_elements` returns those that are complete.

    Namespaces are resolved here and not by the parser, because some files do not declare them.
    """

    def __init__(self) -> None:
        #: The number of calls by the parser; it grows while the parser makes progress.
        self.events = 0
        #: Prefixes that are used and not declared.
        self.undeclared: set[str] = set()
        self._finished: list[Element] = []
        self._open: list[Element] = []
        self._ignored_depth = 0
        self._size = 0
        self._texts: list[str] = []
        self._prefixes: dict[str, str] = {"xml": "xml"}
        self._names: dict[str, str] = {}

    def take_elements(self) -> list[Element]:
        """Return the elements that were completed since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def get_unfinished_item(self) -> Element | None:
        """Return the item in which the file ends."""
        return self._open[0] if self._open and self._open[0].name == "item" else None

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        """Take a start tag from the parser."""
        self.events += 1
        given = self._read_attributes(attributes) if attributes else _NO_ATTRIBUTES
        name = self._names.get(name) or self._resolve_name(name)
        self._texts = []
        if not self._open:
            if name in _WRAPPERS:
                return
            self._size = 0
        self._size += ELEMENT_SIZE
        if self._ignored_depth or name in _IGNORED or len(self._open) == _MAX_DEPTH or not self._has_space():
            self._ignored_depth += 1
            if self._ignored_depth > _MAX_IGNORED_DEPTH:
                raise RefusedFile("Its elements are nested too deeply; export it again from WordPress.")
        else:
            self._open.append(Element(name, given))

    def end_element(self, _name: str) -> None:
        """Take an end tag from the parser."""
        if self._ignored_depth:
            self._ignored_depth -= 1
            return
        if not self._open:
            return
        element = self._open.pop()
        if not element.children:
            element.text = "".join(self._texts)
        self._texts = []
        (self._open[-1].children if self._open else self._finished).append(element)

    def add_text(self, text: str) -> None:
        """Take a part of a text from the parser."""
        self.events += 1
        self._size += len(text)
        if self._open and not self._ignored_depth and self._has_space():
            self._texts.append(text)

    def add_comment(self, text: str) -> None:
        """Keep the language marks of qTranslate; other comments are ignored."""
        if self._open and _LANGUAGE_MARK.fullmatch(text):
            self.add_text(f"<!--{text}-->")

    def _has_space(self) -> bool:
        if self._size <= MAX_ITEM_SIZE:
            return True
        if self._open:
            self._open[0].is_too_large = True
        return False

    def _read_attributes(self, attributes: dict[str, str]) -> dict[str, str]:
        """Return the attributes without declarations of namespaces, and store the prefixes of these."""
        for name in [name for name in attributes if name.startswith("xmlns")]:
            uri, prefix = attributes.pop(name), name.removeprefix("xmlns").lstrip(":")
            known = (standard for pattern, standard in _NAMESPACES if pattern.fullmatch(uri))
            if len(self._prefixes) < _MAX_NAMES:
                self._prefixes[prefix] = next(known, prefix)
            self._names.clear()
        self._size += sum(map(len, attributes.values()))
        return attributes

    def _resolve_name(self, name: str) -> str:
        prefix, colon, local = name.rpartition(":")
        if colon and prefix not in self._prefixes and len(self.undeclared) < _MAX_NAMES:
            self.undeclared.add(prefix)
        if len(self._names) >= _MAX_NAMES:
            self._names.clear()
        standard = self._prefixes.get(prefix, prefix)
        self._names[name] = f"{standard}:{local}" if standard else local
        return self._names[name]
