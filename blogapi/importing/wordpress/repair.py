"""Reads the elements of WXR files that are not well-formed XML, in a stream.

Fragments and several documents in one file are read, too.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from blogapi.importing.article_record import RefusedFile
from blogapi.importing.xml_elements import Element, ElementBuilder

#: The name of the element that is added to an item of which the end is missing.
INCOMPLETE = "wxr-incomplete"
DTD_REFUSAL = (
    "It has a document type declaration, which is not read for safety; WordPress writes none: remove it."
)
_START = "<![CDATA["
# A longer tag is read as text. Tags in WXR files are shorter than 1,000 characters.
_MAX_TAG = 4_096
# The number of characters after `]]>` that decide whether it ends its section.
_LOOKAHEAD = 600
_MAX_OPEN = 32
_MAX_REPAIRS = 1_000_000
# A tag, a comment or another kind of markup; any other `<` is text.
_MARKUP = re.compile(r"[A-Za-z_/!?]")
_MARKUP_START = re.compile(r"<(?:[A-Za-z_/!?]|\Z)")
_NAME = re.compile(r"/?([A-Za-z_][\w.-]*(?::[\w.-]+)?)")
# A name is not searched from its middle, so that long names take linear time.
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([A-Za-z_][\w:.-]*)\s*=\s*("[^"]*"|'[^']*')""")
_INVALID = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udc7f\udd00-\udfff\ufffe\uffff]+")
# `surrogateescape` decodes invalid bytes to these characters.
_INVALID_BYTES = re.compile(r"[\udc80-\udcff]+")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)?")
_XML_ENTITIES = frozenset({"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
# Elements that contain elements; all others contain text.
_CONTAINERS = (
    "rss rdf:RDF channel item image textInput cloud wp:author wp:category wp:tag wp:term wp:termmeta "
    "wp:postmeta wp:comment wp:commentmeta"
)
# The elements of RSS. Other elements without a prefix are HTML in a text that was not escaped.
_RSS = (
    "rss channel item image textInput cloud title link pubDate lastBuildDate description language generator "
    "category guid url width height copyright managingEditor webMaster ttl docs enclosure comments author "
    "source site"
)
_CONTAINER_NAMES, _RSS_NAMES = frozenset(_CONTAINERS.split()), frozenset(_RSS.split())


def repair(chunks: Iterable[str], builder: ElementBuilder, repairs: Counter[str]) -> Iterator[Element]:
    """Yield the elements of the channel, and count the repairs by their names.

    If the end of the text is missing, `builder.missing_end` is set. Raises RefusedFile if the text has a
    document type declaration.
    """
    repairer = _Repairer(builder, repairs)
    for chunk in chunks:
        repairer.read(_replace_characters(chunk, repairs))
        if repairs.total() > _MAX_REPAIRS:
            raise RefusedFile(f"It has more than {_MAX_REPAIRS:,} errors; export it again from WordPress.")
        yield from builder.take_elements()
    repairer.finish()
    yield from builder.take_elements()


def _replace_characters(text: str, repairs: Counter[str]) -> str:
    """Return a text without characters that XML does not allow."""
    text, count = _INVALID.subn("", text)
    repairs["control characters"] += count
    if not text.isascii():
        text, count = _INVALID_BYTES.subn(_decode_windows, text)
        repairs["bytes that are not valid in its encoding"] += count
    return text


def _decode_windows(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")


class _Repairer:
    def __init__(self, builder: ElementBuilder, repairs: Counter[str]) -> None:
        self.builder = builder
        self.repairs = repairs
        self.open: list[str] = []
        self.rest = ""
        self.is_last = False
        #: What follows the end of the current CDATA section; None = outside of a section
        self.section_end: re.Pattern[str] | None = None
        #: The end of the comment or processing instruction that is skipped; "" = none
        self.skipped_to = ""

    def read(self, text: str) -> None:
        text, position = self.rest + text, 0
        while position < len(text):
            end = self._read(text, position)
            if end == position:
                break
            position = end
        self.rest = text[position:]

    def finish(self) -> None:
        self.is_last = True
        self.read("")
        if self.section_end or self.skipped_to or self.rest or self.open:
            self.builder.missing_end = EOFError()

    def _read(self, text: str, start: int) -> int:
        """Read one part of the text; return its end, or `start` if more text is needed."""
        if self.section_end:
            return self._read_section(text, start, self.section_end)
        if self.skipped_to:
            return self._skip(text, start)
        second = text[start + 1 : start + 2]
        if text[start] != "<" or not _MARKUP.match(second or "!"):
            return self._read_text(text, start)
        if second not in ("!", "?", ""):
            return self._read_tag(text, start)
        if text.startswith(_START, start) and self.open:
            name = re.escape(self.open[-1])
            self.section_end = re.compile(rf"\s{{0,500}}(?:</{name}\s{{0,9}}>|<!\[CDATA\[)")
            return start + len(_START)
        for opening, end in (("<!--", "-->"), ("<?", "?>")):
            if text.startswith(opening, start):
                self.skipped_to = end
                return start + len(opening)
        if text[start : start + 9].upper() == "<!DOCTYPE":
            raise RefusedFile(DTD_REFUSAL)
        if not self.is_last and len(text) - start < len(_START):
            return start
        return self._read_tag(text, start)

    def _read_section(self, text: str, start: int, section_end: re.Pattern[str]) -> int:
        end = text.find("]]>", start)
        if end < 0:
            end = len(text) if self.is_last else max(start, len(text) - 2)
            self.builder.add_text(text[start:end])
            return end
        if section_end.match(text, end + 3):
            self.section_end = None
            self.builder.add_text(text[start:end])
            return end + 3
        if not self.is_last and len(text) - end < _LOOKAHEAD:
            self.builder.add_text(text[start:end])
            return end
        self.repairs["“]]>” inside of a CDATA section"] += 1
        self.builder.add_text(text[start : end + 3])
        return end + 3

    def _skip(self, text: str, start: int) -> int:
        end = text.find(self.skipped_to, start)
        if end < 0:
            return max(start, len(text) - 2)
        end += len(self.skipped_to)
        self.skipped_to = ""
        return end

    def _read_text(self, text: str, start: int) -> int:
        markup = _MARKUP_START.search(text, start)
        if markup:
            end = markup.start()
        else:
            end = len(text)
            reference = text.rfind("&", max(start, end - 40))
            end = reference if reference >= 0 and not self.is_last else end
        self._add_text(text[start:end])
        return end

    def _add_text(self, text: str) -> None:
        if self.open:
            self.repairs["unescaped “<”"] += text.count("<")
            self.builder.add_text(_REFERENCE.sub(self._resolve, text))
        elif text.strip():
            self.repairs["text outside of the XML elements"] = 1

    def _resolve(self, reference: re.Match[str]) -> str:
        character = html.unescape(reference[0])
        if character == reference[0]:
            self.repairs["unescaped “&”"] += 1
        elif not reference[0].startswith("&#") and reference[0] not in _XML_ENTITIES:
            self.repairs["HTML entities"] += 1
        return character

    def _read_tag(self, text: str, start: int) -> int:
        end = text.find(">", start, start + _MAX_TAG)
        following = text.find("<", start + 1, start + _MAX_TAG)
        if end < 0 and following < 0 and len(text) - start < _MAX_TAG and not self.is_last:
            return start
        if end < 0 and following < 0 and self.is_last:
            # The text ends inside of a tag.
            return start
        tag = text[start + 1 : end] if end >= 0 and not 0 <= following < end else ""
        name = _NAME.match(tag)
        if name is None or not self._accept(name[1], tag):
            self._add_text("<")
            return start + 1
        return end + 1

    def _accept(self, name: str, tag: str) -> bool:
        """Take a tag, and the end tags that are missing before it; return whether it is a tag."""
        if ":" not in name and name not in _RSS_NAMES:
            return False
        if tag.startswith("/"):
            self._close(name)
            return True
        self._close_before(name)
        if len(self.open) == _MAX_OPEN:
            return False
        attributes = dict(_ATTRIBUTE.findall(tag, len(name))) if "=" in tag else {}
        values = {key: html.unescape(value[1:-1]) for key, value in attributes.items()}
        self.builder.start_element(name, values)
        if tag.endswith("/"):
            self.builder.end_element(name)
        else:
            self.open.append(name)
        return True

    def _close_before(self, name: str) -> None:
        if name == "rss" and self.open:
            self._close(self.open[0])
        elif name == "item" and "item" in self.open:
            self._close("item", is_missing=True)
        elif self.open and self.open[-1] not in _CONTAINER_NAMES:
            self.repairs["missing end tags"] += 1
            self._close(self.open[-1])

    def _close(self, name: str, *, is_missing: bool = False) -> None:
        """Close an element and those in it; `is_missing` says whether the text has no end tag for it."""
        if name not in self.open:
            self.repairs["end tags without a start tag"] += 1
            return
        while (innermost := self.open.pop()) != name:
            self._add_end(innermost, is_missing=True)
        self._add_end(name, is_missing=is_missing)

    def _add_end(self, name: str, *, is_missing: bool) -> None:
        self.repairs["missing end tags"] += is_missing
        if is_missing and name == "item":
            # What is missing can be the password, for example.
            self.builder.start_element(INCOMPLETE, {})
            self.builder.end_element(INCOMPLETE)
        self.builder.end_element(name)
