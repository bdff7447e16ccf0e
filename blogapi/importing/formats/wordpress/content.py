"""Converts the text of a WordPress post to HTML: blocks, code, shortcodes, embeds, paragraphs, alignment."""

from __future__ import annotations

import re
from html import unescape

from blogapi.importing.format_api.hidden_parts import leave_out_hidden
from blogapi.importing.formats.wordpress.blocks import convert_blocks, has_blocks
from blogapi.importing.formats.wordpress.code import protect_code
from blogapi.importing.formats.wordpress.conversion import (
    BLOCK_PLACEHOLDER,
    ContentContext,
    Conversion,
    clean,
)
from blogapi.importing.formats.wordpress.embeds import embed_lines
from blogapi.importing.formats.wordpress.hidden_parts import leave_out_hidden_parts
from blogapi.importing.formats.wordpress.shortcodes import replace_shortcodes
from blogapi.importing.formats.wordpress.wpautop import add_paragraphs
from blogapi.rendering import plain_text

_PATTERN = re.compile(r"<!--\s*+wp:(?:core/)?block\s++\{\"ref\":(\d{1,18})\b[^<>]*+>")
_MAX_PATTERNS = 1_000_000  # characters in one text
_IMAGE = re.compile(r"<img\b[^<>]*+>", re.IGNORECASE)
_SRC = re.compile(r"""\ssrc\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE)
_LAZY_SRC = re.compile(r"""\sdata-(?:lazy-)?src(\s*+=)""", re.IGNORECASE)
_LAZY_SRC_VALUE = re.compile(
    r"""\sdata-(?:lazy-)?src\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE
)
_ALT = re.compile(r"""\salt\s*+=\s*+(?:"[^"]+"|'[^']+')""", re.IGNORECASE)
_MORE = re.compile(r"<!--more\b")
# A figure cannot be in the paragraph that an editor has made around its shortcode.
_LONE_BLOCKS = re.compile(rf"<p(?:\s[^<>]*+)?>\s*+((?:{BLOCK_PLACEHOLDER}\s*+)++)</p>")
# A longer text before the "more" tag is not used as the excerpt; then the excerpt is generated.
_MAX_EXCERPT = 500
_ALIGNED = re.compile(
    r"<(?P<name>p|div|h[1-6]|img)(?=\s)(?>[^<>]*?"
    r"(?<![\w-])(?:align=[\"']?|style=[\"'](?:[^\"'<>]*?[;\s])?text-align:\s*+)"
    r"(?P<side>left|right|center|justify)(?![\w-]))[^<>]*+>",
    re.IGNORECASE,
)
_CLASS = re.compile(r"(?<![\w-])(class=[\"'])", re.IGNORECASE)


def to_html(content: str, context: ContentContext, excerpt: str = "") -> Conversion:
    """Return the text of a post or page as HTML; `content` is its text in the database of WordPress.

    A text in several languages must be reduced to one of them before (see `languages`).
    """
    conversion = Conversion(context)
    # Called only for the reason for a draft: a hiding shortcode in the excerpt can hide the text.
    leave_out_hidden_parts(excerpt, conversion)
    text = leave_out_hidden_parts(clean(content), conversion)
    text = _show_lazy_images(leave_out_hidden_parts(clean(_insert_patterns(text, context)), conversion))
    if has_blocks(text):
        blocks = convert_blocks(
            text, conversion, lambda part: conversion.store(_convert_classic(part, conversion))
        )
        html = _convert_inline(blocks, conversion)
    else:
        html = _convert_classic(text, conversion)
    html = conversion.restore(add_alignment_classes(html)).strip()
    conversion.html, notes, left_out, _ = leave_out_hidden(html, "html", keeps_unclear=True)
    conversion.left_out += left_out
    conversion.excerpt = _find_excerpt(conversion.html)
    for note in notes:
        conversion.add_note(note)
    return conversion


def _insert_patterns(text: str, context: ContentContext) -> str:
    size = 0

    def insert(block: re.Match[str]) -> str:
        nonlocal size
        pattern = context.patterns(int(block[1]))
        size += len(pattern)
        return pattern if pattern and size <= _MAX_PATTERNS else block[0]

    return _PATTERN.sub(insert, text)


def _show_lazy_images(text: str) -> str:
    """Return the text with pictures that a script loads replaced by pictures that need no script.

    If `noscript` contains a copy of a picture, the copy is kept instead. It gets the alternative text of the
    picture, because Squarespace omits this text in copies.
    """
    copies = {_read_path(_SRC, image[0]) for image in _IMAGE.finditer(text)} if "<noscript" in text else set()
    alts: dict[str, str] = {}

    def show(image: re.Match[str]) -> str:
        found = _SRC.search(image[0])
        src = found[found.lastindex or 0] if found else ""
        if src[:5] not in ("", "data:") or not _LAZY_SRC.search(image[0]):
            return image[0]
        address, alt = _read_path(_LAZY_SRC_VALUE, image[0]), _ALT.search(image[0])
        if address not in copies:
            return _LAZY_SRC.sub(r" src\1", _SRC.sub("", image[0]), count=1)
        if alt:
            alts.setdefault(address, alt[0])
        return ""

    def add_alt(image: re.Match[str]) -> str:
        alt = None if _ALT.search(image[0]) else alts.get(_read_path(_SRC, image[0]))
        return f"<img{alt}{image[0][4:]}" if alt else image[0]

    shown = _IMAGE.sub(show, text) if "data-" in text else text
    return _IMAGE.sub(add_alt, shown) if alts else shown


def _read_path(attribute: re.Pattern[str], image: str) -> str:
    """Return the address in an attribute without its query, which differs between the copies; "" if none."""
    found = attribute.search(image)
    return unescape(found[found.lastindex or 0]).partition("?")[0] if found else ""


def _convert_classic(text: str, conversion: Conversion) -> str:
    return add_paragraphs(_convert_inline(text, conversion))


def _convert_inline(text: str, conversion: Conversion) -> str:
    text = replace_shortcodes(protect_code(text, conversion), conversion)
    return _LONE_BLOCKS.sub(r"\1", embed_lines(text, conversion))


def _find_excerpt(html: str) -> str:
    more = _MORE.search(html)
    if not more or more.start() > 20 * _MAX_EXCERPT:
        return ""
    text = unescape(plain_text.to_plain_text(html[: more.start()]))
    return text if len(text) <= _MAX_EXCERPT else ""


def add_alignment_classes(html: str) -> str:
    """Return the HTML with a class for each `align` and `text-align` of paragraphs, headings and pictures."""
    return _ALIGNED.sub(_add_alignment_class, html)


def _add_alignment_class(tag: re.Match[str]) -> str:
    name, side = tag["name"], tag["side"].lower()
    added = f"align{side}" if name.lower() == "img" else f"has-text-align-{side}"
    if added in tag[0]:
        return tag[0]
    if _CLASS.search(tag[0]):
        return _CLASS.sub(rf"\g<1>{added} ", tag[0], count=1)
    return f'<{name} class="{added}"{tag[0][len(name) + 1 :]}'
