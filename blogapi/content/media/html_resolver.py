"""Resolves the references to files in HTML: pictures get all their sizes, and other files their addresses."""

from __future__ import annotations

import re
from html import escape
from uuid import UUID

from blogapi.content.media.addresses import SRCSET_WIDTHS, make_copy_path
from blogapi.content.media.file_references import (
    ADDRESS_ATTRIBUTES,
    ELEMENT_WITH_ADDRESS,
    FileAddress,
    ReferencedFile,
    ReferencedFiles,
    parse_reference,
)
from blogapi.rendering.plain_text import decode_entities
from blogapi.site.queries import get_service_url
from blogapi.web.fields import WithAttributes

# The attribute `sizes` assumes a text column of at most this width, in CSS pixels.
MAX_COLUMN_WIDTH = 800

# The maximum number of pictures of an article that get a `srcset`: each `srcset` turns a reference of 50
# characters into 1,500 characters of HTML.
MAX_SRCSETS = 2_000

# Sanitized HTML quotes each attribute value.
_ATTRIBUTE = re.compile(r'(?<![a-z-])([a-z-]++)="([^"]*)"')


class HtmlResolver:
    """Resolves the references in the sanitized HTML of one article; `used` contains the files found.

    The written addresses begin with the address of the service. A `media:` address of an unknown file is
    removed.
    """

    def __init__(self, article_id: UUID, files: ReferencedFiles) -> None:
        self.used: dict[UUID, ReferencedFile] = {}
        self._article_id, self._files = article_id, files
        self._srcsets = 0

    def resolve_html(self, html: str) -> str:
        if self._files.is_empty() and "media:" not in html:
            return html
        return ELEMENT_WITH_ADDRESS.sub(self._resolve_element, html)

    def find_file(self, address: str) -> ReferencedFile | None:
        """Return the file to which the address refers, or None."""
        file = self._files.find_file(self._article_id, address)
        if file is not None:
            self.used[file.uuid] = file
        return file

    def _resolve_element(self, element: re.Match[str]) -> str:
        name, attributes = element[1], dict(_ATTRIBUTE.findall(element[2]))
        old_attributes = dict(attributes)
        picture = None
        for attribute in ADDRESS_ATTRIBUTES[name]:
            if attribute not in attributes:
                continue
            address = decode_entities(attributes[attribute])
            file = self.find_file(address)
            if file is not None:
                attributes[attribute] = escape(_resolve_address(file, address))
                picture = file
            elif address.startswith("media:"):
                del attributes[attribute]
        if "srcset" in attributes:
            self._resolve_srcset(attributes)
        if name == "img" and picture is not None:
            attributes = self._make_img_attributes(picture, attributes)
        if attributes == old_attributes:
            return element[0]
        written = "".join(f' {key}="{value}"' for key, value in attributes.items())
        return f"<{name}{written}>"

    def _resolve_srcset(self, attributes: dict[str, str]) -> None:
        candidates = []
        for candidate in decode_entities(attributes["srcset"]).split(","):
            address, *descriptor = candidate.split()[:2] or [""]
            file = self.find_file(address)
            if file is not None:
                candidates.append(" ".join([_resolve_address(file, address), *descriptor]))
            elif not address.startswith("media:"):
                candidates.append(candidate)
        srcset = escape(",".join(candidates))
        if srcset.strip(", "):
            attributes["srcset"] = srcset
        else:
            del attributes["srcset"]

    def _make_img_attributes(self, file: ReferencedFile, attributes: dict[str, str]) -> dict[str, str]:
        """Return the attributes of an <img>; attributes that the author wrote take precedence."""
        made = {"src": escape(_make_url(file.path))}
        if file.width and file.is_scalable and "srcset" not in attributes and self._srcsets < MAX_SRCSETS:
            self._srcsets += 1
            widths = [width for width in SRCSET_WIDTHS if width < file.width]
            sizes = [(make_copy_path(file.path, width), width) for width in widths]
            sources = (f"{_make_url(path)} {width}w" for path, width in (*sizes, (file.path, file.width)))
            made["srcset"] = escape(", ".join(sources))
            width = min(_parse_width(attributes.get("width", "")) or file.width, file.width, MAX_COLUMN_WIDTH)
            made["sizes"] = f"(max-width: {width}px) 100vw, {width}px"
        if file.width and file.height and attributes.keys().isdisjoint(("width", "height")):
            made |= {"width": str(file.width), "height": str(file.height)}
        made["alt"] = attributes.pop("alt", "") or escape(file.alt)
        made["loading"] = "lazy"
        order = ("src", "srcset", "sizes", "width", "height", "alt", "loading")
        complete = made | {key: value for key, value in attributes.items() if key != "src"}
        return {key: complete[key] for key in (*order, *complete) if key in complete}


def add_file_url(file: ReferencedFile) -> WithAttributes:
    """Return the file with its path as the additional attribute `url`."""
    return WithAttributes(file, url=file.path)


def _resolve_address(file: ReferencedFile, address: str) -> str:
    """Return the absolute address of the file to which `address` refers.

    A path stays unchanged unless its hash is a former hash, because it can be the path of a resized copy.
    """
    key = parse_reference(address)
    if not isinstance(key, FileAddress):
        return _make_url(file.path)
    return _make_url(file.find_new_path(key.path) or key.path) + key.rest


def _make_url(path: str) -> str:
    return f"{get_service_url()}{path}"


def _parse_width(text: str) -> int:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else 0
