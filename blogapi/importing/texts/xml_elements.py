"""Reads the XML exports of WordPress and Blogger in a stream: a tree for each element of the channel."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.sax import SAXParseException

from defusedxml.expatreader import DefusedExpatParser

from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import find_codec

CHUNK_BYTES = 64 * 1024
_MAX_TAG_BYTES = 8_000_000
_ENCODING_DECLARATION = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})["']""")
# The encodings that blogs use. Other codecs of Python do not encode text, or take quadratic time.
_ACCEPTED_ENCODING = re.compile(
    r"utf-?8|(?:iso-?8859|latin|windows|cp|koi8|euc|gb|shift|big5|tis|us-?ascii|ascii)[\w-]*", re.IGNORECASE
)
# The maximum size of an item with all its fields and comments, in characters. Each element counts as
# ELEMENT_SIZE characters, so that many empty elements need no more memory than a long text.
MAX_ITEM_SIZE = 32_000_000
ELEMENT_SIZE = 150
_MAX_ELEMENT_DEPTH = 16
_MAX_IGNORED_DEPTH = 1_000
# The import does not need these elements, and a post can have thousands of comments with such elements.
_IGNORED_ELEMENTS = frozenset({"wp:commentmeta"})
# The outer elements, which contain the elements of the channel.
_WRAPPER_ELEMENTS = frozenset({"rss", "channel", "feed"})
# The comments with which qTranslate marks the languages of a text: `<!--:en-->`.
_LANGUAGE_MARK = re.compile(r":(?:[a-z]{2})?")


@dataclass(slots=True)
class Element:
    """An XML element; its name has the prefix that the file uses (`wp:post_id`)."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""  #: "" if the element has children
    children: list[Element] = field(default_factory=list)
    is_too_large: bool = False  #: whether parts are missing, because the element exceeds MAX_ITEM_SIZE

    @property
    def local_name(self) -> str:
        return self.name.rpartition(":")[2]

    def get_text(self, name: str) -> str:
        """Return the text of the first child with a name, without spaces around it; "" if there is none."""
        for child in self.children:
            if child.name == name:
                return child.text.strip()
        return ""

    def list_children(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]


class ElementBuilder:
    """Builds the elements of the channel; `take_elements` returns the complete elements.

    Namespaces are not resolved, because some files do not declare them.
    """

    def __init__(self) -> None:
        #: The error of the parser if the end of the file is missing.
        self.missing_end: Exception | None = None
        self._finished: list[Element] = []
        self._stack: list[Element] = []
        self._ignored_depth = 0
        self._size = 0
        self._texts: list[str] = []

    def take_elements(self) -> list[Element]:
        """Return the elements that were completed since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def get_unfinished_item(self) -> Element | None:
        """Return the item in which the file ends, or None."""
        return self._stack[0] if self._stack and self._stack[0].name == "item" else None

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._texts = []
        if not self._stack:
            if name in _WRAPPER_ELEMENTS:
                return
            self._size = 0
        self._size += ELEMENT_SIZE + sum(map(len, attributes.values()))
        if (
            self._ignored_depth
            or name in _IGNORED_ELEMENTS
            or len(self._stack) == _MAX_ELEMENT_DEPTH
            or not self._has_space()
        ):
            self._ignored_depth += 1
            if self._ignored_depth > _MAX_IGNORED_DEPTH:
                raise RefusedFile("Its elements are nested too deeply; export the blog again.")
        else:
            self._stack.append(Element(name, attributes))

    def end_element(self, _name: str) -> None:
        if self._ignored_depth:
            self._ignored_depth -= 1
            return
        if not self._stack:
            return
        element = self._stack.pop()
        if not element.children:
            element.text = "".join(self._texts)
        self._texts = []
        (self._stack[-1].children if self._stack else self._finished).append(element)

    def add_text(self, text: str) -> None:
        self._size += len(text)
        if self._stack and not self._ignored_depth and self._has_space():
            self._texts.append(text)

    def add_comment(self, text: str) -> None:
        """Keep the language marks of qTranslate; other comments are ignored."""
        if self._stack and _LANGUAGE_MARK.fullmatch(text):
            self.add_text(f"<!--{text}-->")

    def _has_space(self) -> bool:
        if self._size <= MAX_ITEM_SIZE:
            return True
        if self._stack:
            self._stack[0].is_too_large = True
        return False


class _Parser(DefusedExpatParser):  # type: ignore[misc]
    """A parser that calls the builder directly, because the calls through SAX take twice the time."""

    def __init__(self, builder: ElementBuilder) -> None:
        super().__init__(forbid_dtd=True)
        self._builder = builder

    def reset(self) -> None:
        super().reset()
        self._parser.StartElementHandler = self._builder.start_element
        self._parser.EndElementHandler = self._builder.end_element
        self._parser.CharacterDataHandler = self._builder.add_text
        self._parser.CommentHandler = self._builder.add_comment
        # With a buffer, the parser passes a text in a few long parts.
        self._parser.buffer_text = True
        self._parser.buffer_size = CHUNK_BYTES

    def get_position(self) -> int:
        """Return the offset of the tag or comment that was read last or is unfinished."""
        position: int = self._parser.CurrentByteIndex
        return position


def read_channel(chunks: Iterable[str], builder: ElementBuilder) -> Iterator[Element]:
    """Yield the elements of the channel; if the end of the text is missing, `builder.missing_end` is set.

    Raises SAXParseException for text that is not well-formed, and DefusedXmlException for a document type.
    """
    parser = _Parser(builder)
    fed = 0
    for chunk in chunks:
        parser.feed(chunk)
        fed += len(chunk.encode("utf-8", "surrogatepass"))
        # Before Expat 2.6, the parser reads an unfinished tag or comment again with each chunk.
        if fed - parser.get_position() > _MAX_TAG_BYTES:
            raise RefusedFile("It has a tag or comment of more than 8 MB; remove it.")
        yield from builder.take_elements()
    try:
        parser.close()
    except SAXParseException as error:
        builder.missing_end = error
    # Since version 2.6, Expat can report the last elements only at the end of the file.
    yield from builder.take_elements()


def decode_file(file: BinaryIO, *, is_strict: bool = True) -> Iterator[str]:
    """Yield the text of a file without its byte order mark and without spaces at its start."""
    data = file.read(CHUNK_BYTES)
    declared = _ENCODING_DECLARATION.search(data, 0, 1_000)
    name = declared[1].decode("ascii") if declared else "utf-8"
    codec = "utf-8"
    with suppress(LookupError):
        codec = codecs.lookup(name).name if _ACCEPTED_ENCODING.fullmatch(name) else "utf-8"
    # As in browsers, ISO 8859-1 means cp1252, because programs on Windows use this name for cp1252.
    codec = {"ascii": "utf-8", "iso8859-1": "cp1252"}.get(codec, codec)
    encoding = find_codec(data, codec)
    # UTF-16 has no invalid bytes that could be kept.
    errors = "strict" if is_strict else "replace" if encoding == "UTF-16" else "surrogateescape"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    is_started = False
    while data:
        text = decoder.decode(data)
        text = text if is_started else text.lstrip("\ufeff\0 \t\r\n")
        is_started = is_started or bool(text)
        yield text
        data = file.read(CHUNK_BYTES)
    yield decoder.decode(b"", final=True)
