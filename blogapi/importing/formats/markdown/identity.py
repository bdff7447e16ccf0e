"""Find out which files were imported before: files with the same path on the disk or in their blog.

The key of a file is its path below the folder that contains the imported folder. The rules, in this order:

1. A file at the path of an imported file is the same file, even if an inner or an outer folder is imported
   this time. Then the keys of all files in the folder begin with the outermost folder that was imported.
2. A file with the key of an imported file is the same file, unless the key belongs to another blog (both have
   `_posts/hello.md`). This is so if other files with these keys still exist. Then the names of further outer
   folders are put before the keys.
"""

from __future__ import annotations

import filecmp
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from blogapi.importing.format_api.source_files import Entry, escape_file_name


def identify(entries: Sequence[Entry], roots: Mapping[str, str]) -> list[tuple[Entry, str]]:
    """Return the files with their keys, and the keys with which they were imported before ("" = the same).

    `roots` maps the keys of imported files to the folders to which the keys are relative.
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
    return [(replace(entry, key=keys[entry.path]), old_keys[entry.path]) for entry in entries]


def _make_keys(
    entries: Sequence[Entry], parent: Path, base: Path, roots: Mapping[str, str]
) -> dict[Path, str]:
    """Return the keys of the entries: paths below `base`, or below an outer folder if these are taken."""
    while True:
        outer = "".join(f"{escape_file_name(name)}/" for name in parent.relative_to(base).parts)
        keys = {entry.path: outer + entry.key for entry in entries}
        if base == base.parent or not _are_taken(keys, roots):
            return keys
        base = base.parent


def _are_taken(keys: Mapping[Path, str], roots: Mapping[str, str]) -> bool:
    """Return whether the keys belong to other files that still exist, most of them with other contents."""
    others = [(path, Path(roots[key], key)) for path, key in keys.items() if key in roots]
    others = [(path, other) for path, other in others if other != path and other.exists()]
    return 2 * sum(_are_equal(*pair) for pair in others) < len(others)


def _are_equal(path: Path, other: Path) -> bool:
    try:
        return filecmp.cmp(path, other, shallow=False)
    except OSError:
        return False
