"""Reads the elements of a WXR file in a stream, strictly or with repairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.sax import SAXParseException

from defusedxml import DefusedXmlException

from blogapi.transfer import folder
from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.wordpress.repair import DTD_REFUSAL, repair
from blogapi.transfer.xml_elements import Element, ElementBuilder, decode, parse

MAX_FILE_BYTES = 8 * 1024**3


class MalformedFile(Exception):
    """The file is not well-formed; reading it with repairs can help."""


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
            try:
                if self.is_repaired:
                    yield from repair(decode(file, is_strict=False), builder, self.repairs)
                else:
                    yield from parse(decode(file), builder)
            except DefusedXmlException as error:
                raise RefusedFile(DTD_REFUSAL) from error
            except (SAXParseException, UnicodeError) as error:
                raise MalformedFile(str(error)) from error
            except OSError as error:
                raise RefusedFile("It cannot be read to its end; check the disk.") from error
        self.is_incomplete = builder.missing_end is not None
        unfinished = builder.get_unfinished_item()
        self.unfinished_title = unfinished.get_text("title")[:100] if unfinished else None
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
