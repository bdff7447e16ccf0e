"""Finds the elements that browsers do not show, and removes them with their content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

# A value in braces is JavaScript (MDX).
_VALUE = r""""[^"]*+"|'[^']*+'|\{(?:[^{}<>]|\{[^{}<>]*+\})*+\}|[^\s>"'][^\s>]*+"""
_NAME = r"[^\s/>][^\s/>=]*+"
_ATTRIBUTE = re.compile(rf"({_NAME})(?:\s*+=\s*+({_VALUE}))?+")
# Browsers ignore the rest of a text with a tag or a comment that has no end.
_TAG = re.compile(
    r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
    r"|<(?P<is_end>/)?(?P<name>[a-z][\w.-]*+(?::[\w.-]++)?+)(?=[\s/>])"
    rf"(?P<attributes>(?:[\s/]*+{_NAME}(?:\s*+=\s*+(?:{_VALUE}))?+)*+)[\s/]*+(?:>|\Z)",
    re.IGNORECASE,
)
_VOID = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"),
    "wbr",
}
_RAW_TEXT = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
# Such an element goes on behind the end of its parent, up to its own end tag.
_FORMATTING = {
    *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"),
}
_TABLE = {"table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"}
# The start tags of these elements end a paragraph that is open.
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "dt"),
    *(
        "dd",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
    ),
    *(
        "hgroup",
        "hr",
        "li",
        "listing",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
    ),
    *("table", "ul", "xmp"),
}
_SPECIAL = _BLOCKS | _TABLE | {"button", "iframe", "marquee", "object", "select", "template", "textarea"}
# The open elements that a start tag ends.
_CLOSED_BY = {name: {"p"} for name in _BLOCKS} | {
    "li": {"li", "p"},
    "dt": {"dt", "dd", "p"},
    "dd": {"dt", "dd", "p"},
    "td": {"td", "th", "p"},
    "th": {"td", "th", "p"},
    "tr": {"td", "th", "tr", "p", "caption", "colgroup"},
    "thead": _TABLE - {"table"} | {"p"},
    "tbody": _TABLE - {"table"} | {"p"},
    "tfoot": _TABLE - {"table"} | {"p"},
}
# The number of open elements among which the one of an end tag is looked for.
_MAX_DEPTH = 200


def is_hidden_attribute(name: str, value: str) -> bool:
    """Return whether an attribute (with its name in lower case) is `hidden`.

    Browsers show elements with `until-found` in searches; `{false}` is JavaScript (MDX).
    """
    return name == "hidden" and value.strip().lower() not in ("until-found", "{false}")


def remove_hidden(html: str) -> str:
    """Return the HTML without the elements with the attribute `hidden`."""
    if "hidden" not in html.lower():
        return html
    return remove_spans(html, list(find_hidden(html, is_hidden_attribute)))


def remove_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text without these spans, which are in their order and do not overlap."""
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def find_hidden(html: str, hides: Callable[[str, str], bool]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each element with an attribute that hides it; not of those in such an element.

    An element ends where browsers end it: at its end tag, at a start tag that closes it, or with its parent.
    """
    names: list[str] = []  # of the open elements, outermost first
    hidden: tuple[int, int, str] | None = None  # its place among them, its start and its name
    for tag in _find_tags(html):
        name, is_end = tag["name"].lower(), bool(tag["is_end"])
        depth = _find_end(names, name) if is_end else _find_closed(names, name)
        if hidden:
            place, start, hidden_name = hidden
            goes_on = hidden_name in _FORMATTING
            is_own_end = is_end and name == hidden_name and depth in (place, len(names))
            if is_own_end and (goes_on or depth == place):
                yield start, tag.end()
                hidden = None
            elif place >= depth and goes_on:
                hidden = -1, start, hidden_name
            elif place >= depth:
                yield start, tag.start()
                hidden = None
        del names[depth:]
        if is_end:
            continue
        is_hidden = not hidden and _is_hidden(tag, hides)
        if not _is_empty(tag):
            hidden = (len(names), tag.start(), name) if is_hidden else hidden
            names.append(name)
        elif is_hidden:
            yield tag.span()
    if hidden:
        yield hidden[1], len(html)


def _find_tags(html: str) -> Iterator[re.Match[str]]:
    position = 0
    while tag := _TAG.search(html, position):
        position, name = tag.end(), (tag["name"] or "").lower()
        if name:
            yield tag
        if name in _RAW_TEXT and not tag["is_end"] and not tag[0].endswith("/>"):
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, position)
            position = end.start() if end else len(html)


def _is_hidden(tag: re.Match[str], hides: Callable[[str, str], bool]) -> bool:
    # The first of several equal attributes counts.
    pairs = reversed(_ATTRIBUTE.findall(tag["attributes"]))
    values = {name.lower(): unescape(value.strip("\"'")) for name, value in pairs}
    return any(hides(name, value) for name, value in values.items())


def _is_empty(tag: re.Match[str]) -> bool:
    """Return whether an element has no end tag; the name of a component of MDX begins with a capital."""
    return tag["name"].lower() in _VOID or (tag[0].endswith("/>") and tag["name"][0].isupper())


def _find_closed(names: list[str], name: str) -> int:
    """Return the place of the first open element that a start tag closes; their number = none."""
    depth, closed = len(names), _CLOSED_BY.get(name, set())
    for place in range(depth - 1, max(-1, depth - _MAX_DEPTH), -1) if closed else ():
        if names[place] in closed:
            depth = place
        elif names[place] in _SPECIAL:
            break
    return depth


def _find_end(names: list[str], name: str) -> int:
    """Return the place of the open element that an end tag closes; the number of elements = none."""
    inner = names[: -_MAX_DEPTH - 1 : -1]
    number = inner.index(name) if name in inner else -1
    # Such an element is not closed by an end tag for an element around it.
    walls = _TABLE if name in _SPECIAL else _SPECIAL
    walls = _TABLE | {"ul", "ol"} if name == "li" else set() if name in _TABLE else walls
    is_found = number >= 0 and walls.isdisjoint(inner[:number])
    return len(names) - 1 - number if is_found else len(names)
