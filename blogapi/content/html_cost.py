"""Finds HTML that would take too long to parse.

The HTML standard defines how to parse any text. At each tag, the parser searches the open elements. It copies
unclosed formatting elements into each following block. Therefore 2 MB of wrongly nested tags can take hours,
and copies of a long attribute can fill the memory. This module counts at least as many steps as the parser
takes.
"""

from __future__ import annotations

import re

# The parser needs 0.3 s for 150,000 elements, and 0.02 s to 0.7 s for 10 million steps.
_MAX_TAGS = 150_000
_MAX_STEPS = 10_000_000

# HTML below both limits is parsed in less than 0.3 s, whatever it contains.
_SMALL_TAGS, _SMALL_LENGTH = 1_000, 20_000

_SPACE = r"\t\n\f\r "
_NAME = rf"[A-Za-z][^{_SPACE}/>]*+"
_ATTRIBUTE = (
    rf"[{_SPACE}/]*+[^{_SPACE}/>][^{_SPACE}/>=]*+"
    rf"""(?:[{_SPACE}]*+=[{_SPACE}]*+(?:"[^"]*+"?|'[^']*+'?|[^{_SPACE}>]++)?+)?+"""
)

# Matches a token of the HTML standard: a tag, a comment, the start of CDATA or any other declaration.
_TOKEN = re.compile(
    rf"<(/?)({_NAME})(?:{_ATTRIBUTE})*+[{_SPACE}/]*+>?"
    r"|<!--(?s:-?>|.*?(?:--!?>|\Z))|(?P<cdata><!\[CDATA\[)|<(?:[!?]|/(?![A-Za-z]))[^>]*+>?"
)
_HIDDEN_TOKEN = re.compile(rf"<(/?)({_NAME})|\]\]>")
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_CDATA_END = "]]>"

# The parser reads the content of these elements as text.
_RAW_TEXT = frozenset(
    {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"}
)

# Inside these elements, the parser reads the content of _RAW_TEXT elements as markup, or ignores their tags.
_EXCEPTIONS = frozenset({"svg", "math", "select", "template", "frameset"})
_MAX_HIDDEN_WEIGHT = 2_000

_VOID = frozenset(
    {
        *(
            "area",
            "base",
            "basefont",
            "bgsound",
            "br",
            "col",
            "embed",
            "frame",
            "hr",
            "img",
            "image",
            "input",
        ),
        *("keygen", "link", "meta", "param", "source", "track", "wbr"),
    }
)

# The parser copies these elements into the following blocks if they are not closed. It merges the attributes
# of all <html> tags, and of all <body> tags.
_COPIED = frozenset(
    {
        *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"),
        *("html", "body"),
    }
)

_CELLS = frozenset({"td", "th"})
_ROWS = _CELLS | {"tr"}
_GROUPS = _ROWS | {"thead", "tbody", "tfoot"}
_TABLE_PARTS = _GROUPS | {"table", "caption", "colgroup", "col"}

# Content directly in these elements, that is, not in a cell, is moved before the table.
_TABLE_CONTEXTS = _TABLE_PARTS - _CELLS - {"caption"}

# Maps the name of a start tag to the open elements that it closes.
_CLOSED_BY = {
    "p": frozenset({"p"}),
    "li": frozenset({"li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd"})),
    "option": frozenset({"option"}),
    **dict.fromkeys(_CELLS, _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(_GROUPS - _ROWS, _GROUPS),
}
_END_TAG_OMITTABLE = frozenset(_CLOSED_BY)
# The end tag of these elements also closes inner elements whose end tag is omitted.
_BLOCKS = _END_TAG_OMITTABLE | {
    *("ul", "ol", "dl", "table", "select", "div", "section", "article", "aside", "blockquote", "details"),
    *("figure", "figcaption", "header", "footer", "main", "nav"),
}


def is_too_expensive(html: str) -> bool:
    """Return whether parsing the HTML could take more than about a second."""
    tags = html.count("<")
    if tags <= _SMALL_TAGS and len(html) <= _SMALL_LENGTH:
        return False
    return tags > _MAX_TAGS or _Walk(html).steps > _MAX_STEPS


class _Walk:
    """Counts the steps of parsing HTML, and stops when there are more than _MAX_STEPS.

    If it is unclear whether the parser reads a text as a tag, a start tag is counted and an end tag is
    ignored.
    """

    def __init__(self, html: str) -> None:
        self.steps = 0
        self._open: list[tuple[str, int]] = []
        self._weight = 0
        self._well_formed = True
        self._exceptions = False
        tags = end = hidden_from = 0
        hidden_until = ""
        while self.steps <= _MAX_STEPS:
            token = (_HIDDEN_TOKEN if hidden_until else _TOKEN).search(html, end)
            if token is None:
                break
            if self._top() in _TABLE_CONTEXTS and html[end : token.start()].strip():
                self._well_formed = False
            end, name = token.end(), token[2]
            if name is None:
                if hidden_until == _CDATA_END:
                    self._count_hidden(end - hidden_from)
                    hidden_until = ""
                elif not hidden_until and token["cdata"]:
                    hidden_until, hidden_from = _CDATA_END, end
                    # Outside of SVG and MathML, CDATA ends at the next `>`.
                    self._exceptions = True
                continue
            name = name.lower() if name.isascii() else name
            tags += 1
            if not token[1]:
                hidden_weight = _MAX_HIDDEN_WEIGHT if hidden_until and self._exceptions else 0
                self._start(name, max(end - token.start(), hidden_weight))
                if name in _RAW_TEXT and not hidden_until:
                    hidden_until, hidden_from = name, end
            elif hidden_until in ("", name):
                if hidden_until:
                    self._count_hidden(end - hidden_from)
                hidden_until = ""
                self._end(name)
            # When the parser moves an element before a table, it searches the previous elements.
            self.steps += 1 + self._weight + (0 if self._well_formed else tags // 64)
            if end - token.start() > 1_000:
                # The parser compares each attribute with all previous attributes of the tag.
                self.steps += len(_ATTRIBUTES.findall(token[0])) ** 2 // 32
        if hidden_until:
            self._count_hidden(len(html) - hidden_from)

    def _count_hidden(self, length: int) -> None:
        # If the parser reads this text as markup, it may be one tag whose attributes have two characters
        # each.
        if self._exceptions:
            self.steps += length**2 // 128

    def _top(self) -> str:
        return self._open[-1][0] if self._open else ""

    def _start(self, name: str, length: int) -> None:
        while self._top() in _CLOSED_BY.get(name, ()):
            self._close_from(len(self._open) - 1)
        self._well_formed &= (name in _TABLE_PARTS - {"table"}) == (self._top() in _TABLE_CONTEXTS)
        self._exceptions |= name in _EXCEPTIONS
        if name in _VOID:
            return
        if name == "a":
            self._close_link()
        self._open.append((name, max(8, length) if name in _COPIED else 1))
        self._weight += self._open[-1][1]

    def _close_link(self) -> None:
        """Close the open link, as the parser does when the next link begins."""
        for at in range(len(self._open) - 1, -1, -1):
            name, weight = self._open[at]
            if name in ("td", "th", "caption", "object", "template", "marquee", "applet"):
                return
            if name == "a":
                del self._open[at]
                self._weight -= weight
                return

    def _end(self, name: str) -> None:
        at = len(self._open) - 1
        # The search checks only a few elements, so its cost is not counted.
        while name in _BLOCKS and at > len(self._open) - 8 and self._top_is_omittable(at, name):
            at -= 1
        if at >= 0 and self._open[at][0] == name:
            self._close_from(at)
        else:
            self._well_formed = False

    def _top_is_omittable(self, at: int, name: str) -> bool:
        return at > 0 and self._open[at][0] != name and self._open[at][0] in _END_TAG_OMITTABLE

    def _close_from(self, at: int) -> None:
        self._weight -= sum(weight for _, weight in self._open[at:])
        del self._open[at:]
