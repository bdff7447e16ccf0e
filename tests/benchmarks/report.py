"""Prints the tables and writes the results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from tests.benchmarks.plan import Table


def print_table(console: Console, table: Table) -> None:
    """Print the table to the terminal."""
    rich_table = RichTable(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for number, column in enumerate(table.columns):
        rich_table.add_column(
            column, justify="right" if _is_number(table, number) else "left", overflow="fold"
        )
    for line in table.lines:
        rich_table.add_row(*line)
    console.print(rich_table)


def format_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    rule = ["---:" if _is_number(table, number) else "---" for number in range(len(table.columns))]
    lines = [table.columns, rule, *table.lines]
    return "\n".join([f"**{table.title}**", "", *(f"| {' | '.join(line)} |" for line in lines), ""])


def write_json(
    file: Path,
    *,
    machine: Mapping[str, str],
    options: Mapping[str, Any],
    notes: Sequence[str],
    parts: Mapping[str, Sequence[Any]],
) -> None:
    """Write all rows of all parts, the machine, the options, and the notes on omitted parts."""
    rows = {name: [asdict(row) for row in found] for name, found in parts.items()}
    document = {"machine": machine, "options": options, "notes": notes, "parts": rows}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def list_problems(parts: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return a message for each row with invalid numbers."""
    return [
        f"{name}: {row}: {row.problem}"
        for name, rows in parts.items()
        for row in rows
        if getattr(row, "problem", "")
    ]


def _is_number(table: Table, column: int) -> bool:
    cells = [line[column] for line in table.lines]
    return any(cell[:1].isdigit() and " articles" not in cell for cell in cells)
