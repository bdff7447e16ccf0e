"""Replaces the shortcodes of WordPress and of widespread plugins (`[caption id="a"]…[/caption]`) with HTML.

Unknown shortcodes stay in the text and are counted. The time is proportional to the length of the text: a
shortcode contains no start tag of its own name, so the number of names limits the depth of the nesting.
"""

from __future__ import annotations

import re

from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.shortcode_handlers import (
    HANDLERS,
    NAMES_WITHOUT_CONTENT,
    Shortcode,
    convert_box_attributes,
)
from blogapi.importing.formats.wordpress.shortcode_names import (
    CODE_NAMES,
    LAYOUT_NAMES,
    PLUGIN_NAMES,
    TITLED_NAMES,
    parse_attributes,
)

# HTML tags are matched too, so that shortcodes in their attributes are not replaced.
_TOKEN = re.compile(
    r"</?[a-zA-Z][^<>]*+>"
    r"|(?P<open>\[\[?)(?P<end>/?)(?P<name>[a-zA-Z][\w-]*+)(?P<attributes>(?:[^\w\[\]-][^\[\]]*+)?)\](?P<close>\]?)"
)
_NAMED_ATTRIBUTE = re.compile(r"\s++[\w-]++\s*+=\s*+[\"'“”&\w]")
_Token = re.Match[str]


def replace_shortcodes(text: str, conversion: Conversion) -> str:
    """Return the text with placeholders for shortcodes."""
    if "[" not in text:
        return text
    tokens = [found for found in _TOKEN.finditer(text) if found["name"]]
    ends = _find_ends(tokens)
    out: list[str] = []
    position = index = 0
    while index < len(tokens):
        token = tokens[index]
        end = ends.get(index)
        last = tokens[end] if end else None
        html, uses_end = _convert_shortcode(token, last, text, conversion)
        index = end + 1 if uses_end and end else index + 1
        if html is not None:
            out += text[position : token.start()], html
            position = last.end() if uses_end and last else token.end()
    return "".join(out) + text[position:]


def _find_ends(tokens: list[_Token]) -> dict[int, int]:
    """Return the index of each end tag by the index of its start tag, the nearest one before it."""
    ends: dict[int, int] = {}
    starts: dict[str, int] = {}
    for index, token in enumerate(tokens):
        if not token["end"]:
            starts[token["name"]] = index
        elif token["name"] in starts:
            ends[starts.pop(token["name"])] = index
    return ends


def _convert_shortcode(
    token: _Token, end: _Token | None, text: str, conversion: Conversion
) -> tuple[str | None, bool]:
    """Return the replacement (None = the shortcode stays), and whether it includes the end tag."""
    if token["name"] in LAYOUT_NAMES:
        return _remove_layout(token, end, conversion), False
    if token["name"] not in HANDLERS and token["name"] not in CODE_NAMES:
        if not token["end"] and _is_plugin_shortcode(token, end):
            conversion.unconverted[token["name"]] += 1
        return None, False
    if token["open"] == "[[" and token["close"]:
        return text[token.start() + 1 : token.end() - 1], False
    if token["open"] == "[[" and end and end["close"]:
        return text[token.start() + 1 : end.end() - 1], True
    if token["end"] or token["name"] in CODE_NAMES:
        return None, False
    return _convert(token, end, text, conversion)


def _convert(token: _Token, end: _Token | None, text: str, conversion: Conversion) -> tuple[str | None, bool]:
    named, positional = parse_attributes(token["attributes"])
    inner = text[token.end() - len(token["close"]) : end.start()] if end else ""
    encloses = end is not None and not (token["name"] in NAMES_WITHOUT_CONTENT and inner.strip())
    inner = inner if encloses else ""
    html = HANDLERS[token["name"]](Shortcode(named, positional, inner, replace_shortcodes), conversion)
    if html is None:
        conversion.unconverted[token["name"]] += 1
        return None, False
    before = token["open"][1:]
    last = end if end and encloses else token
    return before + html + last["close"], encloses


def _remove_layout(token: _Token, end: _Token | None, conversion: Conversion) -> str | None:
    if "_" not in token["name"] and not token["end"] and not end:
        return None  # `[row]` in a sentence
    conversion.add_note("The columns and sections of a page builder are not imported; their content is.")
    if token["end"] or token["name"] not in TITLED_NAMES:
        return "\n\n"
    return f"\n\n{convert_box_attributes(parse_attributes(token['attributes'])[0], conversion)}\n\n"


def _is_plugin_shortcode(token: _Token, end: _Token | None) -> bool:
    """Return whether a text in brackets is an unknown shortcode, and not a remark such as `[sic]`."""
    return (
        end is not None
        or token["name"] in PLUGIN_NAMES
        or token["attributes"].endswith("/")
        or _NAMED_ATTRIBUTE.match(token["attributes"]) is not None
    )
