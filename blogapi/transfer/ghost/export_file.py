"""Reads the JSON file of a Ghost export in a stream, row by row.

The tables are in `{"db": [{"data": {…}}]}` (most versions), in `{"data": {…}}` (some exports of 0.x and of
migration tools), or at the top (`{"posts": […]}`, as Ghost's API answers), and come in any order.
"""

from __future__ import annotations

import codecs
import json
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import ijson

from blogapi.transfer.article_record import RefusedFile

#: A table name, and a row; the row is None in tables whose rows are only counted.
Row = tuple[str, object]

# The keys around the tables.
_WRAPPERS = {(), ("data",), ("data", "data"), ("db",), ("db", "data")}
# The parser scans a long text again from its start with each further chunk. With chunks of 1 MB, a text of
# 20 MB takes 0.1 s; with the default of 64 kB, it takes 2 s.
_CHUNK_BYTES = 1024 * 1024
# A post is at level 5. Deeper levels are only in bodies that are objects and not texts.
_MAX_DEPTH = 200
# Up to this size, a damaged file is parsed again, to find the line and the column of the damage.
_MAX_LOCATED_BYTES = 16 * 1024 * 1024


class DamagedExport(Exception):
    """The JSON cannot be read further. The message says what is wrong and where, without a period."""


class _Utf8File:
    """A file that is decoded to UTF-8: UTF-16 is converted, and invalid bytes are replaced."""

    def __init__(self, file: BinaryIO) -> None:
        start = file.read(2)
        file.seek(0)
        is_utf16 = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16" if is_utf16 else "utf-8-sig")()
        self.position = 0
        self.has_invalid_bytes = False

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes as UTF-8; b"" at the end."""
        chunk = self._file.read(size)
        self.position += len(chunk)
        is_last = size != 0 and not chunk
        try:
            text = self._decoder.decode(chunk, is_last)
        except UnicodeDecodeError:
            self.has_invalid_bytes, self._decoder.errors = True, "replace"
            text = self._decoder.decode(chunk, is_last)
        return text.encode("utf-8", "replace")


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
        with _open(self.path) as raw:
            file = _Utf8File(raw)
            try:
                yield from _read_rows(file, wanted)
            # Numbers that Python cannot represent raise a ValueError or an OverflowError.
            except (ijson.JSONError, ValueError, OverflowError) as error:
                raise DamagedExport(self._describe(error, file.position)) from error
            except OSError as error:
                raise DamagedExport(f"it cannot be read further ({error.strerror})") from error
            finally:
                self.has_invalid_bytes |= file.has_invalid_bytes

    def _describe(self, error: Exception, position: int) -> str:
        is_short = "premature EOF" in str(error)
        reason = "the file ends too early" if is_short else "the JSON is damaged"
        if self.path.stat().st_size > _MAX_LOCATED_BYTES:
            return f"{reason} before byte {position:,}"
        try:
            json.loads(self.path.read_bytes().decode("utf-8-sig", "replace"))
        except json.JSONDecodeError as located:
            return f"{reason} at line {located.lineno:,}, column {located.colno:,} ({located.msg})"
        except (ValueError, RecursionError, OSError):
            pass
        return f"{reason} before byte {position:,}"


def _open(path: Path) -> BinaryIO:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise RefusedFile("It is not a regular file; replace it with one.")
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise RefusedFile(f"It cannot be read ({error}); check that it exists and is readable.") from error


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
    """Return the name of the table whose array begins at a path, or "" if the array is no table."""
    names = tuple(filter(None, path))
    is_table = names[:-1] in _WRAPPERS and names[-1:] not in ((), ("db",), ("data",))
    return names[-1] if is_table else ""
