"""The files of static site generators as one source: keys, languages, translations, pages and terms."""

from __future__ import annotations

import filecmp
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from blogapi.importing.format_api.article_record import ArticleRecord, TermRecord
from blogapi.importing.format_api.report import Item
from blogapi.importing.format_api.source import CONTRACT_VERSION, FileSource, Format, ImportOptions
from blogapi.importing.format_api.source_files import Entry, escape_file_name
from blogapi.importing.formats.markdown import generators, paths, permalinks, reader
from blogapi.importing.formats.markdown.terms import read_term_page
from blogapi.importing.texts.languages import add_language, read_language
from blogapi.rendering.slugs import make_term_key

_MAX_KEY_LENGTH = 255


class LanguageFinder:
    """Finds the language of each file in an import, and the key that the translations of the file share."""

    def __init__(self, keys: Iterable[str]) -> None:
        articles = {key for key in keys if not paths.is_section(key)}
        self._folders = _find_language_folders(articles)
        languages = defaultdict[str, set[str]](set)
        for key in articles:
            language, path = self.find_language(key)
            languages[path].add(language)
        self._shared = {path for path, found in languages.items() if len(found) > 1}

    def find_language(self, key: str) -> tuple[str, str]:
        """Return the language in the path of a file, or "", and the path without the language."""
        segments = key.split("/")
        language = read_language(paths.get_language(key))
        if language:
            stem, _, suffix = segments[-1].rpartition(".")
            segments[-1] = f"{stem.rpartition('.')[0]}.{suffix}"
        for place, folder in enumerate(segments[:-1]):
            if "/".join(segments[: place + 1]) in self._folders:
                language = language or read_language(folder)
                del segments[place]
                # Some files repeat the language of their folder: `en/blog/post-en.md`.
                segments[-1] = re.sub(rf"-{re.escape(folder)}(?=\.[^.]*$)", "", segments[-1])
                break
        return language, "/".join(segments)

    def get_translation_key(self, path: str) -> str:
        """Return the translation key of the files whose path without the language is `path`.

        The key is "" for a single file. It does not contain the imported folder, which can be renamed later.
        """
        name = path.partition("/")[2].rpartition(".")[0].removesuffix("/index")
        return name[-_MAX_KEY_LENGTH:] if path in self._shared else ""


def _find_language_folders(keys: Iterable[str]) -> set[str]:
    # The files below each folder whose name is a language, by the parent and the name of the folder.
    files = defaultdict[str, defaultdict[str, set[str]]](lambda: defaultdict(set))
    others = defaultdict[str, set[str]](set)
    for key in keys:
        for parent, folder, rest in _split_at_each_folder(key):
            if read_language(folder):
                files[parent][folder].add(rest)
                break
        for parent, folder, rest in _split_at_each_folder(key):
            others[parent].add(f"{folder}/{rest}")
    return {
        f"{parent}/{folder}"
        for parent, folders in files.items()
        if _are_language_folders(parent, folders.values(), others[parent])
        for folder in folders
    }


def _split_at_each_folder(key: str) -> Iterator[tuple[str, str, str]]:
    """Yield (path of the parent, name, rest of the key) for each folder below the imported folder."""
    segments = key.split("/")
    for place in range(1, len(segments) - 1):
        yield "/".join(segments[:place]), segments[place], "/".join(segments[place + 1 :])


def _are_language_folders(parent: str, folders: Iterable[set[str]], others: set[str]) -> bool:
    seen = set[str](others)
    number, total = 0, 0
    for files in folders:
        if not seen.isdisjoint(files):
            return True
        seen |= files
        number, total = number + 1, total + len(files)
    is_content = parent.rpartition("/")[2] == "content"
    return (number > 1 or is_content) and total == len(others)


def assign_keys(entries: Sequence[Entry], roots: Mapping[str, str]) -> list[tuple[Entry, str]]:
    """Return each file with its key, and the key of its earlier import ("" = it was not imported before).

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
    """Return the keys of the entries: paths below `base`, or below an outer folder if the keys are taken."""
    while True:
        outer = "".join(f"{escape_file_name(name)}/" for name in parent.relative_to(base).parts)
        keys = {entry.path: outer + entry.key for entry in entries}
        if base == base.parent or not _are_keys_taken(keys, roots):
            return keys
        base = base.parent


def _are_keys_taken(keys: Mapping[Path, str], roots: Mapping[str, str]) -> bool:
    """Return whether the keys belong to other files that still exist, most of them with other contents."""
    others = [(path, Path(roots[key], key)) for path, key in keys.items() if key in roots]
    others = [(path, other) for path, other in others if other != path and other.exists()]
    equal = 0
    for path, other in others:
        with suppress(OSError):
            equal += filecmp.cmp(path, other, shallow=False)
    return 2 * equal < len(others)


class MarkdownSource(FileSource):
    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        # The new keys can begin with folders outside of the site (see `assign_keys`), which are not terms.
        given = LanguageFinder(entry.key for entry in entries)
        places = ((entry.path, given.find_language(entry.key)[1]) for entry in entries)
        self._folders = {path: paths.list_term_folders(place) for path, place in places}
        files = assign_keys(entries, options.roots)
        keys = [entry.key for entry, _ in files]
        self._translations = LanguageFinder(keys)
        keys = [*options.roots, *keys]
        # In Jekyll and Hexo, a file beside the folder of posts is a page, unless it is in another collection.
        self._sites = tuple({f"{key.partition('/_posts/')[0]}/" for key in keys if "/_posts/" in key})
        self._page_keys = {paths.get_page_path(key): key for key in keys}
        self._former_keys = {entry.path: former_key for entry, former_key in files}
        moved = {entry.key for entry, former_key in files if former_key in options.imported_keys}
        options = replace(options, imported_keys=options.imported_keys | moved)
        super().__init__([entry for entry, _ in files], options)

    def read(self) -> Iterator[Item]:
        names: dict[tuple[str, str], str] = {}
        above: dict[str, TermRecord] = {}
        for item in super().read():
            if isinstance(item, ArticleRecord):
                terms = [("category", item.category), *(("tag", tag) for tag in item.tags)]
                names |= {(kind, make_term_key(name)): name for kind, name in terms if name}
                path = (*item.categories_above, item.category)
                # A category keeps the first parent found.
                for parent, name in pairwise(("", *path) if len(path) > 1 else ()):
                    term = TermRecord(kind="category", name=name, parent=parent)
                    first = above.setdefault(make_term_key(name), term)
                    if first.parent.casefold() != parent.casefold():
                        place = f"below “{first.parent}”" if first.parent else "at the top"
                        note = f"The category “{name}” has several parents in the old blog"
                        self.notes = list(dict.fromkeys([*self.notes, f"{note}; here it is only {place}."]))
            yield item
        pages = (read_term_page(entry, names) for entry in self.entries)
        self.terms = [*above.values(), *(page for page in pages if page and page.fields)]

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        options = self.options
        record = reader.read_article(entry, options, self._folders[entry.path])
        site = reader.find_site(entry)
        notes = (
            [generators.describe_zones(site, options.time_zone), permalinks.describe_lost_addresses(site)]
            if site
            else []
        )
        self.notes = list(dict.fromkeys(filter(None, (*self.notes, *notes))))
        language, path = self._translations.find_language(record.key)
        language = record.language or language
        key = record.translation_key or self._translations.get_translation_key(path)
        slug = record.slug
        if slug and key and language not in ("", options.language):
            slug = add_language(slug, language)
        record = replace(record, language=language, translation_key=key, slug=slug)
        is_in_collection = any(name.startswith("_") for name in record.key.split("/")[:-1])
        if record.is_page or (record.key.startswith(self._sites) and not is_in_collection):
            above = paths.get_page_path(record.key).rpartition("/")[0]
            record = replace(record, is_page=True, parent_key=self._page_keys.get(above, ""))
        return (replace(record, former_key=self._former_keys[entry.path]),)


# This format is tried last, and accepts every file.
FORMAT = Format(
    name="markdown", contract=CONTRACT_VERSION, detect=lambda *_: True, open_source=MarkdownSource
)
