"""Find reasons why the generator of a site does not build a file: names, settings, ignore and data files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import accumulate, product
from pathlib import Path
from urllib.parse import unquote

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.formats.markdown.generators import (
    GeneratorSite,
    parse_configuration,
    read_configuration,
)
from blogapi.importing.texts.lines import normalize_key, to_bool, to_line, to_mapping

_COMMENT_LINE = re.compile(r"^[ \t]*+(?://|#).*", re.MULTILINE)
_QUOTED_TEXT = re.compile(r"[\"'`]([^\"'`\n]*+)[\"'`]")
# Matches a key of a mapping that is an address.
_ADDRESS_KEY = re.compile(r"[\"']\^?+(/[^\"'\n]*+)[\"']\s*+:")
# Matches `\.Rmd$`, `_cache$` and `drafts/.*\.md`.
_SIMPLE_REGEX = re.compile(r"(?:\.\*|\\?\.|[\w/ -])++\$?")
_LINK_TARGET = re.compile(r"\]\(\s*<?([^()<>\s]+)")
_TEXT_SUFFIXES = {".md", ".markdown", ".mdx", ".html", ".rst", ".txt", ".adoc", ".org", ".ipynb"}
_DATA_FORMATS = ("json", "yaml", "yml", "toml", "js", "cjs", "mjs", "ts")
_DATA_SUFFIXES = (".json", *(f".{kind}.{name}" for kind in ("11tydata", "data") for name in _DATA_FORMATS))


def find_unbuilt_reasons(
    path: Path, site: GeneratorSite, entries: Mapping[str, object], imported: Path = Path()
) -> Iterator[DraftReason]:
    """Yield a reason for each rule by which the generator does not build a file.

    `entries` is the front matter. If the user named an inner folder (`imported`), it counts as built.
    """
    folders = _list_built_folders(site)
    is_named = imported.is_relative_to(site.folder) and imported != site.folder
    is_named = is_named and not any(folder.is_relative_to(imported) for folder in folders)
    if folders and not is_named and not any(path.is_relative_to(folder) for folder in folders):
        first, *rest = path.relative_to(site.folder).parts
        note = f"It is outside of “{folders[0].name}”, the folder that the generator builds"
        yield replace(_make_reason(note), guess=f"folder:{first if rest else '.'}")
    yield from _find_unbuilt_names(path.relative_to(site.folder).parts, site)
    places = _list_relative_parts(path, site)
    for name, form in privacy_signs.EXCLUSION_SETTINGS.get(site.generator, {}).items():
        globs = _read_globs(site, name, form)
        if globs is None:
            unread = f"“{site.configuration}” contains `{name}`, which can hide files and was not understood"
            yield _make_reason(unread)
        elif any(_is_excluded(globs, parts) for parts in places):
            yield _make_reason(f"“{site.configuration}” excludes it by `{name}`")
    if site.generator == "eleventy":
        for outer, name in product(_list_outer_folders(path, site), privacy_signs.ELEVENTY_IGNORE_FILES):
            ignored = _value_to_globs(_read_without_comments(outer / name), "name") or ()
            is_used = name != ".gitignore" or "setUseGitIgnore(false" not in site.text
            if is_used and _is_excluded(ignored, path.relative_to(outer).parts):
                yield _make_reason(f"“{name}” excludes it")
    for name in privacy_signs.ASTRO_COLLECTIONS if site.generator == "astro" else ():
        if privacy_signs.ASTRO_EXCLUSION.search(_read_without_comments(site.folder / name)):
            unread = f"“{name}” contains `pattern` with `!`, which can hide files and was not understood"
            yield _make_reason(unread)
    known = set(map(normalize_key, entries))
    for name, fields in _list_default_fields(path, site):
        for key in (key for key in fields if normalize_key(key) not in known):
            note = _make_reason(f"“{name}” sets `{to_line(key)[:60]}` for files that do not set it").note
            yield from (
                replace(it, note=note)
                for it in privacy.find_draft_reasons_in_front_matter({key: fields[key]})
            )
        known.update(map(normalize_key, fields))


@lru_cache(maxsize=256)
def _list_built_folders(site: GeneratorSite) -> list[Path]:
    """Return the only folders that a generator builds; [] if they are unknown or contain no text files."""
    if site.generator not in privacy_signs.BUILT_FOLDERS or re.search(r"\bmounts\b", site.text):
        return []
    _, setting = privacy_signs.CONTENT_FOLDERS.get(site.generator, ("", "contentdir"))
    names = [to_line(site.settings.get(setting)) or privacy_signs.BUILT_FOLDERS[site.generator]]
    if site.generator == "hugo":
        names += re.findall(r"\bcontentDir[\"']?\s*[:=]\s*[\"']?([\w./-]+)", site.text, re.IGNORECASE)
    folders = [site.folder / name for name in names if name]
    has_files = any(file.suffix.lower() in _TEXT_SUFFIXES for it in folders for file in it.rglob("*.*"))
    return folders if has_files else []


def find_summary_reasons(path: Path, levels: int) -> Iterator[DraftReason]:
    """Yield a guess for a file that the SUMMARY.md of mdBook or GitBook does not list."""
    for outer in path.parents[:levels]:
        if listed := _read_summary(outer):
            if path not in listed and path.name != "SUMMARY.md":
                yield replace(_make_reason("“SUMMARY.md” does not list it"), guess="unlisted:SUMMARY.md")
            return


@lru_cache(maxsize=1024)
def _read_summary(folder: Path) -> frozenset[Path]:
    is_book = any(
        os.path.lexists(place / name)
        for place in (folder, folder.parent)
        for name in privacy_signs.BOOK_FILES
    )
    text = read_configuration(folder / "SUMMARY.md") if is_book else ""
    links = (unquote(link.partition("#")[0]) for link in _LINK_TARGET.findall(text))
    files = {Path(os.path.normpath(folder / link)) for link in links if link}
    return frozenset(files) if any(map(os.path.lexists, files)) else frozenset()


def _make_reason(reason: str) -> DraftReason:
    return DraftReason(f"{reason}; the article became a draft.")


def _find_unbuilt_names(parts: Sequence[str], site: GeneratorSite) -> Iterator[DraftReason]:
    file, include = parts[-1], site.settings.get("include")
    included = map(to_line, include if isinstance(include, list) else ())
    built = {"_posts", "_drafts", *(part for path in included for part in path.split("/"))}
    collections = to_mapping(site.settings.get("collections")).items()
    built |= {f"_{name}" for name, options in collections if to_bool(to_mapping(options).get("output"))}
    is_below = "/".join(parts).startswith(privacy_signs.UNBUILT_NAME_FOLDERS.get(site.generator, ""))
    names = privacy_signs.UNBUILT_NAMES.get(site.generator, ()) if is_below else ()
    # `privacy` reports file names that begin with “_”.
    for part in parts[:-1] if file.startswith("_") else parts:
        if part not in built and any(fnmatchcase(part, name) for name in names):
            generator = privacy_signs.GENERATOR_NAMES.get(site.generator, site.generator.capitalize())
            yield _make_reason(f"{generator} does not build names like “{part}”")
    if (
        site.generator == "jekyll"
        and "_posts" in parts[:-1]
        and not privacy_signs.JEKYLL_POST_NAME.fullmatch(file)
    ):
        yield _make_reason(f"Jekyll does not build names like “{file}”, without a date, in “_posts”")


def _list_relative_parts(path: Path, site: GeneratorSite) -> list[tuple[str, ...]]:
    """Return the parts of a file's path, relative to the folder to which paths in settings are relative.

    For a file outside of this folder, return the parts relative to each of its outer folders, because Pelican
    takes the folder from the command line.
    """
    below, setting = privacy_signs.CONTENT_FOLDERS.get(site.generator, ("", ""))
    base = site.folder / (to_line(site.settings.get(setting)) or below)
    if path.is_relative_to(base):
        return [path.relative_to(base).parts]
    parts = path.relative_to(site.folder).parts
    return [parts[start:] for start in range(len(parts))]


# The configuration is read once, and not again for each file.
@lru_cache(maxsize=1024)
def _read_globs(site: GeneratorSite, name: str, form: str) -> list[str] | None:
    """Return the globs in a setting that excludes files; None if they are not understood."""
    if normalize_key(name) in site.settings:
        return _value_to_globs(site.settings[normalize_key(name)], form)
    # The `settings` of a Python file contain only single words, so lists are searched for in its text.
    if site.settings and site.generator != "pelican" and form != "unread":
        return []
    # A list ends at `]` or `)`. With `address`, the setting is a nested mapping (VuePress Theme Hope), which
    # ends at `}}`.
    values = r"(?:[^}]|\}(?!\s*+,?+\s*+\}))*+" if form == "address" else r"[^\])]*+"
    setting = rf"(?<![\w$-]){re.escape(name)}[\"']?\s*+[:=(]({values})"
    texts = list[str]()
    for found in re.findall(setting, _read_without_comments(site.text)):
        new = (_ADDRESS_KEY if form == "address" else _QUOTED_TEXT).findall(found)
        is_understood = new if form == "address" else not _QUOTED_TEXT.sub("", found).strip("[(, \t\n")
        if not is_understood or form == "unread":
            return None
        texts += new
    return _value_to_globs(texts, form)


def _value_to_globs(value: object, form: str) -> list[str] | None:
    """Return the globs for the patterns in a list or in the lines of a text; None if they are not understood.

    Each glob is compared with the paths of a file and of its folders; `*` also matches `/`.
    """
    lines = _read_without_comments(value).splitlines() if isinstance(value, str) else value or ()
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return None
    # Patterns with `!` are ignored, so files that they include again become drafts.
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("!")]
    if form == "regex" and not all(map(_SIMPLE_REGEX.fullmatch, patterns)):
        return None
    return [_pattern_to_glob(pattern, form) for line in patterns for pattern in _list_alternatives(line)]


def _list_alternatives(pattern: str) -> list[str]:
    """Return a pattern for each alternative in the first group of a pattern: `*.{md,txt}` gives two."""
    start, _, rest = pattern.partition("{")
    group, brace, end = rest.partition("}")
    return [start + part + end for part in group.split(",")] if brace else [pattern]


def _pattern_to_glob(pattern: str, form: str) -> str:
    if form == "regex":
        glob = re.sub(r"\\?\.", "?", pattern.replace(".*", "*"))
        return f"*{glob[:-1]}" if glob.endswith("$") else f"*{glob}*"
    name = pattern.removeprefix("./")
    if form in ("start", "address"):
        name = f"{name.removesuffix('html')}*"
    name = name.rstrip("/")
    is_anywhere = name.startswith("**/") or (form == "name" and "/" not in name)
    return ("*/" if is_anywhere else "/") + name.removeprefix("**/").lstrip("/").replace("/**/", "/*")


def _is_excluded(globs: Sequence[str], parts: Sequence[str]) -> bool:
    places = list(accumulate(parts, "{}/{}".format, initial=""))[1:]
    return any(fnmatchcase(place, glob) for place in places for glob in globs)


@lru_cache(maxsize=1024)
def _read_without_comments(source: Path | str) -> str:
    return _COMMENT_LINE.sub("", read_configuration(source) if isinstance(source, Path) else source)


def _list_outer_folders(path: Path, site: GeneratorSite) -> list[Path]:
    """Return the folders of a file in its site, innermost first."""
    return [outer for outer in path.parents if outer.is_relative_to(site.folder)]


def _list_default_fields(path: Path, site: GeneratorSite) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the default values of a file's fields, nearest first, each with the file that sets them."""
    if site.generator == "jekyll" and site.settings:
        defaults = _list_jekyll_defaults(_list_relative_parts(path, site)[0], site)
        yield from ((site.configuration, values) for values in defaults)
        return
    for pattern, field in privacy_signs.HIDING_SETTINGS.get(site.generator, {}).values():
        if re.search(pattern, _read_without_comments(site.text)):
            yield site.configuration, {field: "private"}
    if site.generator == "hugo":
        cascade, parts = site.settings.get("cascade"), _list_relative_parts(path, site)
        places = ["/".join(it) for it in [*parts, *(it[1:] for it in parts if it[:1] == ("content",))]]
        for fields in map(to_mapping, cascade if isinstance(cascade, list) else [cascade]):
            target = to_mapping(fields.get("_target") or fields.get("target"))
            pattern = to_line(target.get("path")).strip("/{}").replace("**", "*")
            if not pattern or any(fnmatchcase(place, pattern) for place in places):
                own = {key: value for key, value in fields.items() if normalize_key(key) != "target"}
                yield site.configuration, own
    if site.generator != "eleventy":
        return
    for stem in (path.with_suffix(""), *(outer / outer.name for outer in _list_outer_folders(path, site))):
        for suffix in _DATA_SUFFIXES:
            if os.path.lexists(f"{stem}{suffix}"):
                file = stem.with_name(stem.name + suffix)
                fields = parse_configuration(file.suffix, _read_without_comments(file))
                # A program is not run; its fields that can hide files count as fields that hide them.
                hiding = privacy_signs.ELEVENTY_HIDING_FIELD.findall(_read_without_comments(file))
                found = fields or {key: ["unknown", "false"] for key in hiding}
                yield file.name, {**found, **to_mapping(fields.get("eleventyComputed"))}


def _list_jekyll_defaults(parts: Sequence[str], site: GeneratorSite) -> list[dict[str, object]]:
    """Return the values in `defaults` whose scope contains a file, first those with the narrowest scope."""
    kind = next((part[1:] for part in parts[:-1] if part.startswith("_")), "pages")
    defaults = site.settings.get("defaults")
    found = list[tuple[int, bool, dict[str, object]]]()
    for default in map(to_mapping, reversed(defaults) if isinstance(defaults, list) else ()):
        scope = to_mapping(default.get("scope"))
        start, of_kind = to_line(scope.get("path")), to_line(scope.get("type"))
        if of_kind in ("", kind) and _is_excluded([_pattern_to_glob(start, "start")], parts):
            found.append((len(start), bool(of_kind), to_mapping(default.get("values"))))
    return [values for *_, values in sorted(found, key=lambda it: it[:2], reverse=True)]
