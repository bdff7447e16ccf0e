"""Decode files, and convert front matter keys and values to clean single-line text."""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable
from datetime import date, time

from blogapi.config import get_setting_default
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.messages import format_count
from blogapi.parsing import is_web_address
from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from blogapi.rendering.renderer import render_text

_SEPARATORS = {ord(character): None for character in "-_ "}

#: The default maximum length of addresses; an article with a longer address would be refused.
MAX_URL_LENGTH: int = get_setting_default("MAX_URL")
# UTF-32 comes before UTF-16, because the little-endian mark of UTF-32 begins with the mark of UTF-16.
_BYTE_ORDER_MARKS = {
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "UTF-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "UTF-16"),
    codecs.BOM_UTF8: "UTF-8-SIG",
}
# The control characters of ISO 8859 and the byte order mark are invisible in a line.
_INVISIBLE_CHARACTER = re.compile(rf"{FORBIDDEN_CHARACTER.pattern}|[\x80-\x9f\ufeff]")
# The pattern matches only names of HTML elements, because `Option<T>` in a description is text.
_ELEMENT = re.compile(
    r"</?(?:(?P<inline>a|abbr|b|cite|code|del|em|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u)"
    r"|blockquote|br|div|figcaption|figure|h[1-6]|hr|img|li|ol|p|pre|ul)\b[^<>]{0,1000}>",
    re.IGNORECASE,
)
# Elements that a title may contain, with a start and an end tag: `The <b> element` is text.
_TITLE_ELEMENT = re.compile(
    r"<(?P<name>abbr|b|big|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u|var)"
    r"(?:\s[^<>]{0,1000})?>(?P<text>[^<>]*)</(?P=name)\s{0,9}>",
    re.IGNORECASE,
)
_MAX_NESTED_ELEMENTS = 4
_HTTP_START = re.compile("https?://", re.IGNORECASE)
_LINE_BREAK = re.compile(r"<(?:br|wbr)\s{0,9}/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_CODE_SPAN = re.compile(r"(`[^`]*`)")
_MARKUP_CHARACTERS = frozenset("*_`~\\[]")
_LINK = re.compile(r"!?\[([^\[\]]{0,1000})\]\([^()]{0,2048}\)")
BOOLEAN_WORDS = {"true": True, "yes": True, "on": True, "y": True, "t": True, "1": True} | {
    "false": False, "no": False, "off": False, "n": False, "f": False, "0": False
}  # fmt: skip


def normalize_key(key: object) -> str:
    """Return a key in lower case, without `-`, `_` and spaces."""
    return str(key).casefold().translate(_SEPARATORS)


def to_mapping(value: object) -> dict[str, object]:
    """Return a mapping as it is, and {} for any other value."""
    return value if isinstance(value, dict) else {}


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, which are separated by spaces or line breaks."""
    return tuple(text.split())


def is_empty(value: object) -> bool:
    """Return whether a value is null, blank text, or an empty list or mapping."""
    return value is None or value in ({}, []) or (isinstance(value, str) and not value.strip())


def decode_text(data: bytes) -> tuple[str, list[str]]:
    """Return the text with LF line endings and without control characters, and notes about the changes.

    Accepts UTF-8, and UTF-16 and UTF-32 with a byte order mark; the encoding is never guessed. Raises
    RefusedFile, which names the first invalid byte, if the data cannot be decoded.
    """
    name = find_codec(data).removesuffix("-SIG")
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        line_number = data.count(b"\n", 0, error.start) + 1
        raise RefusedFile(
            f"The file is not valid {name}: byte 0x{data[error.start]:02x} at offset {error.start:,} "
            f"(line {line_number:,}) cannot be decoded; convert the file to UTF-8."
        ) from error
    notes = [] if name == "UTF-8" else [f"The file was converted from {name}."]
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text, removed = FORBIDDEN_CHARACTER.subn("", text)
    if removed:
        notes.append(describe_removed_characters(removed))
    return text, notes


def find_codec(data: bytes, default: str = "UTF-8-SIG") -> str:
    """Return the codec that the byte order mark of a file names, or else `default`."""
    return next((name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), default)


def describe_removed_characters(number: int) -> str:
    return f"The import removed {format_count(number, 'control character')} (such as NUL)."


def drop_duplicates(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without empty names and names that differ only in case from an earlier name."""
    distinct: dict[str, str] = {}
    for name in filter(None, names):
        distinct.setdefault(name.casefold(), name)
    return tuple(distinct.values())


def to_http_url(value: object) -> str:
    """Return an http(s) URL of at most MAX_URL_LENGTH characters; "" for everything else."""
    url = to_line(value)
    return url if len(url) <= MAX_URL_LENGTH and _HTTP_START.match(url) and is_web_address(url) else ""


def to_line(value: object) -> str:
    """Return a scalar as one line without control characters, or "" for null, lists and mappings."""
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, int):
        # Python refuses to convert integers of more than 4,300 digits to text.
        value = str(value) if value.bit_length() < 4096 else ""
    elif isinstance(value, (date, time)):
        value = value.isoformat()
    text = str(value) if isinstance(value, (str, float)) else ""
    return " ".join(_INVISIBLE_CHARACTER.sub("", text).split())


def to_plain_line(value: object) -> str:
    """Return a scalar as one line without HTML elements, entities and Markdown links."""
    line = _LINK.sub(r"\1", to_line(value))
    return to_line(html.unescape(_ELEMENT.sub(lambda element: "" if element["inline"] else " ", line)))


def html_to_line(html: str) -> str:
    """Return the visible text at the beginning of HTML, as one line."""
    return render_text(html[:4_000], "html").plain_text


def markdown_to_line(value: object) -> str:
    """Return a scalar as one line without HTML elements, entities and inline Markdown."""
    line = to_plain_line(value)
    if _MARKUP_CHARACTERS.isdisjoint(line):
        return line
    parts = _CODE_SPAN.split(line)
    parts[::2] = (html.escape(part, quote=False) for part in parts[::2])
    # The period at the start prevents Markdown from recognising a list, a heading or another block.
    rendered = render_text(f". {''.join(parts)}", "markdown")
    return to_line(rendered.plain_text.removeprefix("."))


def to_title(value: object) -> str:
    """Return a scalar as one line of plain text: `Tom &amp; <em>Jerry</em>` gives "Tom & Jerry".

    Elements without an end tag, `a < b` and Markdown code spans stay as they are.
    """
    line = to_line(value)
    if "<" not in line and "&" not in line:
        return line
    parts = _CODE_SPAN.split(line)
    for index in range(0, len(parts), 2):
        text = _LINE_BREAK.sub(" ", parts[index])
        # Each round removes one level of nested elements.
        for _ in range(_MAX_NESTED_ELEMENTS):
            text = _TITLE_ELEMENT.sub(lambda element: element["text"], text)
        parts[index] = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return to_line("".join(parts))


def to_bool(value: object) -> bool | None:
    """Return the boolean for a word such as `true`, `yes` or `off`, or None for any other value."""
    return BOOLEAN_WORDS.get(to_line(value).casefold())
