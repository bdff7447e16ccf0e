"""The list of the files in an export with their SHA-256, as `sha256sum` writes and checks it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def format_line(path: str, digest: str) -> str:
    """Return the line of a file."""
    return f"{digest}  {path}\n"


def format_manifest(digests: Mapping[str, str]) -> bytes:
    """Return the lines of all files, ordered by path."""
    return "".join(format_line(path, digests[path]) for path in sorted(digests)).encode()


def parse_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the digest of each file; paths that lead out of the folder are ignored."""
    for line in text.splitlines():
        if (match := _LINE.fullmatch(line)) and _is_inside(match[2]):
            yield match[2], match[1]


def _is_inside(path: str) -> bool:
    windows = PureWindowsPath(path)
    parts: Iterable[str] = (*PurePosixPath(path).parts, *windows.parts)
    return not (path.startswith("/") or windows.drive or windows.root or "\0" in path or ".." in parts)
