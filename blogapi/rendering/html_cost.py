"""Finds HTML that would take too long to parse, or need too much memory after parsing.

Parsing can be slow because, at each tag, the parser searches the open elements, and because it repeats
unclosed formatting elements in each following block. In 2,001 real texts, the cost was below a
tenth of each limit, and at most 10 elements were open at once.
"""

from __future__ import annotations

import re
from collections import Counter

_MAX_TAGS = 100_000
# The same limit as MAX_QUOTE_DEPTH of `markdown`.
MAX_OPEN_ELEMENTS = 1_000
# The limit for the product of the number of tags, the number of unclosed copied elements, and their length.
_MAX_COPYING_COST = 20_000_000
# A tag of this length can have so many attributes that the parser needs a second to compare them.
_MAX_MALFORMED_LENGTH = 200_000
_CLOSED_ELEMENT_PASSES = 6

_VALUE = r"""(?:"[^"<>\0]*+"|'[^'<>\0]*+'|[^\s"'<>=`\0]++)"""
_ATTRIBUTES = rf"(?:\s++[\w:.@-]++(?:={_VALUE})?+){{0,50}}+\s*+"
# Matches a `<` that does not begin a tag.
_LESS_THAN_SIGN = re.compile(r"<(?![a-z/!?])", re.IGNORECASE)
_ORDINARY_TAG = re.compile(rf"<(?:/?[a-z][\w:-]*+{_ATTRIBUTES}/?|!--[^<>]*+)>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][\w:-]*+)")
# Elements without end tags, also of SVG and MathML, and elements that the parser closes before the next
# element of their kind. `dd` is missing from this pattern, because `<li><dd>` can be nested.
_UNNESTED_ELEMENT = re.compile(
    "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
    "|animate\\w*|circle|ellipse|fe\\w+|image|line|mprescripts|mspace|path|poly\\w+|rect|set|stop|use"
    "|a|colgroup|li|option|p|t[dhr]|tbody|tfoot|thead"
)
_VOID_ELEMENT = re.compile(rf"<(?:br|img|wbr|hr|input|source){_ATTRIBUTES}/?>", re.IGNORECASE)
_CLOSED_ELEMENT = re.compile(rf"<(?!html|body)([a-z][a-z0-9]*+){_ATTRIBUTES}>[^<]*+</\1\s*+>", re.IGNORECASE)
# The parser also copies the attributes of each further <html> and <body> to the first.
_COPIED_ELEMENT = re.compile(
    r"<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u|html|body)(?=[\s/>])", re.IGNORECASE
)


def is_too_expensive_to_parse(html: str) -> bool:
    """Return whether parsing the HTML could take more than about a second."""
    html = _LESS_THAN_SIGN.sub("", html)
    tags = html.count("<")
    if tags > _MAX_TAGS:
        return True
    if len(html) > _MAX_MALFORMED_LENGTH and len(_ORDINARY_TAG.findall(html)) < tags:
        return True
    if _is_deeply_nested(html):
        return True
    # After the removal of closed elements, the remaining tags are not closed, or are nested deeply.
    rest = _VOID_ELEMENT.sub("\0", html)
    for _ in range(_CLOSED_ELEMENT_PASSES):
        rest, removed = _CLOSED_ELEMENT.subn("\0", rest)
        if not removed:
            break
    longest = max(map(len, rest.split("<")))
    return tags * len(_COPIED_ELEMENT.findall(rest)) * (longest + 50) > _MAX_COPYING_COST


def _is_deeply_nested(html: str) -> bool:
    """Return whether more than MAX_OPEN_ELEMENTS elements are open at once."""
    open_elements, depth = Counter[str](), 0
    for end, name in _TAG.findall(html.lower()):
        if end:
            is_open = open_elements[name] > 0
            open_elements[name] -= is_open
            depth -= is_open
        elif not _UNNESTED_ELEMENT.fullmatch(name):
            open_elements[name] += 1
            depth += 1
            if depth > MAX_OPEN_ELEMENTS:
                return True
    return False
