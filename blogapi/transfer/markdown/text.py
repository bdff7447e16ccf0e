"""From bytes to text, and from written values to one clean line."""

from __future__ import annotations

import codecs
import html
import re
from datetime import date, time

from blogapi.transfer.article_record import RefusedFile

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
# YAML and JSON escapes can name what the decoder would never let through.
_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff]")
# Only the names of real elements: `Option<T>` in a description is no markup.
_ELEMENT = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|cite|code|del|div|em|figcaption|figure|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre"
    r"|q|s|small|span|strong|sub|sup|u|ul)\b[^<>]{0,1000}>",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[([^\[\]]{0,1000})\]\([^()]{0,2048}\)")
#: Words for true and false, in lower case.
TRUTHS = {"true": True, "yes": True, "on": True, "y": True, "t": True, "1": True} | {
    "false": False, "no": False, "off": False, "n": False, "f": False, "0": False
}  # fmt: skip


def decode(data: bytes) -> tuple[str, list[str]]:
    """Return the text with LF line ends and without control characters, and notes on what was altered.

    UTF-8 is taken with or without a mark, UTF-16 and UTF-32 with one. Raises Refused for anything else,
    naming the first bad byte: a guess would store garbage.
    """
    codec, name = _encoding(data)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise RefusedFile(_bad_byte(data, name, error.start)) from error
    notes = [] if name == "UTF-8" else [f"The file was converted from {name}."]
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text, removed = _CONTROL.subn("", text)
    if removed:
        notes.append(f"{counted(removed, 'control character')} (such as NUL) removed.")
    return text, notes


def _encoding(data: bytes) -> tuple[str, str]:
    return next(((codec, name) for mark, codec, name in _MARKS if data.startswith(mark)), ("utf-8", "UTF-8"))


def _bad_byte(data: bytes, name: str, offset: int) -> str:
    line = data.count(b"\n", 0, offset) + 1
    return (
        f"The text is not {name}: byte 0x{data[offset]:02x} at offset {offset:,} (line {line:,}) "
        "does not belong there; convert the file to UTF-8."
    )


def counted(number: int, noun: str) -> str:
    """Return "1 tag" or "2,000 tags"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def line(value: object) -> str:
    """Return a scalar as one clean line; "" for null, lists and mappings."""
    return " ".join(_UNWANTED.sub("", _written(value)).split())


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        # Python refuses to print an integer of thousands of digits.
        return str(value) if value.bit_length() < 4096 else ""
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, (str, float)) else ""


def plain(value: object) -> str:
    """Return a scalar as one line without HTML elements, entities and Markdown links."""
    written = html.unescape(_ELEMENT.sub(" ", _LINK.sub(r"\1", line(value))))
    return line(written)


def truth(value: object) -> bool | None:
    """Return what `true`, `yes`, `off`, … mean; None for anything else."""
    return TRUTHS.get(line(value).casefold())
