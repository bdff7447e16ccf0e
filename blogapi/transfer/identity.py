"""Recognize files that were imported before under another key, because they were moved or renamed.

The rules, in this order:

1. A file with a known key is the same file.
2. A file whose path ends with a known key is the same file: its folder was imported as part of an outer
   folder.
3. A file with the same content as an imported file that is gone is the same file: the file or its folder was
   renamed, or an outer folder is imported now. If there are several such files, the one with the most similar
   path is used.
4. If rule 2 or 3 has recognized a file of a folder, the other files of that folder are recognized too, even
   if their content has changed.

An imported file is gone if it is not part of this import and does not exist at the path in its key.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from blogapi.transfer import folder

# The maximum number of trailing path components of two keys that are compared.
_MAX_DEPTH = 8


def match_entries(
    entries: Iterable[folder.Entry],
    stored: Mapping[str, str | None],
    compute_digest: Callable[[folder.Entry], str | None],
) -> dict[str, str]:
    """Return the stored keys of the entries that were imported before under another key.

    `stored` contains the source digests by key. `compute_digest` returns the source digest of an entry, or
    None if the entry is not an article. It is called only for entries with an unknown key.
    """
    candidates = [entry for entry in entries if entry.problem is None] if stored else []
    unknown = {entry.key: entry for entry in candidates if entry.key not in stored}
    free = dict.fromkeys(stored.keys() - {entry.key for entry in candidates})
    matches: dict[str, str] = {}

    def match(pairs: Iterable[tuple[folder.Entry, str]]) -> None:
        for entry, key in pairs:
            if entry.key not in matches and key in free:
                matches[entry.key] = key
                del free[key]

    match((entry, key) for entry in unknown.values() for key in folder.list_longer_keys(entry))
    rest = [(entry, compute_digest(entry)) for key, entry in unknown.items() if key not in matches]
    readable = [(entry, digest) for entry, digest in rest if digest]
    for depth in range(_MAX_DEPTH, -1, -1):
        unmatched = [pair for pair in readable if pair[0].key not in matches]
        match(_pair_by_content(unmatched, {key: stored[key] for key in free}, depth))
    match(_pair_by_folder([entry for entry, _ in readable if entry.key not in matches], matches))
    return matches


def find_outer_keys(entries: Iterable[folder.Entry], matches: Mapping[str, str]) -> dict[str, str]:
    """Return the key that each entry has below the outer folder that was imported before.

    Only entries of an imported folder in which a file was recognized by rule 2 are part of the result.
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
    entries: Iterable[tuple[folder.Entry, str]], free: Mapping[str, str | None], depth: int
) -> Iterator[tuple[folder.Entry, str]]:
    """Yield pairs with the same content and the same last `depth` components of the key."""
    keys: dict[tuple[str | None, str], deque[str]] = defaultdict(deque)
    for key in sorted(free):
        keys[free[key], _tail(key, depth)].append(key)
    for entry, digest in entries:
        same = keys[digest, _tail(entry.key, depth)]
        while same:
            key = same.popleft()
            if _is_gone(entry, key):
                yield entry, key
                break


def _pair_by_folder(
    entries: Iterable[folder.Entry], matches: Mapping[str, str]
) -> Iterator[tuple[folder.Entry, str]]:
    """Yield pairs of files from folders in which another file was recognized."""
    folders = dict(_split_common_tail(new, old) for new, old in matches.items())
    for entry in entries:
        parts = entry.key.split("/")
        for count in range(len(parts) - 1, -1, -1):
            former = folders.get(tuple(parts[:count]))
            key = "/".join([*former, *parts[count:]]) if former is not None else ""
            if key and _is_gone(entry, key):
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


def _is_gone(entry: folder.Entry, key: str) -> bool:
    """Return whether no other file exists at the path `key` below any folder that contains the entry."""
    paths = (parent / key for parent in entry.path.parents)
    return not any(path != entry.path and os.path.lexists(path) for path in paths)
