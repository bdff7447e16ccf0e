"""Reads the elements of a WXR file in a stream, strictly or with repairs."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.sax import SAXParseException

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.wordpress.elements import Element, ElementBuilder
from blogapi.transfer.wordpress.repair import DTD_REFUSAL, repair

MAX_FILE_BYTES = 8 * 1024**3
CHUNK_BYTES = 64 * 1024
# A tag or comment that is longer is refused, because the parser keeps it in memory.
_MAX_CHUNKS = 128
_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})["']""")
# The encodings that blogs use. Python has others, which do not encode text or take quadratic time.
_ENCODINGS = re.compile(
    r"utf-?8|(?:iso-?8859|latin|windows|cp|koi8|euc|gb|shift|big5|tis|us-?ascii|ascii)[\w-]*", re.IGNORECASE
)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class MalformedFile(Exception):
    """The file is not well-formed; reading it with repairs can help."""


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
        # Texts arrive in a few long parts.
        self._parser.buffer_text = True
        self._parser.buffer_size = CHUNK_BYTES


class ExportFile:
    """A WXR file. `read` can be called several times; the attributes describe the most recent call."""

    def __init__(self, entry: folder.Entry) -> None:
        self.entry = entry
        self.is_repaired = False  #: whether `read` repairs the file
        self.is_incomplete = False
        self.unfinished_title: str | None = None  #: of the item in which the file ends
        self.repairs: Counter[str] = Counter()

    def read(self) -> Iterator[Element]:
        """Yield the children of the channel.

        Raises MalformedFile if the file is not well-formed (not if `is_repaired`), and RefusedFile if the
        file cannot be read.
        """
        self.repairs = Counter()
        builder = ElementBuilder()
        with folder.open_file(self.entry.path, MAX_FILE_BYTES) as file:
            chunks = _decode(file, is_strict=not self.is_repaired)
            if self.is_repaired:
                chunks = repair(chunks, self.repairs)
            try:
                yield from self._parse(chunks, builder)
            except DefusedXmlException as error:
                raise RefusedFile(DTD_REFUSAL) from error
            except (SAXParseException, UnicodeError) as error:
                raise MalformedFile(str(error)) from error
            except OSError as error:
                raise RefusedFile("It cannot be read to its end; check the disk.") from error
        if "wp" in builder.undeclared:
            self.repairs["missing declaration of the namespace “wp”"] += 1

    def describe_repairs(self) -> str:
        """Return the sentences about the file for the report; "" if it is well-formed."""
        sentences = []
        repairs = [f"{name}: {number:,}" for name, number in sorted((+self.repairs).items())]
        if repairs or self.is_repaired:
            details = f" ({'; '.join(repairs)})" if repairs else ""
            sentences.append(f"The file is not well-formed XML and was repaired{details}.")
        if self.is_incomplete:
            sentences.append("The file is incomplete: its end is missing; export it again.")
        if self.unfinished_title is not None:
            sentences.append(f"It ends inside of the item “{self.unfinished_title}”, which was left out.")
        return " ".join(sentences)

    def _parse(self, chunks: Iterable[str], builder: ElementBuilder) -> Iterator[Element]:
        parser = _Parser(builder)
        for chunk in _wait_for_progress(chunks, builder):
            parser.feed(chunk)
            yield from builder.take_elements()
        self.is_incomplete = False
        try:
            parser.close()
        except SAXParseException:
            self.is_incomplete = True
        # From version 2.6 on, Expat can wait with the last elements until the end of the file.
        yield from builder.take_elements()
        unfinished = builder.get_unfinished_item()
        self.unfinished_title = unfinished.get_text("title")[:100] if unfinished else None


def _wait_for_progress(chunks: Iterable[str], builder: ElementBuilder) -> Iterator[str]:
    """Yield the text in chunks that become longer while the parser waits for the end of a long tag.

    The parser reads an unfinished tag or comment again with each chunk; the time is linear this way.
    """
    waiting: list[str] = []
    needed, events = 1, -1
    for chunk in chunks:
        waiting.append(chunk)
        if len(waiting) < needed:
            continue
        if needed > _MAX_CHUNKS:
            raise RefusedFile("It has a tag or comment of more than 8 MB; remove it.")
        needed = 1 if builder.events != events else needed * 2
        events = builder.events
        yield "".join(waiting)
        waiting.clear()
    yield "".join(waiting)


def _decode(file: BinaryIO, *, is_strict: bool) -> Iterator[str]:
    """Yield the text of a file without its byte order mark and without spaces at its start."""
    data = file.read(CHUNK_BYTES)
    encoding = _detect_encoding(data)
    # UTF-16 has no invalid bytes that could be kept.
    errors = "strict" if is_strict else "replace" if encoding == "utf-16" else "surrogateescape"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    is_started = False
    while data:
        text = decoder.decode(data)
        text = text if is_started else text.lstrip("\ufeff\0 \t\r\n")
        is_started = is_started or bool(text)
        yield text
        data = file.read(CHUNK_BYTES)
    yield decoder.decode(b"", final=True)


def _detect_encoding(data: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    declared = _ENCODING.search(data, 0, 1_000)
    name = declared[1].decode("ascii") if declared else "utf-8"
    try:
        known = codecs.lookup(name).name if _ENCODINGS.fullmatch(name) else "utf-8"
    except LookupError:
        return "utf-8"
    # Like browsers, because Windows wrote such files.
    return {"ascii": "utf-8", "iso8859-1": "cp1252"}.get(known, known)
