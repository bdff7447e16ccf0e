"""The release notes: the sections of the changelog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from blogapi import program
from blogapi.version import __version__

_HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\].*$", re.MULTILINE)

# The part of the first release about versions before it.
_BEFORE_FIRST = "### If you ran a checkout before 1.0"


def read_notes(former: str | None) -> str:
    """Return the sections of the releases after `former` up to this one.

    If `former` is None, a version before 1.0, they follow what its owner must do.
    """
    sections = dict(_read_sections())
    if former is None:
        _, heading, first = sections.pop("1.0.0", "").partition(_BEFORE_FIRST)
        return f"{heading}{first}\n\n{read_notes('1.0.0')}".strip()
    wanted = (
        text
        for version, text in sections.items()
        if _parse_version(former) < _parse_version(version) <= _parse_version(__version__)
    )
    return "\n\n".join(wanted)


def _read_sections() -> Iterator[tuple[str, str]]:
    text = next((path.read_text(encoding="utf-8") for path in _list_paths() if path.is_file()), "")
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=False):
        yield heading[1], text[heading.start() : end].strip()


def _list_paths() -> list[Path]:
    """Return the places of the changelog: a built package contains a copy."""
    built = Path(program.__file__).with_name("CHANGELOG.md")
    return [built, *([program.CHECKOUT / "CHANGELOG.md"] if program.CHECKOUT else [])]


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
