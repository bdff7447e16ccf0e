"""The databases of an export: their columns, and their rows as a Markdown table."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from blogapi.importing.format_api.files import read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.lines import decode, to_line

#: The maximum number of rows in a table.
MAX_ROWS = 1_000
_MARKUP = re.compile(r"([\\|<>*\[\]`])")
# A relation: `Ada (People/Ada%200123….md)`.
_RELATION = re.compile(r" \([^()]{0,2000}[0-9a-f]{32}[^()]{0,200}\)")


@dataclass(frozen=True, slots=True)
class Database:
    """The columns of a database, the title first, and the texts of its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def make_table(self) -> str:
        """Return the Markdown table of the first rows; "" if the database has no columns."""
        if not self.columns:
            return ""
        head, *rows = (" | ".join(map(_escape, line)) for line in (self.columns, *self.rows[:MAX_ROWS]))
        table = "\n".join(f"| {line} |" for line in (head, " | ".join(["---"] * len(self.columns)), *rows))
        left_out = len(self.rows) - MAX_ROWS
        return f"{table}\n\n… {left_out:,} more" if left_out > 0 else table


def parse_database(path: Path) -> Database:
    """Return the database in a file, without columns if the file, which has its own report, is unreadable."""
    try:
        text, _ = decode(read_bytes(path))
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except (RefusedFile, csv.Error):
        return Database((), ())
    columns = tuple(map(to_line, lines[0])) if lines else ()
    rows = (tuple(map(to_line, line[: len(columns)])) for line in lines[1:])
    return Database(columns, tuple(row + ("",) * (len(columns) - len(row)) for row in rows if any(row)))


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _RELATION.sub("", text))
