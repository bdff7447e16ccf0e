"""Recognise files that were imported before under another key, because they were moved or renamed.

The rules, in this order:

1. A file with a known key or a known path on the disk is the same file. Two blogs can have the same keys
   (`_posts/hello.md`); `separate_blogs` gives the files of the second blog longer keys.
2. A file with the same content as an imported file that is gone is the same file.

An imported file is gone if it is not part of this import and does not exist at its former path, or at the
path in its key.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from blogapi.transfer import folder

ComputeDigest = Callable[[folder.Entry], str | None]


def match_entries(
    entries: Iterable[folder.Entry],
    stored: Mapping[str, str | None],
    compute_digest: ComputeDigest,
    roots: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the stored keys of the entries that were imported before under another key.

    `stored` contains the source digests by key, and `roots` the folders below which the keys were the paths
    of the files. `compute_digest` returns the source digest of an entry, or None if the entry is not an
    article. It is called only for entries with an unknown key.
    """
    former = {key: Path(root, key) for key, root in (roots or {}).items()}
    paths = {folder.escape(str(path)): key for key, path in former.items()}
    candidates = [entry for entry in entries if entry.problem is None] if stored else []
    free = stored.keys() - {entry.key for entry in candidates}
    unknown = [entry for entry in candidates if entry.key not in stored]
    at_path = {entry.key: paths.get(folder.escape(str(entry.path)), "") for entry in unknown}
    matches = {key: known for key, known in at_path.items() if known in free}
    same_content: dict[str | None, list[str]] = defaultdict(list)
    for key in sorted(free.difference(matches.values()), reverse=True):
        same_content[stored[key]].append(key)
    for entry in unknown:
        digest = None if entry.key in matches else compute_digest(entry)
        while digest and same_content[digest] and entry.key not in matches:
            key = same_content[digest].pop()
            if _is_gone(entry, key, former.get(key)):
                matches[entry.key] = key
    return matches


def separate_blogs(
    entries: Sequence[folder.Entry],
    stored: Mapping[str, str | None],
    roots: Mapping[str, str],
    compute_digest: ComputeDigest,
) -> list[folder.Entry]:
    """Return the entries; the entries of a folder whose keys belong to another blog get longer keys.

    The parameters are those of `match_entries`. The keys are taken if the imported files still exist below
    another folder, and less than half of the files have the same content; otherwise the folder is a copy of
    the blog, or the blog was moved.
    """
    folders: dict[str, list[folder.Entry]] = defaultdict(list)
    for entry in entries:
        folders[_get_root(entry)].append(entry)
    longer: dict[Path, str] = {}
    for root, files in folders.items() if roots else ():
        outer = [*Path(root).parts[1:-1]]
        prefix = ""
        while outer and _is_other_blog(files, prefix, stored, roots, compute_digest):
            prefix = f"{folder.escape(outer.pop())}/{prefix}"
        longer |= {entry.path: prefix + entry.key for entry in files if prefix}
    return [replace(entry, key=longer.get(entry.path, entry.key)) for entry in entries]


def _is_other_blog(
    entries: Iterable[folder.Entry],
    prefix: str,
    stored: Mapping[str, str | None],
    roots: Mapping[str, str],
    compute_digest: ComputeDigest,
) -> bool:
    """Return whether the keys of a folder with a prefix are those of another blog that still exists."""
    keys = [(entry, prefix + entry.key) for entry in entries if entry.problem is None]
    taken = [
        (entry, key)
        for entry, key in keys
        if key in roots and (path := Path(roots[key], key)) != entry.path and os.path.lexists(path)
    ]
    same = sum(compute_digest(entry) == stored.get(key) for entry, key in taken)
    return 2 * same < len(taken)


def find_outer_keys(entries: Iterable[folder.Entry], matches: Mapping[str, str]) -> dict[str, str]:
    """Return the key that each entry has below the outer folder that was imported before.

    Only entries of an imported folder in which a file was recognised by its path are part of the result.
    """
    entries = list(entries)
    prefixes = {
        _get_root(entry): matches[entry.key].removesuffix(entry.key)
        for entry in entries
        if matches.get(entry.key, "").endswith(f"/{entry.key}")
    }
    roots = ((entry.key, _get_root(entry)) for entry in entries)
    return {key: prefixes[root] + key for key, root in roots if root in prefixes}


def _get_root(entry: folder.Entry) -> str:
    return str(entry.path.parents[entry.key.count("/") - 1])


def _is_gone(entry: folder.Entry, key: str, former: Path | None) -> bool:
    """Return whether no other file exists at the path `former`, and at `key` below a folder of the entry."""
    paths = [parent / key for parent in entry.path.parents] + ([former] if former else [])
    return not any(path != entry.path and os.path.lexists(path) for path in paths)
