"""Patterns of paths in the configuration of generators; see `UnbuiltSetting` for their forms.

They come from other systems: no pattern takes more than linear time per path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import accumulate

from blogapi.importing.texts.keys import is_empty

_MAX_REGEX_LENGTH = 100


def read_patterns(value: object, form: str) -> list[str] | None:
    """Return the patterns in a list or in the lines of a text; None if they are not understood."""
    lines = value.splitlines() if isinstance(value, str) else [] if is_empty(value) else value
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return None
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if form == "regex":
        return patterns if all(map(_is_simple_regex, patterns)) else None
    return [pattern for line in patterns for pattern in _list_alternatives(line)]


def _is_simple_regex(pattern: str) -> bool:
    """Return whether a regular expression is valid and repeats at most one part."""
    if len(pattern) > _MAX_REGEX_LENGTH or len(re.findall(r"[*+?{]", re.sub(r"\\.", "", pattern))) > 1:
        return False
    try:
        return bool(re.compile(pattern))
    except (re.error, OverflowError, RecursionError):
        return False


def _list_alternatives(pattern: str) -> list[str]:
    """Return the patterns for which the first group of a pattern stands: `*.{md,txt}` gives two."""
    start, _, rest = pattern.partition("{")
    group, brace, end = rest.partition("}")
    return [start + part + end for part in group.split(",")] if brace else [pattern]


def is_excluded(form: str, patterns: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether patterns exclude a file; `parts` are the names in its path."""
    places = list(accumulate(parts, "{}/{}".format))
    if form == "regex":
        return any(re.search(pattern, f"/{places[-1]}") for pattern in patterns)
    if form in ("prefix", "addresses"):
        starts = [pattern.removeprefix("./").lstrip("/") for pattern in patterns]
        tried = [*places, *(f"/{place}" for place in places)]
        return any(
            places[-1].startswith(start) or any(fnmatchcase(place, start) for place in tried)
            for start in filter(None, starts)
        )
    excluded = False
    # The last pattern that fits decides.
    for pattern in patterns:
        path = pattern.removeprefix("!").removeprefix("./").rstrip("/")
        if _fits(path.lstrip("/").split("/"), parts, anywhere=form == "gitignore" and "/" not in path):
            excluded = not pattern.startswith("!")
    return excluded


def _fits(pattern: Sequence[str], parts: Sequence[str], *, anywhere: bool) -> bool:
    """Return whether a pattern (such as `a/**/*.md`) fits a path or one of its folders."""
    # How many parts of the path the beginning of the pattern can fit.
    counts = set(range(len(parts))) if anywhere else {0}
    for name in pattern:
        if name == "**":
            counts = set(range(min(counts, default=len(parts) + 1), len(parts) + 1))
        else:
            counts = {count + 1 for count in counts if count < len(parts) and fnmatchcase(parts[count], name)}
    return bool(counts)
