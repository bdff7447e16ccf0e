"""Finds the parts of a text that visitors of the blog did not see, by its blocks and its shortcodes.

A part that nobody saw is left out. A part that only some visitors saw is a reason for a draft.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from blogapi.importing.format_api.privacy_signs import (
    BUILDER_PREFIXES,
    BUILDER_SIGNS,
    HARMLESS_ATTRIBUTES,
    HARMLESS_SHORTCODES,
    HIDING_ATTRIBUTE_PARTS,
    HIDING_ATTRIBUTES,
    HIDING_BLOCKS,
    HIDING_SHORTCODE_ATTRIBUTES,
    HIDING_SHORTCODES,
    HIDING_STEMS,
    HIDING_WORDS,
    REVERSING_OPERATORS,
    Audience,
    ShortcodeSign,
    hides_by_its_name,
)
from blogapi.importing.formats.wordpress.blocks import Delimiter, list_delimiters, parse_json
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.shortcode_handlers import HANDLERS
from blogapi.importing.formats.wordpress.shortcode_names import (
    CODE_NAMES,
    LAYOUT_NAMES,
    PLUGIN_NAMES,
    parse_attributes,
)

_BLOCKS = {name: sign for sign in HIDING_BLOCKS for name in sign.names}
# `metadata.blockVisibility` by `metadata`
_ATTRIBUTES = {name.partition(".")[0]: (sign, name) for sign in HIDING_ATTRIBUTES for name in sign.names}
_HARMLESS_ATTRIBUTES = {name for sign in HARMLESS_ATTRIBUTES for name in sign.names}
_SHORTCODES = {name: sign for sign in HIDING_SHORTCODES for name in sign.names}
_HARMLESS = {name for sign in HARMLESS_SHORTCODES for name in sign.names}
_HARMLESS |= {f"su_{name}" for name in _HARMLESS} | {*HANDLERS, *LAYOUT_NAMES, *CODE_NAMES, *PLUGIN_NAMES}

# Shortcodes whose text is an example. Themes have some of these names for other texts.
_EXAMPLES = CODE_NAMES - {"text", "plain", "highlight"}

_LEFT_OUT = "The {} hid a part of its text from all visitors; this part was left out."
_DRAFT = "The {} hides a part of its text; the article became a draft."
_KEY = re.compile(r'"([\w-]{1,80}+)"\s*+:')
_TAG = re.compile(r"<!--|\[/(?P<end>\w[\w-]*+)[^\[\]]{0,100}\]|\[(?P<name>\w[\w-]*+)")
_TAG_MARKUP = re.compile(r"\[/?\w[^\[\]]*+\]")
_NUMBER = re.compile(r"(?:-bulk)?[_-]?\d{1,9}\Z")
_SEPARATOR = re.compile(r"[\W_\d]+")
# Longer attributes are not read; a shortcode that hides has then an unclear value.
_MAX_ATTRIBUTES = 4_000
_MAX_NAME = 80


def leave_out_hidden_blocks(text: str, conversion: Conversion) -> str:
    """Return a text without the blocks that nobody saw.

    Blocks that only some visitors saw become reasons for a draft.
    """
    out: list[str] = []
    position = depth = 0
    hidden: int | None = None  # the depth of the block that is left out
    delimiters = [*list_delimiters(text)]
    names = {found.name for found in delimiters}
    for found in delimiters:
        if found.is_end:
            # As in WordPress, an end closes the innermost block, whatever its name is.
            depth = max(depth - 1, 0)
            if depth == hidden:
                conversion.left_out.append(text[position : found.start])
                position, hidden = found.end, None
            continue
        if hidden is None and _note_block(found, names, conversion) is Audience.NOBODY:
            out += text[position : found.start], "\n\n"
            position = found.end
            hidden = None if found.is_void else depth
        depth += not found.is_void
    if hidden is not None:
        conversion.left_out.append(text[position:])
        position = len(text)
    return "".join(out) + text[position:]


def _note_block(block: Delimiter, names: set[str], conversion: Conversion) -> Audience:
    audience, sign = max(_list_audiences(block, names, conversion), default=(Audience.ALL, ""))
    if audience is Audience.NOBODY:
        conversion.add_note(_LEFT_OUT.format(sign))
    elif audience is Audience.SOME:
        conversion.hide(_DRAFT.format(sign))
    return audience


def _list_audiences(
    block: Delimiter, names: set[str], conversion: Conversion
) -> Iterator[tuple[Audience, str]]:
    attributes = parse_json(block.attributes)
    sign = _BLOCKS.get(block.name)
    if sign:
        field, shown = sign.unless_field
        is_public = bool(field) and conversion.context.fields.get(field) == shown
        if not is_public and sign.unless_block not in names:
            yield sign.audience(attributes or {}), f"block “{block.name}”"
    if attributes is None:
        # WordPress ignores attributes that are not JSON, and so may have shown the block.
        yield from (
            (Audience.SOME, f"attribute “{key}” of a block")
            for key in _KEY.findall(block.attributes)
            if key in _ATTRIBUTES or _has_hiding_part(key)
        )
        return
    for key, value in attributes.items():
        known, name = _ATTRIBUTES.get(key, (None, ""))
        if known and block.name.startswith(known.prefix):
            yield known.audience(attributes), f"attribute “{name}” of a block"
        elif not known and _has_hiding_part(key) and hides_by_its_name(key, value):
            yield Audience.SOME, f"attribute “{key[:60]}” of a block"


def _has_hiding_part(name: str) -> bool:
    name = name.casefold()
    return name not in _HARMLESS_ATTRIBUTES and any(part in name for part in HIDING_ATTRIBUTE_PARTS)


@dataclass(frozen=True, slots=True)
class _Shortcode:
    name: str  #: in lower case
    start: int
    stop: int  #: the index after its end tag, or after its only tag
    attributes: str | None  #: None = they are too long
    is_enclosing: bool


def leave_out_hidden_shortcodes(text: str, conversion: Conversion) -> str:
    """Return a text without the elements of page builders that nobody saw.

    Shortcodes that hide the text between their tags from some visitors become reasons for a draft.
    """
    out: list[str] = []
    position = 0
    for shortcode in _list_shortcodes(text) if "[" in text else ():
        if shortcode.start < position:
            continue
        audience, attribute = _decide_by_builder(shortcode)
        if audience is Audience.NOBODY:
            conversion.add_note(_LEFT_OUT.format(f"attribute “{attribute}” of a shortcode"))
            out += text[position : shortcode.start], "\n\n"
            position = shortcode.stop
            conversion.left_out.append(_TAG_MARKUP.sub("", text[shortcode.start : position]))
        elif audience is Audience.SOME or _hides(shortcode, conversion):
            conversion.hide(_DRAFT.format(f"shortcode “{shortcode.name[:40]}”"))
    return "".join(out) + text[position:]


def _list_shortcodes(text: str) -> Iterator[_Shortcode]:
    """Yield the shortcodes with an end tag, and those of page builders, as WordPress finds them.

    `[[name]…[/name]]` and the text in shortcodes for code are examples. Shortcodes in `pre` are none:
    WordPress replaces them there too.
    """
    ends: dict[str, list[tuple[int, int]]] = {}
    for tag in _list_tags(text):
        if tag["end"]:
            ends.setdefault(tag["end"].casefold(), []).append(tag.span())
    close = position = 0
    for tag, following in zip_longest(_list_tags(text), islice(_list_tags(text), 1, None)):
        if tag["end"] or tag.start() < position:
            continue
        close = close if close >= tag.end() else text.find("]", tag.end())
        if close < 0:
            return
        name = tag["name"].casefold()
        spans = ends.get(name, [])
        index = bisect_left(spans, (close,))
        is_enclosing = index < len(spans) and text[close - 1] != "/"
        stop = spans[index][1] if is_enclosing else close + 1
        is_escaped = text[tag.start() - 1 : tag.start()] == "[" and text[stop : stop + 1] == "]"
        if is_escaped or (is_enclosing and name in _EXAMPLES):
            position = stop
        elif is_enclosing or name.startswith(BUILDER_PREFIXES):
            # The attributes of several tags can end at the same bracket.
            is_alone = following is None or following.start() > close
            is_read = is_alone or close - tag.end() <= _MAX_ATTRIBUTES
            attributes = text[tag.end() : close] if is_read else None
            yield _Shortcode(name, tag.start(), stop, attributes, is_enclosing)


def _list_tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the beginnings of start tags, and the end tags, that are not in comments."""
    last, position = text.rfind("-->"), 0
    for tag in _TAG.finditer(text):
        if tag.start() < position:
            continue
        if tag[0] != "<!--":
            yield tag
        elif tag.end() <= last:
            position = text.find("-->", tag.end())


def _decide_by_builder(shortcode: _Shortcode) -> tuple[Audience, str]:
    """Return the audience of an element of a page builder, and the attribute that decides."""
    if shortcode.attributes and shortcode.name.startswith(BUILDER_PREFIXES):
        named, _ = parse_attributes(shortcode.attributes)
        for sign in BUILDER_SIGNS:
            (name,) = sign.names
            value = named.get(name, "").strip().casefold()
            if not shortcode.name.startswith(sign.prefix):
                continue
            if re.fullmatch(sign.nobody, value):
                return Audience.NOBODY, name
            if not re.fullmatch(sign.public, value):
                return Audience.SOME, name
    return Audience.ALL, ""


def _hides(shortcode: _Shortcode, conversion: Conversion) -> bool:
    """Return whether a shortcode hides its text; an unknown one is noted as such."""
    name = shortcode.name.lstrip("_")[:_MAX_NAME]
    names = (name, _NUMBER.sub("", name))
    if not shortcode.is_enclosing or name.startswith(BUILDER_PREFIXES) or not _HARMLESS.isdisjoint(names):
        return False
    named, positional = parse_attributes(shortcode.attributes or "")
    sign = next((_SHORTCODES[one] for one in names if one in _SHORTCODES), None)
    if sign:
        whole = "".join((shortcode.attributes or "").split())
        return not _is_shown(sign, {**dict.fromkeys(positional, ""), **named, "": whole})
    conversion.unknown_shortcodes.add(name[:40])
    parts = {*_SEPARATOR.split(name)}
    return (
        not parts.isdisjoint(HIDING_WORDS)
        or any(stem in name for stem in HIDING_STEMS)
        or any(
            named.get(attribute) and parts.isdisjoint(others)
            for attribute, others in HIDING_SHORTCODE_ATTRIBUTES.items()
        )
    )


def _is_shown(sign: ShortcodeSign, values: dict[str, str]) -> bool:
    """Return whether visitors saw the text of a shortcode that hides, by the values of its attributes."""
    if values.get("operator", "").casefold() in REVERSING_OPERATORS:
        return False
    return any(
        re.fullmatch(pattern, value.strip(), re.IGNORECASE)
        for attribute, pattern in sign.shown.items()
        if attribute in values
        for value in values[attribute].split(",")
    )
