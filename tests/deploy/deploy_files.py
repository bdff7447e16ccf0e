"""Reads the files of `blogapi/docs/deploy`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

import blogapi

FOLDER = Path(blogapi.__file__).parent / "docs" / "deploy"
OVERLAYS = ("compose.caddy.yaml", "compose.postgresql.yaml")


class Instruction(NamedTuple):
    """An instruction of the Containerfile, such as `USER`, and its arguments in one line."""

    name: str
    arguments: str


def read(name: str) -> str:
    """Return the text of a file."""
    return (FOLDER / name).read_text(encoding="utf-8")


def list_instructions() -> list[Instruction]:
    """Return the instructions of the Containerfile."""
    lines = re.sub(r"^#.*\n", "", read("Containerfile"), flags=re.M).replace("\\\n", " ").splitlines()
    return [Instruction(*line.split(maxsplit=1)) for line in lines if line.strip()]


def merge_compose(*names: str) -> dict[str, Any]:
    """Return `compose.yaml` with these files added to it, as Compose adds them."""
    merged: dict[str, Any] = yaml.safe_load(read("compose.yaml"))
    for name in names:
        merged = _merge(merged, yaml.safe_load(read(name)))
    return merged


def _merge(first: Any, second: Any) -> Any:
    if not isinstance(first, dict) or second is None:
        return second or first
    return first | {name: _merge(first.get(name), value) for name, value in second.items()}
