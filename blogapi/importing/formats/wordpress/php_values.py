"""Reads arrays that PHP has serialized, as WordPress stores them in custom fields."""

from __future__ import annotations

import re

Value = str | dict[str, "Value"]

_NUMBER = re.compile(rb"[idb]:(-?[\d.E+-]{1,40});")
_TEXT = re.compile(rb's:(\d{1,7}):"')
_ARRAY = re.compile(rb"a:(\d{1,5}):\{")
_MAX_DEPTH = 10


def read_value(text: str) -> Value:
    """Return a serialized array, or the text itself if it is none; the numbers in it are texts.

    Raises ValueError if the text begins like an array or an object and cannot be read.
    """
    if not re.match(r"\s*(?:a|O|C):\d", text):
        return text
    data = text.strip().encode("utf-8", "replace")
    value, end = _read(data, 0, 0)
    if end != len(data):
        raise ValueError("There is text after the array.")
    return value


def _read(data: bytes, start: int, depth: int) -> tuple[Value, int]:
    """Return the value that begins at an index, and the index after it."""
    if number := _NUMBER.match(data, start):
        return number[1].decode(), number.end()
    if text := _TEXT.match(data, start):
        end = text.end() + int(text[1])
        if data[end : end + 2] != b'";':
            raise ValueError("The length of a text is wrong.")
        return data[text.end() : end].decode("utf-8", "replace"), end + 2
    if data.startswith(b"N;", start):
        return "", start + 2
    array = _ARRAY.match(data, start)
    if array is None or depth > _MAX_DEPTH:
        raise ValueError("It is an object, or damaged.")
    entries: dict[str, Value] = {}
    position = array.end()
    for _ in range(int(array[1])):
        key, position = _read(data, position, depth + 1)
        entries[str(key)], position = _read(data, position, depth + 1)
    if data[position : position + 1] != b"}":
        raise ValueError("The array has no end.")
    return entries, position + 1
