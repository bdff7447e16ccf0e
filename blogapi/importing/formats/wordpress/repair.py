"""Corrects the usual errors of WXR files, in a stream, so that an XML parser can read them."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

# The start of a CDATA mark or of a reference at the end of a chunk, which the next chunk can continue.
_UNFINISHED_MARKUP = re.compile(r"(?:\]{1,2}|<[^<>]{0,12}|&[^&;<]{0,33})\Z")
_MAX_START = 10
_START = re.compile(r"<(?:\?xml|rss|channel|item)\b")
_BOUNDARY = re.compile(r"(<!\[CDATA\[|\]\]>|</rss\s{0,9}>)")
_INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udc7f\udd00-\udfff\ufffe\uffff]+")
# `surrogateescape` decodes invalid bytes to these characters.
_INVALID_BYTES = re.compile(r"[\udc80-\udcff]+")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)?")
_XML_ENTITIES = frozenset({"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})


def repair(chunks: Iterable[str], repairs: Counter[str]) -> Iterator[str]:
    """Yield the text with only characters and references that XML allows; count the repairs by their names.

    Text before the first element and after the last one is removed.
    """
    is_section = False
    parts = _split_at_boundaries(chunks, repairs)
    for part in parts:
        if part == "]]>" and not is_section:
            yield "]]&gt;"
            continue
        if _BOUNDARY.fullmatch(part):
            is_end = part.startswith("</") and not is_section
            is_section = part.startswith("<!") or (is_section and part != "]]>")
            yield part
            if is_end:
                # Pass on a second export in the same file: the parser refuses it, which reports the loss.
                yield from (rest for rest in parts if "<item" in rest)
                return
        else:
            yield part if is_section else _REFERENCE.sub(lambda found: _resolve(found[0], repairs), part)


def _split_at_boundaries(chunks: Iterable[str], repairs: Counter[str]) -> Iterator[str]:
    """Yield the text in parts, without invalid characters; each boundary of a CDATA section is one part."""
    rest, is_started = "", False
    for chunk in chunks:
        text = rest + _replace_characters(chunk, repairs)
        if not is_started:
            start = _START.search(text)
            position = start.start() if start else max(0, len(text) - _MAX_START)
            repairs["text outside of the XML elements"] |= position > 0
            text, is_started = text[position:], start is not None
            if not is_started:
                rest = text
                continue
        unfinished = _UNFINISHED_MARKUP.search(text)
        end = unfinished.start() if unfinished else len(text)
        yield from filter(None, _BOUNDARY.split(text[:end]))
        rest = text[end:]
    yield rest if is_started else ""


def _replace_characters(text: str, repairs: Counter[str]) -> str:
    text, count = _INVALID_CHARACTERS.subn("", text)
    repairs["control characters"] += count
    if not text.isascii():
        text, count = _INVALID_BYTES.subn(_decode_windows, text)
        repairs["bytes that are not valid in its encoding"] += count
    return text


def _decode_windows(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _resolve(reference: str, repairs: Counter[str]) -> str:
    character = html.unescape(reference)
    if character == reference:
        repairs["unescaped “&”"] += 1
    elif not reference.startswith("&#") and reference not in _XML_ENTITIES:
        repairs["HTML entities"] += 1
    return html.escape(_INVALID_CHARACTERS.sub("", character))
