"""Reads the JSON file of a Ghost export.

The tables are in `{"db": [{"data": {…}}]}` (most versions), in `{"data": {…}}` (some exports of 0.x and of
migration tools), or at the top (`{"posts": […]}`, as Ghost's API answers), and come in any order.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path

from blogapi.importing.format_api.files import read_bytes
from blogapi.importing.refusals import RefusedFile

#: A table name, and a row.
Row = tuple[str, object]

# The objects of a file take about six times its size in memory.
_MAX_BYTES = 1024**3
_WRAPPERS = ("db", "data")
# A pair of surrogates, a lone surrogate (group 1), or another escape. A text that was truncated inside an
# emoji ends with a lone surrogate.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?:(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def read_rows(path: Path) -> tuple[list[Row], bool]:
    """Return all rows of all tables, and whether invalid bytes were replaced.

    Raises RefusedFile if the file cannot be read.
    """
    text, has_invalid_bytes = _decode(read_bytes(path, _MAX_BYTES))
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)
    try:
        return [*_list_rows(json.loads(text))], has_invalid_bytes
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column {error.colno:,}"
        raise RefusedFile(f"The JSON is damaged or incomplete ({place}); export the blog again.") from error
    # Numbers that Python cannot represent, and bodies that are nested too deeply.
    except (ValueError, RecursionError) as error:
        raise RefusedFile("The JSON is damaged; export the blog again.") from error


def _decode(data: bytes) -> tuple[str, bool]:
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_utf16 else "utf-8-sig"
    try:
        return data.decode(encoding), False
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), True


def _list_rows(value: object) -> Iterator[Row]:
    for outer in value if isinstance(value, list) else [value]:
        for name, rows in outer.items() if isinstance(outer, dict) else ():
            if name in _WRAPPERS:
                yield from _list_rows(rows)
            elif isinstance(rows, list):
                yield from ((name, row) for row in rows)
