"""Find out whether the generator of a site builds a file, by its path, the configuration and data files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.privacy_signs import (
    BUILT_NAMES,
    CONTENT_FOLDERS,
    ELEVENTY_HIDING_FIELD,
    ELEVENTY_IGNORE_FILES,
    HIDING_TEXTS,
    JEKYLL_POST,
    UNBUILT_NAMES,
    UNBUILT_SETTINGS,
)
from blogapi.importing.formats.markdown.generators import Site, parse_configuration, read_configuration
from blogapi.importing.formats.markdown.path_patterns import is_excluded, read_patterns
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import to_bool, to_line

#: For each source of fields, nearest first: its name, and the fields of files that do not set them.
Defaults = Sequence[tuple[str, Mapping[str, object]]]

_COMMENT_LINE = re.compile(r"^[ \t]*+(?://|#).*", re.MULTILINE)
# Texts in quotes, in the list or the call that begins here.
_TEXTS = re.compile(r"\s*+\[?+((?:\s*+(?:\"[^\"\n]*+\"|'[^'\n]*+'|`[^`\n]*+`)\s*+,?+)*+)\s*+[\])]")
_TEXT = re.compile(r"[\"'`]([^\"'`\n]*+)[\"'`]")
_ADDRESS = re.compile(r"[\"']\^?+/([^\"'\n]*+)[\"']\s*+:")
_DATA_FILE = re.compile(r"(.+?)(?:\.json|\.(?:11ty)?data\.(?:json|ya?ml|toml|[cm]?[jt]s))")


def find_reasons(path: Path, site: Site) -> Iterator[DraftReason]:
    """Yield a reason for each rule by which the generator does not build a file of its site."""
    yield from _find_in_names(path.relative_to(site.folder).parts, site)
    parts = _locate(path, site)
    for name, form, patterns in _read_settings(site):
        if patterns is None:
            yield _report_unread(site.configuration, name)
        elif is_excluded(form, patterns, parts):
            yield _report(f"“{site.configuration}” excludes it by `{name}`")
    if site.generator == "eleventy":
        yield from _find_in_ignore_files(path, site)
        for file in _list_data_files(path, site):
            field = ELEVENTY_HIDING_FIELD.search(_read_code(file))
            if field and not _read_data(file):
                yield _report_unread(file.name, field[0])


def read_defaults(path: Path, site: Site) -> Defaults:
    """Return the fields that the configuration and the data files of a site set for a file."""
    text = _COMMENT_LINE.sub("", site.text)
    signs = (sign for sign in HIDING_TEXTS if sign.generator == site.generator)
    found: list[dict[str, object]] = [
        {sign.default[0]: sign.default[1]} for sign in signs if sign.pattern.search(text)
    ]
    if site.generator == "eleventy":
        return [(file.name, _read_data(file)) for file in _list_data_files(path, site)]
    if site.generator == "jekyll":
        found = list(_list_jekyll_defaults(_locate(path, site), site))
    elif site.generator == "pelican":
        found = [_to_mapping(site.settings.get("DEFAULT_METADATA"))]
    return [(site.configuration, fields) for fields in found]


def _list_jekyll_defaults(parts: Sequence[str], site: Site) -> Iterator[dict[str, object]]:
    """Yield the values in `defaults` whose scope contains a file, the last ones first."""
    kind = next((part[1:] for part in parts[:-1] if part.startswith("_")), "pages")
    defaults = site.settings.get("defaults")
    for default in map(_to_mapping, reversed(defaults) if isinstance(defaults, list) else ()):
        scope = _to_mapping(default.get("scope"))
        path, type_ = to_line(scope.get("path")), to_line(scope.get("type"))
        if type_ in ("", kind) and (not path or is_excluded("prefix", [path], parts)):
            yield _to_mapping(default.get("values"))


def _to_mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def find_in_defaults(defaults: Defaults, entries: Mapping[str, object]) -> Iterator[DraftReason]:
    """Yield a reason for each default that hides a file whose front matter has the `entries`."""
    known = {normalize_key(key) for key in entries}
    for name, fields in defaults:
        new = {key: value for key, value in fields.items() if normalize_key(key) not in known}
        known |= {normalize_key(key) for key in new}
        for key, value in new.items():
            for reason in privacy.find_in_front_matter({key: value}):
                new_reason = _report(f"“{name}” sets `{to_line(key)[:60]}` for files that do not set it")
                yield replace(new_reason, is_unlisted=reason.is_unlisted)


def _report(reason: str) -> DraftReason:
    return DraftReason(f"{reason}; the article became a draft.")


def _report_unread(name: str, field: str) -> DraftReason:
    return _report(f"“{name}” contains `{field}`, which can hide files and was not understood")


def _find_in_names(parts: Sequence[str], site: Site) -> Iterator[DraftReason]:
    signs = [sign for sign in UNBUILT_NAMES if sign.generator == site.generator]
    built = _list_built_names(site)
    *folders, file = parts
    # `privacy` reports files with “_”.
    for number, part in enumerate(folders if file.startswith("_") else parts):
        outer = "".join(f"{folder}/" for folder in parts[:number])
        if not _fits_any(part, built) and any(
            _fits_any(part, s.names) and outer.startswith(s.below) for s in signs
        ):
            yield _report(f"{signs[0].source} does not build names like “{part}”")
    if site.generator == "jekyll" and "_posts" in folders and not JEKYLL_POST.fullmatch(file):
        yield _report(f"Jekyll does not build names like “{file}”, without a date, in “_posts”")


def _fits_any(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _list_built_names(site: Site) -> set[str]:
    """Return the names that Jekyll or Hexo builds because of its configuration."""
    include = site.settings.get("include")
    parts = (
        [part for path in include for part in to_line(path).split("/")] if isinstance(include, list) else []
    )
    collections = _to_mapping(site.settings.get("collections")).items()
    built = (name for name, options in collections if to_bool(to_line(_to_mapping(options).get("output"))))
    return {*BUILT_NAMES, *filter(lambda part: part.strip("*"), parts), *(f"_{name}" for name in built)}


def _locate(path: Path, site: Site) -> Sequence[str]:
    """Return the parts of the path below the folder where the paths in settings begin."""
    below, setting = CONTENT_FOLDERS.get(site.generator, ("", ""))
    base = site.folder / (to_line(site.settings.get(setting)) or below)
    return path.relative_to(base if path.is_relative_to(base) else site.folder).parts


# The configuration is read once, and not again for each file.
@lru_cache(maxsize=256)
def _read_settings(site: Site) -> list[tuple[str, str, list[str] | None]]:
    """Return the name, the form and the patterns (None if unknown) of each setting that excludes files."""
    signs = (sign for sign in UNBUILT_SETTINGS if sign.generator == site.generator)
    found = (
        (name, sign.form, _find_patterns(site, name, sign.form)) for sign in signs for name in sign.names
    )
    return [setting for setting in found if setting[2] != []]


def _find_patterns(site: Site, name: str, form: str) -> list[str] | None:
    values = {key.casefold(): value for key, value in site.settings.items()}
    if name.casefold() in values:
        return read_patterns(values[name.casefold()], form)
    # In Python, a value that is no literal is missing in the settings.
    if values and site.generator != "pelican":
        return []
    code = _COMMENT_LINE.sub("", site.text)
    patterns: list[str] = []
    for key in re.finditer(rf"(?<![\w$-]){re.escape(name)}[\"']?\s*+[:=(]", code):
        found = _find_texts(code, key.end(), form)
        if found is None:
            return None
        patterns += found
    return read_patterns(patterns, form)


def _find_texts(code: str, start: int, form: str) -> list[str] | None:
    """Return the texts in quotes that are the value at `start` in a program; None if it is another value."""
    if form == "addresses":
        addresses = _ADDRESS.findall(code, start, _find_end(code, start))
        return [address.removesuffix("html") or "*" for address in addresses] or None
    texts = None if form == "unread" else _TEXTS.match(code, start)
    return _TEXT.findall(texts[1]) if texts else None


def _find_end(code: str, start: int) -> int:
    """Return the offset of the end of the mapping that begins at `start`."""
    depth = 0
    for brace in re.compile("[{}]").finditer(code, start):
        depth += 1 if brace[0] == "{" else -1
        if depth <= 0:
            return brace.end()
    return len(code)


def _list_folders(path: Path, site: Site) -> list[Path]:
    """Return the folders of a file in its site, innermost first."""
    return [outer for outer in path.parents if outer.is_relative_to(site.folder)]


def _find_in_ignore_files(path: Path, site: Site) -> Iterator[DraftReason]:
    for outer in _list_folders(path, site):
        for name in ELEVENTY_IGNORE_FILES:
            patterns = read_patterns(_read_code(outer / name), "gitignore")
            is_used = name != ".gitignore" or "setUseGitIgnore(false" not in site.text
            if is_used and is_excluded("gitignore", patterns or (), path.relative_to(outer).parts):
                yield _report(f"“{name}” excludes it")


@lru_cache(maxsize=1024)
def _read_code(file: Path) -> str:
    return _COMMENT_LINE.sub("", read_configuration(file).decode("utf-8", "replace"))


def _list_data_files(path: Path, site: Site) -> list[Path]:
    """Return the data files of Eleventy for a file and for its folders, innermost first."""
    folders = _list_folders(path, site)
    places = [(path.parent, path.stem), *((outer, outer.name) for outer in folders)]
    return [file for outer, name in places for stem, file in _list_data_files_in(outer) if stem == name]


@lru_cache(maxsize=1024)
def _list_data_files_in(outer: Path) -> list[tuple[str, Path]]:
    try:
        matches = [(_DATA_FILE.fullmatch(file.name), file) for file in sorted(outer.iterdir())]
    except OSError:
        return []
    return [(match[1], file) for match, file in matches if match]


def _read_data(file: Path) -> Mapping[str, object]:
    fields = parse_configuration(file.suffix, _read_code(file))
    return {**fields, **_to_mapping(fields.get("eleventyComputed"))}
