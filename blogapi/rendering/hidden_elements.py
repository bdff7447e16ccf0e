"""Finds the elements that browsers do not show, and removes them with their content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import unescape

# A value in braces is JavaScript (MDX).
_VALUE = r""""[^"]*+"|'[^']*+'|\{(?:[^{}<>]|\{[^{}<>]*+\})*+\}|[^\s>"'][^\s>]*+"""
_NAME = r"[^\s/>][^\s/>=]*+"
_ATTRIBUTE = re.compile(rf"({_NAME})(?:\s*+=\s*+({_VALUE}))?+")
# If a tag or a comment has no end, browsers ignore the rest of the text.
_TAG = re.compile(
    r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))|<(?:[!?]|/[^a-z>])[^>]*+"
    r"|<(?P<is_end>/)?(?P<name>[a-z][\w.-]*+(?::[\w.-]++)?+)(?=[\s/>])"
    rf"(?P<attributes>(?:[\s/]*+{_NAME}(?:\s*+=\s*+(?:{_VALUE}))?+)*+)[\s/]*+(?:>|\Z)",
    re.IGNORECASE,
)
_VOID_TAG = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_RAW_TEXT_ELEMENT = re.compile("script|style|textarea|title|xmp|iframe|noembed|noframes")
# An end tag in one of these elements does not close an element of another kind around it, such as <span>.
_BLOCK_ELEMENT = re.compile(
    "address|applet|article|aside|blockquote|button|caption|center|details|dialog|dir|div|dl|fieldset|figcaption|"
    "figure|footer|form|h[1-6]|header|hgroup|listing|main|marquee|math|menu|nav|object|ol|pre|search|section|"
    "select|summary|svg|table|template|ul"
)
# Maps each block whose end tag can be omitted to the start tags that then end the block.
_ENDED_BY = {
    "p": re.compile(
        "p|li|d[td]|t[rdh]|tbody|tfoot|thead|hr|plaintext|xmp"
        f"|(?!applet|button|marquee|math|object|select|svg|template)(?:{_BLOCK_ELEMENT.pattern})"
    ),
    "li": re.compile("li"),
    **dict.fromkeys(("dt", "dd"), re.compile("d[td]")),
    **dict.fromkeys(("td", "th"), re.compile("t[dhr]|tbody|tfoot|thead")),
    "tr": re.compile("tr|tbody|tfoot|thead"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), re.compile("tbody|tfoot|thead")),
}
#: The values of `hidden` that hide an element. Browsers show an element with `until-found` if a search in the
#: page finds it.
HIDDEN_VALUES = re.compile(r"\A(?!\s*(?:until-found|\{false\})\s*\Z)", re.IGNORECASE)


def remove_hidden_elements(html: str) -> str:
    """Return the HTML without the elements with the attribute `hidden`."""
    if "hidden" not in html.lower():
        return html
    return remove_spans(html, find_hidden_spans(html, {"hidden": HIDDEN_VALUES}))


def remove_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text without these spans, which are in order and do not overlap."""
    parts, position = [], 0
    for start, end in spans:
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]])


def find_hidden_spans(html: str, hiding: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each outermost element that `hiding` (patterns by attribute name) hides.

    An element is hidden if an attribute matches the pattern of its name, or if the start tag matches the
    pattern of the empty name. So that no hidden text is shown, an element without an end tag, or with wrongly
    nested blocks, extends to the end of the text, unless HTML allows its end tag to be omitted.
    """
    # The start of the hidden element, and the names of the open blocks in it.
    start, names = 0, list[str]()
    # The number of open tables, and the open elements by the number of tables around them and by name.
    tables, opened = 0, Counter[tuple[int, str]]()
    for tag in _find_tags(html):
        name, is_end = tag["name"].lower(), bool(tag["is_end"])
        if is_end and names and names[-1] == name:
            names.pop()
            if not names:
                yield start, tag.end()
            continue
        ending = _ENDED_BY.get(names[0]) if len(names) == 1 and (opened[tables, name] or not is_end) else None
        if ending and (ending.fullmatch(name) or (is_end and _BLOCK_ELEMENT.fullmatch(name))):
            yield start, tag.start()
            names.pop()
        if is_end:
            if not names and opened[tables, name]:
                opened[tables, name] -= 1
                tables -= name == "table"
            continue
        # Only components of MDX, whose names begin with a capital letter, can end with `/>`.
        is_empty = bool(_VOID_TAG.fullmatch(name)) or (tag[0].endswith("/>") and tag["name"][0].isupper())
        is_hidden = _is_hidden(tag, hiding)
        if is_empty and is_hidden and not names:
            yield tag.span()
        elif not is_empty and (is_hidden or (names and _must_close_first(name, names[0]))):
            start = start if names else tag.start()
            names.append(name)
        elif not is_empty and not names:
            tables += name == "table"
            opened[tables, name] += 1
    if names:
        yield start, len(html)


def _find_tags(html: str) -> Iterator[re.Match[str]]:
    position = 0
    while tag := _TAG.search(html, position):
        position, name = tag.end(), (tag["name"] or "").lower()
        if name:
            yield tag
        if _RAW_TEXT_ELEMENT.fullmatch(name) and not tag["is_end"] and not tag[0].endswith("/>"):
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, position)
            position = end.start() if end else len(html)


def _is_hidden(tag: re.Match[str], hiding: Mapping[str, re.Pattern[str]]) -> bool:
    # If a tag has the same attribute several times, browsers use the first value.
    values = {name.lower(): value for name, value in reversed(_ATTRIBUTE.findall(tag["attributes"]))}
    if "" in hiding and hiding[""].match(tag[0]):
        return True
    return any(
        name in values and pattern.search(unescape(values[name].strip("\"'")))
        for name, pattern in hiding.items()
    )


def _must_close_first(name: str, hidden: str) -> bool:
    """Return whether the element must be closed before the hidden element around it can end."""
    is_block = hidden in _ENDED_BY or _BLOCK_ELEMENT.fullmatch(hidden)
    return bool(_BLOCK_ELEMENT.fullmatch(name)) or (not is_block if name in _ENDED_BY else name == hidden)
