"""Reads the redirects of a Ghost blog: a file `redirects.json` or `redirects.yaml` beside the export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from blogapi.importing.format_api.source_files import read_bytes
from blogapi.importing.refusals import RefusedFile

_NAMES = ("redirects.json", "redirects.yaml", "redirects.yml")
# Reading 256 kB of YAML takes up to two seconds.
_MAX_BYTES = 256 * 1024
# `from` is a regular expression. Only patterns that match a single path are used: `^/old-name/?$`.
_PATH = re.compile(r"\^?\\?/((?:[\w.%-]|\\?/|\\[.-])*?)(?:\\?/|\(?\[?\\?/\]?\)?\?)?\$?")
_TARGET = re.compile(r"(?:https?://[^/\s]+)?/([^/?#\s]+)/?")


@dataclass(slots=True)
class Redirects:
    """The redirects to posts, as lists of former paths by slug, and the number of the other redirects."""

    paths: dict[str, list[str]] = field(default_factory=dict)
    others: int = 0

    def count_left(self) -> int:
        """Return the number of unused redirects: `others`, and those that no post took from `paths`."""
        return self.others + sum(map(len, self.paths.values()))


def read_redirects(parent: Path) -> Redirects:
    """Return the redirects in a folder. A file that cannot be read adds one to `others`."""
    redirects = Redirects()
    files = [parent / name for name in _NAMES if (parent / name).is_file()]
    for source, target in (pair for path in files for pair in _list_redirects(path)):
        slug, former_path = _TARGET.fullmatch(target), _get_path(source)
        if slug and former_path.strip("/") not in ("", slug[1]):
            redirects.paths.setdefault(slug[1], []).append(former_path)
        else:
            redirects.others += 1
    return redirects


def _list_redirects(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = read_bytes(path, _MAX_BYTES).decode("utf-8-sig")
        data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (RefusedFile, ValueError, RecursionError, yaml.YAMLError):
        data = [{}]
    if isinstance(data, list):
        yield from ((str(row.get("from")), str(row.get("to"))) for row in data if isinstance(row, Mapping))
    elif isinstance(data, Mapping):
        # In YAML the redirects are below the status code: `301: {/old-name: /new-name}`.
        groups = (group for group in data.values() if isinstance(group, Mapping))
        yield from ((str(source), str(target)) for group in groups for source, target in group.items())


def _get_path(source: str) -> str:
    path = _PATH.fullmatch(source[:1_000])
    return f"/{path[1]}/".replace("\\", "") if path else ""
