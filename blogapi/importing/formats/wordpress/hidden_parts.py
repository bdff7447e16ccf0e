"""Finds the parts of a text that visitors of the blog did not see, by its blocks and its shortcodes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from blogapi.importing.format_api import privacy_signs
from blogapi.importing.format_api.privacy import make_guess
from blogapi.importing.formats.wordpress.blocks import list_delimiters, parse_json
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.shortcode_handlers import HANDLERS
from blogapi.importing.formats.wordpress.shortcodes import CODE_NAMES, NAMES, parse_attributes
from blogapi.importing.texts.lines import to_mapping

_HARMLESS = {*privacy_signs.HARMLESS_SHORTCODES, *HANDLERS, *NAMES}
# Shortcodes that contain sample code, which hides nothing. Themes use the excepted names for other texts.
_EXAMPLES = CODE_NAMES - {"text", "plain", "highlight"}
_HidingSigns = Mapping[str, privacy_signs.HidingSign | None]
_KEY = re.compile(r'"([\w-]{1,80}+)"\s*+:')
_TAG = re.compile(
    r"\[/(?P<end>\w[\w-]*+)[^\[\]]{0,100}\]|\[(?P<name>\w[\w-]*+)(?P<attributes>[^\[\]]*+)(?P<close>\]?)"
)
_NUMBER = re.compile(r"(?:-bulk)?[_-]?\d{1,9}\Z")


def leave_out_hidden_parts(text: str, conversion: Conversion) -> str:
    """Return a text without the blocks and elements of page builders that were hidden from everyone.

    Parts that only some visitors saw, and other shortcodes that hide text, are reasons for a draft.
    """
    for find in (_find_hidden_blocks, _find_hidden_shortcodes):
        out: list[str] = []
        position = 0
        for start, end in find(text, conversion):
            out += text[position:start], "\n\n"
            conversion.left_out.append(_TAG.sub("", text[start:end]))
            position = end
        text = "".join(out) + text[position:]
    return text


def _find_hidden_blocks(text: str, conversion: Conversion) -> Iterator[tuple[int, int]]:
    depth = start = 0
    hidden: int | None = None  # the depth of the block that is left out
    for block in list_delimiters(text):
        if block["end"]:
            # As in WordPress, an end closes the innermost block, whatever its name is.
            depth = max(depth - 1, 0)
        elif hidden is None and _is_block_left_out(block, conversion):
            start, hidden = block.start(), depth
        depth += not (block["end"] or block["void"])
        if depth == hidden:
            yield start, block.end()
            hidden = None
    if hidden is not None:
        yield start, len(text)


def _is_block_left_out(block: re.Match[str], conversion: Conversion) -> bool:
    attributes = parse_json(block["attributes"])
    if attributes is None:
        # WordPress ignores attributes that are not JSON, and so may have shown the block.
        attributes = dict.fromkeys(_KEY.findall(block["attributes"]), "?")
    lines = [*_list_lines(_drop_shown_sets(attributes))]
    unknown: dict[str, privacy_signs.HidingSign | None] = {}
    for line in lines:
        name, sign = privacy_signs.get_name(line), privacy_signs.guess_attribute(line)
        # A new word in any value of an attribute is enough.
        unknown[name] = sign if sign.is_new else unknown.get(name, sign)
    if block["name"].startswith("kadence/"):
        unknown.pop("loggedIn", None)  # hides the block from members
    unknown[block["name"]] = privacy_signs.guess_block_sign(block["name"], is_enclosing=not block["void"])
    return _is_left_out("block", block["name"], lines, unknown | privacy_signs.BLOCKS, conversion)


def _drop_shown_sets(attributes: dict[str, object]) -> dict[str, object]:
    """Return the attributes without Block Visibility's control sets if none is enabled, or one shows it."""
    visibility = to_mapping(attributes.get("blockVisibility"))
    if not isinstance(sets := visibility.get("controlSets"), list):
        return attributes
    enabled = [controls for controls in sets if to_mapping(controls).get("enable") is not False]
    lines = ([*_list_lines({"blockVisibility": controls})] for controls in enabled)
    is_shown = not enabled or any(
        not any(privacy_signs.find_signs(controls, privacy_signs.BLOCKS)) for controls in lines
    )
    return {**attributes, "blockVisibility": {**visibility, "controlSets": [] if is_shown else sets}}


def _is_left_out(
    kind: str, name: str, lines: Iterable[str], known: _HidingSigns, conversion: Conversion
) -> bool:
    """Return whether a block or shortcode was hidden from everyone; add a note, or the reason for a draft."""
    found = sorted(
        privacy_signs.find_signs([f"{name}=wp:{kind}", *lines], known), key=lambda it: it[:2], reverse=True
    )
    for is_left_out, sign, rule in found:
        part = f"The {kind} “{name[:40]}”" + ("" if sign == name else f" with the attribute “{sign[:40]}”")
        if is_left_out:
            conversion.add_note(f"{part} was hidden from all visitors; this part was left out.")
            return True
        if rule.is_guess:
            carrier = kind if sign == name else "attribute"
            conversion.add_guess(make_guess(carrier, sign, part), is_new=rule.is_new)
        elif not conversion.hidden:
            conversion.hidden = f"{part} hides a part of its text; the article became a draft."
    return False


def _list_lines(attributes: Mapping[str, object]) -> Iterator[str]:
    waiting = [*attributes.items()]
    while waiting:
        path, value = waiting.pop()
        if value and isinstance(value, dict):
            waiting += ((f"{path}.{key}", item) for key, item in value.items())
        elif value and isinstance(value, list):
            # Conditions in a list are often switched off one by one.
            waiting += ((path, it) for it in value if to_mapping(it).get("enabled") is not False)
        else:
            yield f"{path}={value.strip() if isinstance(value, str) else json.dumps(value)}"


def _find_hidden_shortcodes(text: str, conversion: Conversion) -> Iterator[tuple[int, int]]:
    ends: dict[str, int] = {}
    tags: list[tuple[re.Match[str], int]] = []  # start tags, with the index after the end tag or 0
    for tag in reversed([*_TAG.finditer(text)]):
        if tag["end"]:
            ends[tag["end"].lower()] = tag.end()
        else:
            is_void = tag["close"] and tag["attributes"].endswith("/")
            tags.append((tag, 0 if is_void else ends.get(tag["name"].lower(), 0)))
    position = 0
    for tag, end in reversed(tags):
        stop = end or tag.end()
        if tag.start() < position or not (end or tag["name"].startswith(privacy_signs.BUILDER_PREFIXES)):
            continue
        is_escaped = text[tag.start() - 1 : tag.start()] == "[" and text[stop : stop + 1] == "]"
        if is_escaped or tag["name"] in _EXAMPLES:
            position = stop
        elif _is_shortcode_left_out(tag, conversion):
            yield tag.start(), stop
            position = stop


def _is_shortcode_left_out(tag: re.Match[str], conversion: Conversion) -> bool:
    name = tag["name"].lower()
    named, positional = parse_attributes(tag["attributes"])
    attributes = {**named, "": "".join(positional), **({} if tag["close"] else {"?": "["})}
    if _is_left_out("shortcode", name, _list_lines(named), privacy_signs.HIDDEN_SHORTCODE, conversion):
        return True
    if name.startswith(privacy_signs.BUILDER_PREFIXES):
        return _is_left_out("shortcode", name, _list_lines(attributes), privacy_signs.BUILDERS, conversion)
    plain = _NUMBER.sub("", name.lstrip("_"))
    if not _HARMLESS.isdisjoint((name, plain, plain.removeprefix("su_"))):
        return False
    sign = privacy_signs.SHORTCODES.get(plain)
    if sign is None:
        sign = privacy_signs.guess_shortcode_sign(tag["name"], attributes)
    elif "?" in attributes or named.get("operator", "allow").lower() != "allow":
        attributes = {}  # the condition is unclear, or reversed
    return _is_left_out("shortcode", name, _list_lines(attributes), {name: sign}, conversion)
