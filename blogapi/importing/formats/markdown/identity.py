"""Find out which files were imported before: those at the same place, or with the same path in their blog.

The key of a file is its path below the folder that contains the imported folder. The rules, in this order:

1. A file at the place of an imported file is the same file, even if an inner or an outer folder is imported
   this time. Then all files of the folder get the keys below the outer one.
2. A file with the key of an imported file is the same file, unless the key belongs to another blog (both have
   `_posts/hello.md`): other files that still exist have the keys. Then the keys get further outer folders.
"""

from __future__ import annotations

import filecmp
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from blogapi.importing.format_api.files import Entry, escape_file_name


@dataclass(frozen=True, slots=True)
class IdentifiedFile:
    """A file with the key that it gets, and the key with which it was imported before ("" = the same)."""

    entry: Entry
    former_key: str = ""


def identify(entries: Sequence[Entry], roots: Mapping[str, str]) -> list[IdentifiedFile]:
    """Return the files with their keys.

    `roots` has the folders below which the keys of imported files were their paths.
    """
    places = {escape_file_name(str(Path(root, key))): key for key, root in roots.items()}
    old_keys = {entry.path: places.get(escape_file_name(str(entry.path)), "") for entry in entries}
    folders: dict[Path, list[Entry]] = defaultdict(list)
    for entry in entries:
        folders[entry.path.parents[entry.key.count("/") - 1].parent].append(entry)
    keys: dict[Path, str] = {}
    for parent, files in folders.items():
        known = {Path(roots[old_keys[entry.path]]) for entry in files if old_keys[entry.path]}
        base = next((outer for outer in reversed(parent.parents) if outer in known), parent)
        keys |= _make_keys(files, parent, base, roots)
    return [IdentifiedFile(replace(entry, key=keys[entry.path]), old_keys[entry.path]) for entry in entries]


def _make_keys(
    entries: Sequence[Entry], parent: Path, base: Path, roots: Mapping[str, str]
) -> dict[Path, str]:
    """Return the paths of the entries below `base`, or below an outer folder if these are taken."""
    while True:
        outer = "".join(f"{escape_file_name(name)}/" for name in parent.relative_to(base).parts)
        keys = {entry.path: outer + entry.key for entry in entries}
        if base == base.parent or not _are_taken(keys, roots):
            return keys
        base = base.parent


def _are_taken(keys: Mapping[Path, str], roots: Mapping[str, str]) -> bool:
    """Return whether other files that still exist have the keys; most files of a copy are equal."""
    others = [(path, Path(roots[key], key)) for path, key in keys.items() if key in roots]
    others = [(path, other) for path, other in others if other != path and other.exists()]
    return 2 * sum(_are_equal(*pair) for pair in others) < len(others)


def _are_equal(path: Path, other: Path) -> bool:
    try:
        return filecmp.cmp(path, other, shallow=False)
    except OSError:
        return False
