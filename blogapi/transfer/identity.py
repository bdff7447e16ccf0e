"""Recognise files that were imported before under another key, because they were moved or renamed.

The rules, in this order:

1. A file with a known key or a known path on the disk is the same file. Two blogs can have the same keys
   (`_posts/hello.md`); `separate_blogs` gives the files of the second blog longer keys.
2. A file whose path ends with a known key is the same file: its folder was imported as part of an outer
   folder.
3. A file with the same content as an imported file that is gone is the same file: the file or its folder was
   renamed, or an outer folder is imported now. If there are several such files, the one with the most similar
   path is used.
4. If rule 2 or 3 has recognised a file of a folder, the other files of that folder are recognised too, even
   if their content has changed.

An imported file is gone if it is not part of this import and does not exist at its former path, or at the
path in its key.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from blogapi.transfer import folder

ComputeDigest = Callable[[folder.Entry], str | None]

# The maximum number of trailing path components of two keys that are compared.
_MAX_DEPTH = 8


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
    known = {key: Path(root, key) for key, root in (roots or {}).items()}
    candidates = [entry for entry in entries if entry.problem is None] if stored else []
    unknown = {entry.key: entry for entry in candidates if entry.key not in stored}
    free = dict.fromkeys(stored.keys() - {entry.key for entry in candidates})
    matches: dict[str, str] = {}

    def match(pairs: Iterable[tuple[folder.Entry, str]]) -> None:
        for entry, key in pairs:
            if entry.key not in matches and key in free:
                matches[entry.key] = key
                del free[key]

    keys = {path: key for key, path in known.items()}
    match((entry, keys[entry.path]) for entry in unknown.values() if entry.path in keys)
    match((entry, key) for entry in unknown.values() for key in folder.list_longer_keys(entry))
    rest = [(entry, compute_digest(entry)) for key, entry in unknown.items() if key not in matches]
    readable = [(entry, digest) for entry, digest in rest if digest]
    for depth in range(_MAX_DEPTH, -1, -1):
        unmatched = [pair for pair in readable if pair[0].key not in matches]
        match(_pair_by_content(unmatched, {key: stored[key] for key in free}, known, depth))
    match(_pair_by_folder([entry for entry, _ in readable if entry.key not in matches], matches, known))
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

    Only entries of an imported folder in which a file was recognised by rule 2 are part of the result.
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


def _pair_by_content(
    entries: Iterable[tuple[folder.Entry, str]],
    free: Mapping[str, str | None],
    known: Mapping[str, Path],
    depth: int,
) -> Iterator[tuple[folder.Entry, str]]:
    """Yield pairs with the same content and the same last `depth` components of the key."""
    keys: dict[tuple[str | None, str], deque[str]] = defaultdict(deque)
    for key in sorted(free):
        keys[free[key], _tail(key, depth)].append(key)
    for entry, digest in entries:
        same = keys[digest, _tail(entry.key, depth)]
        while same:
            key = same.popleft()
            if _is_gone(entry, key, known.get(key)):
                yield entry, key
                break


def _pair_by_folder(
    entries: Iterable[folder.Entry], matches: Mapping[str, str], known: Mapping[str, Path]
) -> Iterator[tuple[folder.Entry, str]]:
    """Yield pairs of files from folders in which another file was recognised."""
    folders = dict(_split_common_tail(new, old) for new, old in matches.items())
    for entry in entries:
        parts = entry.key.split("/")
        for count in range(len(parts) - 1, -1, -1):
            former = folders.get(tuple(parts[:count]))
            key = "/".join([*former, *parts[count:]]) if former is not None else ""
            if key and _is_gone(entry, key, known.get(key)):
                yield entry, key


def _tail(key: str, depth: int) -> str:
    return "/".join(key.split("/")[-depth:]) if depth else ""


def _split_common_tail(new: str, old: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders of both keys without the last components that they share."""
    left, right = new.split("/"), old.split("/")
    while left and right and left[-1] == right[-1]:
        left.pop()
        right.pop()
    return tuple(left), tuple(right)


def _is_gone(entry: folder.Entry, key: str, former: Path | None) -> bool:
    """Return whether no other file exists at the path `former`, and at `key` below a folder of the entry."""
    paths = [parent / key for parent in entry.path.parents] + ([former] if former else [])
    return not any(path != entry.path and os.path.lexists(path) for path in paths)
