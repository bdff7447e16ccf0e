"""Read Blogger's Atom files in a stream: exports of the settings page and of Google Takeout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax import SAXException

from defusedxml import DefusedXmlException

from blogapi.importing.format_api.source_files import open_file
from blogapi.importing.formats.blogger.article_records import BloggerItem
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.xml_elements import Element, ElementBuilder, decode, parse

# The fields of a BloggerItem by the names of elements; `outer/inner` is a nested element. Names are compared
# without their prefixes, because some exports do not declare the prefixes.
_FIELDS = {
    "id": "id",
    "title": "title",
    "content": "content",
    "published": "published",
    "type": "kind",
    "status": "status",
    "filename": "address",
    "metaDescription": "description",
    "trashed": "trashed",
    "author/name": "author",
    "control/draft": "draft",
}
# If a damaged file has several values of such a field, they are joined, because it is unknown which is right.
_JOINED_FIELDS = {"status", "trashed", "draft"}
_KIND_SCHEME = "#kind"
# XML does not allow these characters, but some texts contain them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Feed:
    """Reads a file; the attributes `blog` and `address` are complete when `read` has ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.blog = ""  #: the number of the blog
        self.address = ""  #: the address of the blog, or "" if the file does not say it

    def read(self) -> Iterator[BloggerItem]:
        """Yield the entries. Raises RefusedFile where the file is not well-formed."""
        builder = ElementBuilder()
        try:
            with open_file(self._path, limit=None) as file:
                chunks = (_CONTROL.sub("", chunk) for chunk in decode(file))
                for element in parse(chunks, builder):
                    yield from self._read_element(element)
            if builder.missing_end:
                raise builder.missing_end
        except (SAXException, DefusedXmlException, OSError, ValueError) as error:
            for element in builder.take_elements():
                yield from self._read_element(element)
            line = getattr(error, "getLineNumber", lambda: None)()
            place = f" (line {line:,})" if line else ""
            raise RefusedFile(
                f"The file is damaged or not an export{place}; the entries before that were read. Export the "
                "blog again."
            ) from error

    def _read_element(self, element: Element) -> Iterator[BloggerItem]:
        if element.local_name == "entry":
            yield self._make_item(element)
        elif element.local_name == "id":
            self.blog = element.text.strip().rpartition("blog-")[2].partition(".")[0]
        elif element.local_name == "link" and element.attributes.get("rel") == "alternate":
            self.address = element.attributes.get("href", "")

    def _make_item(self, entry: Element) -> BloggerItem:
        item = BloggerItem(blog=self.blog, is_too_large=entry.is_too_large)
        for child in entry.children:
            _read_attributes(item, child)
        values = _read_values(entry)
        draft, trashed = values.pop("draft", ""), values.pop("trashed", "")
        for name, text in values.items():
            if text:
                setattr(item, name, text)
        item.kind = (item.kind or item.split_id()[1]).lower()
        if "kind" not in values and "status" not in values:
            # Only Takeout writes a status. The other exports mark drafts.
            item.status = "LIVE" if draft.lower() in ("", "no") else "DRAFT"
        if trashed:
            item.status = "SOFT_TRASHED"
        return item


def _read_values(entry: Element) -> dict[str, str]:
    values: dict[str, str] = {}
    for path, text in _list_texts(entry):
        if name := _FIELDS.get(path):
            is_joined = name in _JOINED_FIELDS and name in values
            values[name] = f"{values[name]} {text}" if is_joined else text.strip()
    return values


def _list_texts(entry: Element) -> Iterator[tuple[str, str]]:
    for child in entry.children:
        outer = child.local_name
        yield outer, child.text
        yield from ((f"{outer}/{inner.local_name}", inner.text) for inner in child.children)


def _read_attributes(item: BloggerItem, element: Element) -> None:
    name, attributes = element.local_name, element.attributes
    if name == "category":
        term = attributes.get("term", "")
        if attributes.get("scheme", "").endswith(_KIND_SCHEME):
            item.kind = term.rpartition("#")[2]
        elif term:
            item.labels.append(term)
    elif name == "link" and attributes.get("rel") == "alternate":
        item.address = attributes.get("href", "")
    elif (name == "link" and attributes.get("rel") == "enclosure") or (name == "enclosure" and attributes):
        item.features.append("enclosures")
    elif name in ("location", "point"):
        item.features.append("locations")
