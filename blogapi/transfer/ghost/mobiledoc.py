"""Converts mobiledoc, the format of posts in Ghost 1 to 4, to HTML.

https://github.com/bustle/mobiledoc-kit/blob/master/MOBILEDOC.md describes the versions 0.2 and 0.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from blogapi.transfer.ghost.cards import convert_card, get_markdown
from blogapi.transfer.ghost.markup import element, make_heading_id, start_tag

_MARKUP, _IMAGE, _LIST, _CARD = 1, 2, 3, 10
_ATOM = 1
_ATOM_KEY = -1
_MARKUP_TAGS = {
    *("a", "abbr", "b", "code", "del", "em", "i", "ins", "mark", "s", "small", "strong", "sub", "sup", "u"),
}  # fmt: skip
_SECTION_TAGS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
# A card or an atom can be used any number of times. A body that becomes longer is damaged or hostile.
_MAX_LENGTH = 10_000_000
_ERRORS = (IndexError, KeyError, TypeError, ValueError, AttributeError)


def find_markdown(document: Mapping[str, Any]) -> str | None:
    """Return the Markdown of a document that consists of one Markdown card; None for any other document.

    Raises the same errors as `convert_mobiledoc`, and IndexError, if the document is damaged.
    """
    sections = [section for section in document["sections"] if section[0] != _MARKUP or section[2]]
    if len(sections) != 1 or sections[0][0] != _CARD or len(sections[0]) != 2:
        return None
    name, card = document["cards"][sections[0][1]]
    return get_markdown(name, card)


def convert_mobiledoc(document: Mapping[str, Any], losses: Counter[str]) -> str:
    """Return the HTML of a document; counts in `losses` what is left out.

    Raises an error of Python (AttributeError, KeyError, TypeError or ValueError) if the document has no
    sections, and OverflowError if the HTML becomes too long.
    """
    return _Converter(document, losses).convert()


class _Converter:
    def __init__(self, document: Mapping[str, Any], losses: Counter[str]) -> None:
        self._losses = losses
        self._length = 0
        # Each card and each markup is converted once.
        self._converted: dict[tuple[int, int], str] = {}
        self._is_old = str(document.get("version")).startswith("0.2")
        if self._is_old:
            self._markups, self._sections = document["sections"]
        else:
            self._markups, self._sections = document.get("markups") or [], document["sections"]
        self._atoms = document.get("atoms") or []
        self._cards = document.get("cards") or []
        if not isinstance(self._sections, list):
            raise TypeError

    def convert(self) -> str:
        return "\n".join(filter(None, map(self._convert_section, self._sections)))

    def _convert_section(self, section: Any) -> str:
        try:
            kind = section[0]
            if kind == _MARKUP:
                return self._convert_text(section[1].lower(), self._convert_markers(section[2]))
            if kind == _LIST:
                items = (element("li", self._convert_markers(markers)) for markers in section[2])
                return element("ol" if section[1].lower() == "ol" else "ul", "".join(items))
            if kind == _IMAGE:
                return convert_card("image", {"src": section[1]}, self._losses) or ""
            if kind == _CARD:
                if self._is_old:
                    return self._convert_card(*section[1:3])
                return self._reuse(_CARD, section[1], lambda index: self._convert_card(*self._cards[index]))
        except _ERRORS:
            pass
        self._losses["unreadable parts"] += 1
        return ""

    def _reuse(self, kind: int, index: int, convert: Callable[[int], str]) -> str:
        """Return the HTML of a card, markup or atom; raises OverflowError if the body becomes too long."""
        key = kind, index
        if key not in self._converted:
            self._converted[key] = convert(index)
        self._length += len(self._converted[key])
        if self._length > _MAX_LENGTH:
            raise OverflowError
        return self._converted[key]

    def _convert_text(self, tag: str, html: str) -> str:
        if not html.strip():
            return ""
        if tag in ("aside", "pull-quote"):
            return element("blockquote", html, "kg-blockquote-alt")
        tag = tag if tag in _SECTION_TAGS else "p"
        return element(tag, html, id=make_heading_id(html) if tag[0] == "h" else "")

    def _convert_card(self, name: str, card: Any = None) -> str:
        card = card if isinstance(card, Mapping) else {}
        html = convert_card(name, card, self._losses)
        if html is None:
            self._losses[f"unknown cards ({name[:50]})"] += 1
            html = card.get("html")
        return html if isinstance(html, str) else ""

    def _convert_markers(self, markers: list[Any]) -> str:
        parts: list[str] = []
        open_tags: list[str] = []
        for marker in markers:
            kind, opened, closed, value = marker if len(marker) == 4 else (0, *marker)
            for index in opened:
                start = self._reuse(_MARKUP, index, self._start_markup)
                parts.append(start)
                open_tags.append(start[1:].partition(" ")[0].rstrip(">"))
            if kind == _ATOM:
                parts.append(self._reuse(_ATOM_KEY, value, self._convert_atom))
            else:
                parts.append(escape(value, quote=False))
            for _ in range(min(closed, len(open_tags))):
                parts.append(_end_tag(open_tags.pop()))
        return "".join([*parts, *map(_end_tag, reversed(open_tags))])

    def _start_markup(self, index: int) -> str:
        """Return the start tag of a markup; "" if the markup is not shown."""
        tag, *rest = self._markups[index]
        name = str(tag).lower()
        if name not in _MARKUP_TAGS:
            return ""
        listed = rest[0] if rest and name == "a" else []
        attributes = dict(zip(listed[::2], listed[1::2], strict=False))
        href, title, rel, target = (attributes.get(key) for key in ("href", "title", "rel", "target"))
        return start_tag(name, href=href, title=title, rel=rel, target=target)

    def _convert_atom(self, index: int) -> str:
        name, text, *_ = self._atoms[index]
        if name == "soft-return":
            return "<br>"
        self._losses[f"unknown atoms ({str(name)[:50]})"] += 1
        return escape(str(text or ""), quote=False)


def _end_tag(name: str) -> str:
    return f"</{name}>" if name else ""
