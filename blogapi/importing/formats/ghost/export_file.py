"""Reads the JSON file of a Ghost export in a stream, row by row.

The tables are in `{"db": [{"data": {…}}]}` (most versions), in `{"data": {…}}` (some exports of 0.x and of
migration tools), or at the top (`{"posts": […]}`, as Ghost's API answers), and come in any order.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import ijson

from blogapi.importing.format_api import files as folder

#: A table name, and a row; the row is None in tables whose rows are only counted.
Row = tuple[str, object]

# The keys around the tables.
_WRAPPERS = {(), ("data",), ("data", "data"), ("db",), ("db", "data")}
# The parser scans a long text again from its start with each further chunk. With chunks of 1 MB, a text of
# 20 MB takes 0.1 s; with the default of 64 kB, it takes 2 s.
_CHUNK_BYTES = 1024 * 1024
# A post is at level 5. Deeper levels are only in bodies that are objects and not texts.
_MAX_DEPTH = 200
_SURROGATE_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
# A pair, one half of a pair (group 1), or another escape.
_ESCAPE = re.compile(rf"{_SURROGATE_PAIR.pattern}|\\(?:(u[dD][89a-fA-F][0-9a-fA-F]{{2}})|.)", re.DOTALL)
_MAX_ESCAPE_LENGTH = 12


class DamagedExport(Exception):
    """The JSON cannot be read further. The message says what is wrong and where, without a period."""


class _Utf8File:
    """A file that is decoded to UTF-8: UTF-16 is converted, and U+FFFD replaces invalid bytes.

    A text that was cut inside an emoji ends with one half of a surrogate pair, which the parser refuses.
    """

    def __init__(self, file: BinaryIO) -> None:
        start = file.read(2)
        file.seek(0)
        is_utf16 = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16" if is_utf16 else "utf-8-sig")()
        # The end of the former chunk, if it can contain a part of an escape.
        self._rest = ""
        self.position = 0
        self.has_invalid_bytes = False

    def read(self, size: int) -> bytes:
        """Return the next bytes as UTF-8; b"" at the end, or if `size` is 0."""
        text = ""
        while size and not text:
            chunk = self._file.read(size)
            self.position += len(chunk)
            text = self._rest + self._decode(chunk)
            end = _find_end(text) if chunk else len(text)
            text, self._rest = text[:end], text[end:]
            if not chunk:
                break
        if "\\ud" in text or "\\uD" in text:
            text = _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)
        return text.encode("utf-8", "replace")

    def _decode(self, chunk: bytes) -> str:
        try:
            return self._decoder.decode(chunk, not chunk)
        except UnicodeDecodeError:
            self.has_invalid_bytes, self._decoder.errors = True, "replace"
            return self._decoder.decode(chunk, not chunk)


def _find_end(text: str) -> int:
    """Return where an escape begins at the end of a text that may continue, or the length of the text."""
    start = text.find("\\", max(0, len(text) - _MAX_ESCAPE_LENGTH))
    if start < 0:
        return len(text)
    if _SURROGATE_PAIR.match(text, max(0, start - _MAX_ESCAPE_LENGTH // 2)):
        start -= _MAX_ESCAPE_LENGTH // 2
    return len(text[:start].rstrip("\\"))


class ExportFile:
    """The JSON file of an export."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Whether bytes that are not UTF-8 were replaced.
        self.has_invalid_bytes = False

    def read_rows(self, wanted: Collection[str]) -> Iterator[Row]:
        """Yield all rows of all tables; the rows of tables that are not in `wanted` are None.

        Raises DamagedExport after the last intact row, and RefusedFile if the file cannot be opened.
        """
        with folder.open_file(self.path, None) as raw:
            file = _Utf8File(raw)
            try:
                yield from _read_rows(file, wanted)
            # Numbers that Python cannot represent raise a ValueError or an OverflowError.
            except (ijson.JSONError, ValueError, OverflowError) as error:
                raise DamagedExport(_describe(error, file.position)) from error
            except OSError as error:
                raise DamagedExport(f"it cannot be read further ({error.strerror})") from error
            finally:
                self.has_invalid_bytes |= file.has_invalid_bytes


def _describe(error: Exception, position: int) -> str:
    reason = "the file ends too early" if "premature EOF" in str(error) else "the JSON is damaged"
    return f"{reason} before byte {position:,}"


def _read_rows(file: _Utf8File, wanted: Collection[str]) -> Iterator[Row]:
    # The key at each level; "" in an array. This replaces the prefixes of `ijson.parse`, which take quadratic
    # time in a deeply nested file.
    path: list[str] = []
    table, row_level = "", -1
    builder: ijson.ObjectBuilder | None = None
    for event, value in ijson.basic_parse(file, buf_size=_CHUNK_BYTES, use_float=True):
        if event in ("start_map", "start_array"):
            if len(path) == row_level:
                builder = ijson.ObjectBuilder() if table in wanted else None
            elif row_level < 0 and event == "start_array":
                table = _get_table(path)
                row_level = len(path) + 1 if table else -1
            path.append("")
            if len(path) > _MAX_DEPTH:
                raise ValueError("nested too deeply")
        elif event == "map_key":
            path[-1] = value
        elif event in ("end_map", "end_array"):
            path.pop()
        if builder is not None:
            builder.event(event, value)
        if len(path) == row_level and event not in ("start_array", "map_key"):
            yield table, builder.value if builder is not None else value
            builder = None
        elif len(path) < row_level:
            row_level = -1


def _get_table(path: list[str]) -> str:
    """Return the name of the table whose array begins at a path, or "" if the array is not a table."""
    names = tuple(filter(None, path))
    is_table = names[:-1] in _WRAPPERS and names[-1:] not in ((), ("db",), ("data",))
    return names[-1] if is_table else ""
