"""Find out whether the generator of a site builds a file, by its path, the configuration and data files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api import privacy_signs as signs
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.formats.markdown.generators import Site, parse_configuration, read_configuration
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import to_bool, to_line

_COMMENT_LINE = re.compile(r"^[ \t]*+(?://|#).*", re.MULTILINE)
# Texts in quotes, in the list or the call that begins here.
_TEXTS = re.compile(r"\s*+[\[(]?+((?:\s*+(?:\"[^\"\n]*+\"|'[^'\n]*+'|`[^`\n]*+`)\s*+,?+)*+)\s*+[\])]")
_TEXT = re.compile(r"[\"'`]([^\"'`\n]*+)[\"'`]")
# A mapping with two levels of inner mappings, and the addresses among its keys.
_MAPPING = re.compile(r"\s*+(\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\})")
_ADDRESS = re.compile(r"[\"']\^?+(/[^\"'\n]*+)[\"']\s*+:")
# `\.Rmd$`, `_cache$`, `drafts/.*\.md`
_SIMPLE_REGEX = re.compile(r"(?:\.\*|\\?\.|[\w/ -])++\$?")
_DATA_FORMATS = ("json", "yaml", "yml", "toml", "js", "cjs", "mjs", "ts")
_DATA_SUFFIXES = (".json", *(f".{kind}.{name}" for kind in ("11tydata", "data") for name in _DATA_FORMATS))


def find_reasons(path: Path, site: Site, entries: Mapping[str, object]) -> Iterator[DraftReason]:
    """Yield a reason for each rule by which the generator does not build a file with these entries."""
    yield from _find_in_names(path.relative_to(site.folder).parts, site)
    parts = _locate(path, site)
    for name, globs in _read_settings(site):
        if globs is None:
            yield _report_unread(site.configuration, name)
        elif _is_excluded(globs, parts):
            yield _report(f"“{site.configuration}” excludes it by `{name}`")
    if site.generator == "eleventy":
        yield from _find_in_ignore_files(path, site)
        for file in _list_data_files(path, site):
            field = signs.ELEVENTY_HIDING_FIELD.search(_read_code(file))
            if field and not _read_data(file):
                yield _report_unread(file.name, field[0])
    yield from _find_in_defaults(path, site, entries)


def _report(reason: str) -> DraftReason:
    return DraftReason(f"{reason}; the article became a draft.")


def _report_unread(name: str, field: str) -> DraftReason:
    return _report(f"“{name}” contains `{field}`, which can hide files and was not understood")


def _find_in_names(parts: Sequence[str], site: Site) -> Iterator[DraftReason]:
    path, file = "/".join(parts), parts[-1]
    found = [s for s in signs.UNBUILT_NAMES if s.generator == site.generator and path.startswith(s.below)]
    names = [name for sign in found for name in sign.names]
    built = _list_built_names(site)
    # `privacy` reports files with “_”.
    for part in parts[:-1] if file.startswith("_") else parts:
        if part not in built and any(fnmatchcase(part, name) for name in names):
            yield _report(f"{found[0].source} does not build names like “{part}”")
    if site.generator == "jekyll" and "_posts" in parts[:-1] and not signs.JEKYLL_POST.fullmatch(file):
        yield _report(f"Jekyll does not build names like “{file}”, without a date, in “_posts”")


def _list_built_names(site: Site) -> set[str]:
    """Return the names with `_` that Jekyll or Hexo builds."""
    include = site.settings.get("include")
    paths = map(to_line, include if isinstance(include, list) else ())
    collections = _to_mapping(site.settings.get("collections")).items()
    built = (f"_{name}" for name, options in collections if to_bool(_to_mapping(options).get("output")))
    return {"_posts", "_drafts", *built, *(part for path in paths for part in path.split("/"))}


def _to_mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _locate(path: Path, site: Site) -> Sequence[str]:
    """Return the parts of the path below the folder where the paths in settings begin."""
    below, setting = signs.CONTENT_FOLDERS.get(site.generator, ("", ""))
    base = site.folder / (to_line(site.settings.get(setting)) or below)
    return path.relative_to(base if path.is_relative_to(base) else site.folder).parts


# The configuration is read once, and not again for each file.
@lru_cache(maxsize=256)
def _read_settings(site: Site) -> list[tuple[str, list[str] | None]]:
    """Return the name and the globs (None if unknown) of each setting that excludes files."""
    found = [sign for sign in signs.UNBUILT_SETTINGS if sign.generator == site.generator]
    return [(name, _read_globs(site, name, sign.form)) for sign in found for name in sign.names]


def _read_globs(site: Site, name: str, form: str) -> list[str] | None:
    if normalize_key(name) in site.settings:
        return _to_globs(site.settings[normalize_key(name)], form)
    # The settings of Python are only those with a word.
    if site.settings and site.generator != "pelican":
        return []
    code, texts = _COMMENT_LINE.sub("", site.text), list[str]()
    list_pattern, text_pattern = (_MAPPING, _ADDRESS) if form == "address" else (_TEXTS, _TEXT)
    for key in re.finditer(rf"(?<![\w$-]){re.escape(name)}[\"']?\s*+[:=(]", code):
        found = list_pattern.match(code, key.end())
        texts += text_pattern.findall(found[1]) if found else ()
        if not found or form == "unread" or (form == "address" and not texts):
            return None
    return _to_globs(texts, form)


def _to_globs(value: object, form: str) -> list[str] | None:
    """Return the globs for the patterns in a list or in the lines of a text; None if they are not understood.

    Each of them is compared with the paths of a file and its folders, where `*` is also several folders.
    """
    lines = _COMMENT_LINE.sub("", value).splitlines() if isinstance(value, str) else value or ()
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return None
    # What a pattern with `!` would build after all becomes a draft.
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("!")]
    if form == "regex" and not all(map(_SIMPLE_REGEX.fullmatch, patterns)):
        return None
    return [_to_glob(pattern, form) for line in patterns for pattern in _list_alternatives(line)]


def _list_alternatives(pattern: str) -> list[str]:
    """Return the patterns for which the first group of a pattern stands: `*.{md,txt}` gives two."""
    start, _, rest = pattern.partition("{")
    group, brace, end = rest.partition("}")
    return [start + part + end for part in group.split(",")] if brace else [pattern]


def _to_glob(pattern: str, form: str) -> str:
    if form == "regex":
        glob = re.sub(r"\\?\.", "?", pattern.replace(".*", "*"))
        return f"*{glob[:-1]}" if glob.endswith("$") else f"*{glob}*"
    name = pattern.removeprefix("./")
    if form in ("start", "address"):
        name = f"{name.removesuffix('html')}*"
    name = name.rstrip("/")
    is_anywhere = name.startswith("**/") or (form == "name" and "/" not in name)
    outer = "*/" if is_anywhere else "/"
    return outer + name.removeprefix("**/").lstrip("/").replace("/**/", "/*")


def _is_excluded(globs: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether globs exclude a file; `parts` are the names in its path."""
    places = list(accumulate(parts, "{}/{}".format, initial=""))[1:]
    return any(fnmatchcase(place, glob) for place in places for glob in globs)


def _list_folders(path: Path, site: Site) -> list[Path]:
    """Return the folders of a file in its site, innermost first."""
    return [outer for outer in path.parents if outer.is_relative_to(site.folder)]


def _find_in_ignore_files(path: Path, site: Site) -> Iterator[DraftReason]:
    for outer in _list_folders(path, site):
        for name in signs.ELEVENTY_IGNORE_FILES:
            globs = _to_globs(_read_code(outer / name), "name") or ()
            is_used = name != ".gitignore" or "setUseGitIgnore(false" not in site.text
            if is_used and _is_excluded(globs, path.relative_to(outer).parts):
                yield _report(f"“{name}” excludes it")


@lru_cache(maxsize=1024)
def _read_code(file: Path) -> str:
    return _COMMENT_LINE.sub("", read_configuration(file))


def _list_data_files(path: Path, site: Site) -> list[Path]:
    """Return the data files for a file and for its folders, innermost first."""
    stems = (path.with_suffix(""), *(outer / outer.name for outer in _list_folders(path, site)))
    return [
        stem.with_name(stem.name + suffix)
        for stem in stems
        for suffix in _DATA_SUFFIXES
        if os.path.lexists(f"{stem}{suffix}")
    ]


def _read_data(file: Path) -> Mapping[str, object]:
    fields = parse_configuration(file.suffix, _read_code(file))
    return {**fields, **_to_mapping(fields.get("eleventyComputed"))}


def _find_in_defaults(path: Path, site: Site, entries: Mapping[str, object]) -> Iterator[DraftReason]:
    known = set(map(normalize_key, entries))
    for name, fields in _list_defaults(path, site):
        new = {key: value for key, value in fields.items() if normalize_key(key) not in known}
        known |= set(map(normalize_key, new))
        for key, value in new.items():
            note = _report(f"“{name}” sets `{to_line(key)[:60]}` for files that do not set it").note
            for reason in privacy.find_in_front_matter({key: value}):
                yield replace(reason, note=note)


def _list_defaults(path: Path, site: Site) -> list[tuple[str, Mapping[str, object]]]:
    """Return the fields that files do not need to set, nearest first, each with the name of its source."""
    if site.generator == "eleventy":
        return [(file.name, _read_data(file)) for file in _list_data_files(path, site)]
    code = _COMMENT_LINE.sub("", site.text)
    texts = [sign for sign in signs.HIDING_TEXTS if sign.generator == site.generator]
    found = [sign.fields for sign in texts if sign.pattern.search(code)]
    if site.generator == "jekyll":
        found = list(_list_jekyll_defaults(_locate(path, site), site))
    return [(site.configuration, fields) for fields in found]


def _list_jekyll_defaults(parts: Sequence[str], site: Site) -> Iterator[dict[str, object]]:
    """Yield the values in `defaults` whose scope contains a file, the last ones first."""
    kind = next((part[1:] for part in parts[:-1] if part.startswith("_")), "pages")
    defaults = site.settings.get("defaults")
    for default in map(_to_mapping, reversed(defaults) if isinstance(defaults, list) else ()):
        scope = _to_mapping(default.get("scope"))
        glob = _to_glob(to_line(scope.get("path")), "start")
        if to_line(scope.get("type")) in ("", kind) and _is_excluded([glob], parts):
            yield _to_mapping(default.get("values"))
