"""Removes the parts of an SVG image that draw nothing, such as scripts, metadata and foreign elements.

Only known SVG elements are kept, and only attributes that neither run code nor load files. A file from which
nothing must be removed is kept unchanged. The image worker loads this module without blogapi, so this module
imports only the standard library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

MAX_BYTES = 5 * 1024 * 1024
# Cleaning this number of elements takes half a second. Elements that a <use> repeats count each time.
MAX_ELEMENTS = 50_000

_SVG_NAMESPACE, _XLINK_NAMESPACE, _XML_NAMESPACE = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/XML/1998/namespace",
)
_PREFIXES = {_XLINK_NAMESPACE: "xlink:", _XML_NAMESPACE: "xml:"}
_ALLOWED_ELEMENTS = frozenset(
    {
        *("svg", "g", "defs", "symbol", "use", "switch", "title", "desc", "style", "view", "path", "rect"),
        *("circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "textPath", "image"),
        *("marker", "clipPath", "mask", "pattern", "linearGradient", "radialGradient", "stop", "animate"),
        *("animateMotion", "animateTransform", "mpath", "set", "filter", "feBlend", "feColorMatrix"),
        *("feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting"),
        *("feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB"),
        *("feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode", "feMorphology", "feOffset"),
        *("fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence"),
    }
)
_EMBEDDED_PICTURE = re.compile(r"\s*+data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*+\Z")
# A style can load a file. A backslash is unsafe too, because escapes can hide such a style.
_UNSAFE_STYLE = re.compile(
    r"\\|@import|expression|url\s*+\(\s*+(?![\"']?\s*+#)|javascript:|(image-set|src)\s*+\(", re.IGNORECASE
)
# A comment or a string of a style sheet, which may lack its end.
_COMMENT_OR_STRING = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+|\"[^\"\n]*+\"?+|'[^'\n]*+'?+"
# A statement or a rule of a style sheet, or a declaration of the attribute `style`.
_RULE = re.compile(
    rf"(?:\A|(?<=[{{}};]))(?:{_COMMENT_OR_STRING}|\([^()]*+\)?+|[^{{}};\"'(])++"
    rf"(?:;|\{{(?:{_COMMENT_OR_STRING}|[^{{}}\"'])*+\}}|\Z)"
)
# A reference to an element of the drawing. Browsers decode the `%` sequences in an address, and remove the
# spaces within it.
_REFERENCE = re.compile(r"\s*+#([^\s%]++)\s*+")

_LENGTH = re.compile(r"\s*+\+?([0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*+(px|pt|pc|mm|cm|in|)\s*+\Z")
_PIXELS_PER_UNIT = {"px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
# Larger sizes do not fit into the database.
_MAX_SIDE = 1_000_000
# The size in which browsers show a drawing that states no size.
_DEFAULT_SIZE = (300.0, 150.0)


class InvalidSvg(ValueError):
    """The file is not an SVG image that can be read; the message says why."""


_LOST_TEXT_NOTE = (
    "The texts in <foreignObject> were removed, because they are HTML. Save the drawing with SVG texts."
)
_TOO_MANY_ELEMENTS = "The SVG file has too many elements. Save a simpler version of it, or convert it to PNG."


@dataclass(frozen=True, slots=True)
class Drawing:
    """A safe SVG file, the size of its picture in pixels, and a sentence if text was removed from it."""

    data: bytes
    width: int
    height: int
    note: str = ""


def clean_svg(data: bytes) -> Drawing:
    """Return the file with only the parts that draw the picture; raise InvalidSvg if it cannot be read."""
    if len(data) > MAX_BYTES:
        raise InvalidSvg("The SVG file is too large. Save a simpler version of it, or convert it to PNG.")
    writer = _SvgWriter()
    try:
        writer.parse_document(data)
        document = data if writer.is_unchanged else writer.get_document()
        _check_element_count(document)
    except CycleError as error:
        raise InvalidSvg(
            "A <use> of the SVG file refers to itself. Remove it, and upload the new file."
        ) from error
    except expat.ExpatError as error:
        raise InvalidSvg(
            "The SVG file is damaged or incomplete. Save it again and upload the new file."
        ) from error
    return Drawing(document, *_measure_picture(writer.root), writer.note)


def _check_element_count(document: bytes) -> None:
    """Raise InvalidSvg if the drawing has too many elements, including those that each <use> repeats."""
    # `clean_svg` refuses entities, so the parser is safe.
    root = ElementTree.fromstring(document)  # noqa: S314
    contents = {element: list(element) for element in root.iter()}
    # If several elements have the same id, a reference leads to the first of them.
    by_id = {f"#{element.get('id')}": element for element in reversed(contents)}
    for element in root.iter(f"{{{_SVG_NAMESPACE}}}use"):
        href = element.get("href", element.get(f"{{{_XLINK_NAMESPACE}}}href", "")).strip()
        contents[element] += [by_id[href]] if href in by_id else []
    sizes: dict[ElementTree.Element, int] = {}
    for element in TopologicalSorter(contents).static_order():
        sizes[element] = 1 + sum(sizes[inner] for inner in contents[element])
        if sizes[element] > MAX_ELEMENTS:
            raise InvalidSvg(_TOO_MANY_ELEMENTS)


class _SvgWriter:
    """Writes the allowed parts of a document while expat reads it."""

    def __init__(self) -> None:
        self.is_unchanged = True
        self.note = ""
        self.root: dict[str, str] = {}
        self._parts: list[str] = []
        # The names of the open elements that were written, and how many open elements were left out.
        self._stack: list[str] = []
        self._left_out = 0
        self._style: list[str] = []
        self._count = 0

    def parse_document(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._add_text
        parser.EntityDeclHandler = self._refuse_entity
        for handler in ("StartDoctypeDeclHandler", "CommentHandler", "ProcessingInstructionHandler"):
            setattr(parser, handler, self._mark_changed)
        parser.Parse(data, True)

    def get_document(self) -> bytes:
        return "".join(self._parts).encode()

    def _mark_changed(self, *_: object) -> None:
        self.is_unchanged = False

    def _refuse_entity(self, *_: object) -> None:
        raise InvalidSvg(
            "The SVG file defines entities, which are not accepted. Save it as plain SVG and upload the new "
            "file."
        )

    def _start_element(self, qualified: str, attributes: list[str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise InvalidSvg(_TOO_MANY_ELEMENTS)
        namespace, _, name = qualified.rpartition(" ")
        if not self._stack and not self._left_out and (namespace, name) != (_SVG_NAMESPACE, "svg"):
            raise InvalidSvg(
                "The first element of the SVG file is not in the SVG namespace. Save it as plain SVG and "
                "upload the new file."
            )
        if (namespace, name) == (_SVG_NAMESPACE, "a"):
            self.is_unchanged = False
            name = "tspan" if self._stack and self._stack[-1] in ("text", "tspan", "textPath") else "g"
        if self._left_out or namespace != _SVG_NAMESPACE or name not in _ALLOWED_ELEMENTS:
            self._left_out += 1
            self.is_unchanged = False
            # In a <switch>, other elements show the text of the removed element.
            if name == "foreignObject" and self._stack[-1:] != ["switch"]:
                self.note = _LOST_TEXT_NOTE
            return
        kept = self._select_attributes(name, list(zip(attributes[::2], attributes[1::2], strict=True)))
        if not self._stack:
            self.root = kept
            declared = {"xmlns": _SVG_NAMESPACE, "xmlns:xlink": _XLINK_NAMESPACE}
            self._parts.append(f"<svg{_format_attributes(declared | kept)}>")
        else:
            self._parts.append(f"<{name}{_format_attributes(kept)}>")
        self._stack.append(name)

    def _select_attributes(self, element: str, attributes: list[tuple[str, str]]) -> dict[str, str]:
        kept = {}
        for qualified, value in attributes:
            namespace, _, local = qualified.rpartition(" ")
            name = f"{_PREFIXES.get(namespace, '')}{local}"
            value = self._clean_style(value) if name == "style" else value
            if (not namespace or namespace in _PREFIXES) and _is_safe_attribute(element, name, value):
                kept[name] = value
            else:
                self.is_unchanged = False
        if kept.get("attributeName", "").lower().removeprefix("xlink:").startswith(("href", "on")):
            self.is_unchanged = False
            del kept["attributeName"]
        return kept

    def _end_element(self, _: str) -> None:
        if self._left_out:
            self._left_out -= 1
            return
        name = self._stack.pop()
        if name == "style":
            self._parts.append(escape(self._clean_style("".join(self._style))))
            self._style.clear()
        self._parts.append(f"</{name}>")

    def _add_text(self, text: str) -> None:
        if self._left_out or not self._stack:
            return
        if self._stack[-1] == "style":
            self._style.append(text)
        else:
            self._parts.append(escape(text))

    def _clean_style(self, style: str) -> str:
        """Return a style sheet without unsafe rules, or the attribute `style` without unsafe declarations."""
        if not _UNSAFE_STYLE.search(style):
            return style
        self.is_unchanged = False
        style = _RULE.sub(lambda rule: "" if _UNSAFE_STYLE.search(rule[0]) else rule[0], style)
        # Text between rules can also be unsafe.
        return "" if _UNSAFE_STYLE.search(style) else style


def _is_safe_attribute(element: str, name: str, value: str) -> bool:
    lowered = name.lower()
    if lowered in ("href", "xlink:href"):
        return bool(_REFERENCE.fullmatch(value) or (element == "image" and _EMBEDDED_PICTURE.match(value)))
    if lowered.startswith(("on", "data-", "xlink:", "xml:base")) or lowered in ("src", "srcdoc"):
        return False
    return not _UNSAFE_STYLE.search(value)


def _format_attributes(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())


def _measure_picture(root: dict[str, str]) -> tuple[int, int]:
    """Return the size that the image states, or else the size of its view box, in pixels."""
    box = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    numbers = [_to_pixels(number) for number in box[2:4]] if len(box) == 4 else []
    box_size = (numbers[0], numbers[1]) if len(numbers) == 2 and all(numbers) else None
    width, height = _to_pixels(root.get("width", "")), _to_pixels(root.get("height", ""))
    if box_size and not (width and height):
        ratio = box_size[0] / box_size[1]
        width, height = (width, width / ratio) if width else (height * ratio, height) if height else box_size
    return _limit_side(width or _DEFAULT_SIZE[0]), _limit_side(height or _DEFAULT_SIZE[1])


def _limit_side(side: float) -> int:
    return round(min(max(side, 1), _MAX_SIDE))


def _to_pixels(length: str) -> float:
    match = _LENGTH.match(length)
    return float(match[1]) * _PIXELS_PER_UNIT[match[2]] if match else 0.0
