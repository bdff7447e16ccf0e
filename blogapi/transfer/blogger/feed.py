"""Read Blogger's Atom files in a stream: exports of the settings page, and `feed.atom` of Google Takeout.

Names are compared without their prefixes, because some exports do not declare them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from blogapi.transfer.article_record import RefusedFile
from blogapi.transfer.blogger.items import MAX_TEXT_LENGTH, BloggerItem

_CHUNK_BYTES = 64 * 1024
# The parser keeps a tag in memory until it ends. The longest real ones have a few thousand characters.
_MAX_TAG_BYTES = 16 * 1024 * 1024
# XML does not allow these bytes, but some texts contain them.
_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in b"\t\n\r")

# The fields of an entry by the name of its element, and by the names of an outer and an inner element.
_FIELDS = {
    "id": "id",
    "title": "title",
    "content": "content",
    "published": "published",
    "type": "kind",
    "status": "status",
    "filename": "address",
    "parent": "parent",
    "metaDescription": "description",
    "trashed": "trashed",
    "author/name": "author",
    "author/uri": "author_url",
    "control/draft": "draft",
}
# Of several values in a damaged file, each can be the true one.
_JOINED = {"status", "trashed", "draft"}
_KIND_SCHEME = "#kind"


class Feed:
    """A file and what its head says of the blog; complete when `read` has ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.blog = ""  #: the number of the blog
        self.address = ""  #: the address of the blog, or "" if the file does not say it

    def read(self) -> Iterator[BloggerItem]:
        """Yield the entries. Raises RefusedFile where the file is not well-formed."""
        handler = _Handler(self)
        parser = _Parser(forbid_dtd=True)
        parser.setContentHandler(handler)
        try:
            with self._path.open("rb") as file:
                while chunk := file.read(_CHUNK_BYTES):
                    handler.idle_bytes += len(chunk)
                    parser.feed(chunk.translate(None, _CONTROL_BYTES))
                    if handler.idle_bytes > _MAX_TAG_BYTES:
                        raise RefusedFile("It has a tag of many megabytes; export the blog again.")
                    yield from handler.take()
            parser.close()
            # From version 2.6 on, Expat can wait with the last elements until the end of the file.
            yield from handler.take()
        except (SAXException, DefusedXmlException, OSError, LookupError, ValueError) as error:
            yield from handler.take()
            line = getattr(error, "getLineNumber", lambda: None)()
            place = f" (line {line:,})" if line else ""
            raise RefusedFile(
                f"The file is damaged or not an export{place}; the entries before that were read. Export the "
                "blog again."
            ) from error


class _Parser(DefusedExpatParser):  # type: ignore[misc]
    def reset(self) -> None:
        super().reset()
        # Without a buffer, each entity and each line of a text is a call of its own: four times slower.
        self._parser.buffer_text = True
        self._parser.buffer_size = _CHUNK_BYTES


class _Handler(ContentHandler):
    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self.idle_bytes = 0  #: the number of bytes since the last element or text
        self._feed = feed
        self._names: list[str] = []
        self._depth = 0
        self._item: BloggerItem | None = None
        self._values: dict[str, str] = {}
        self._text: list[str] | None = None
        self._length = 0
        self._done: list[BloggerItem] = []

    def take(self) -> list[BloggerItem]:
        """Return the complete entries since the last call."""
        done, self._done = self._done, []
        return done

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        self.idle_bytes = 0
        self._depth += 1
        if self._depth > 4:
            return
        self._names = [*self._names[: self._depth - 1], name.rpartition(":")[2]]
        if self._depth == 2 and self._names[1] == "entry":
            self._item, self._values, self._length = BloggerItem(), {}, 0
        elif self._item and self._depth == 3:
            self._read_attributes(self._item, self._names[2], attrs)
        elif self._depth == 2 and self._names[1] == "link" and attrs.get("rel") == "alternate":
            self._feed.address = attrs.get("href", "")
        if self._get_path() in _FIELDS or (self._depth == 2 and self._names[1] == "id"):
            self._text = []

    def _get_path(self) -> str:
        return "/".join(self._names[2:]) if self._item else ""

    def _read_attributes(self, item: BloggerItem, name: str, attrs: Mapping[str, str]) -> None:
        if name == "category":
            term = attrs.get("term", "")
            if attrs.get("scheme", "").endswith(_KIND_SCHEME):
                item.kind = term.rpartition("#")[2]
            elif term:
                item.labels.append(term)
        elif name == "link" and attrs.get("rel") == "alternate":
            item.address = attrs.get("href", "")
        elif (name == "link" and attrs.get("rel") == "enclosure") or (name == "enclosure" and len(attrs)):
            item.features.append("enclosures")
        elif name == "in-reply-to":
            item.parent = attrs.get("ref", "")
        elif name in ("location", "point"):
            item.features.append("locations")

    def characters(self, content: str) -> None:
        self.idle_bytes = 0
        if self._text is None:
            return
        self._length += len(content)
        if self._length <= MAX_TEXT_LENGTH:
            self._text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.idle_bytes = 0
        path = self._get_path() if self._depth <= 4 else ""
        if self._text is not None and (path in _FIELDS or self._names[1:] == ["id"]):
            text, self._text = "".join(self._text), None
            if self._item:
                field_name = _FIELDS[path]
                former = self._values.get(field_name, "") if field_name in _JOINED else ""
                self._values[field_name] = f"{former} {text}" if former else text
            else:
                self._feed.blog = text.strip().rpartition("blog-")[2].partition(".")[0]
        if self._depth <= 4:
            self._names = self._names[: self._depth - 1]
        if self._depth == 2 and self._item:
            self._finish(self._item)
            self._item = None
        self._depth -= 1

    def _finish(self, item: BloggerItem) -> None:
        values = {name: text if name == "content" else text.strip() for name, text in self._values.items()}
        draft, trashed = values.pop("draft", ""), values.pop("trashed", "")
        for name, text in values.items():
            if text:
                setattr(item, name, text)
        item.is_too_large = self._length > MAX_TEXT_LENGTH
        item.kind = (item.kind or item.split_id()[1]).lower()
        item.blog = self._feed.blog
        if "kind" not in values and "status" not in values:
            # Only Takeout writes a status. The other exports mark drafts.
            item.status = "LIVE" if draft.lower() in ("", "no") else "DRAFT"
        if trashed:
            item.status = "SOFT_TRASHED"
        self._done.append(item)
