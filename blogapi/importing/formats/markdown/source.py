"""Open the files of static site generators as one source of articles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from blogapi.importing.format_api.article_record import ArticleRecord, TermRecord
from blogapi.importing.format_api.format import CONTRACT_VERSION, Format
from blogapi.importing.format_api.report import Item
from blogapi.importing.format_api.source import FileSource, ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.markdown import generators, identity, paths, permalinks, reader
from blogapi.importing.formats.markdown.terms import read_term_page
from blogapi.importing.formats.markdown.translations import Translations
from blogapi.importing.texts.languages import add_language
from blogapi.rendering.slugs import make_term_key


class MarkdownSource(FileSource):
    """Reads the Markdown, HTML and text files of one import."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        # `identify` can put outer folders before a key; they are not categories or tags.
        self._translations = Translations(entry.key for entry in entries)
        places = {entry.path: self._translations.find(entry.key)[1] for entry in entries}
        self._folders = {path: paths.list_folders(place) for path, place in places.items()}
        # Jekyll and Hexo make pages of all files beside the folder of posts that are in no other collection.
        self._sites = tuple(
            {f"{entry.key.partition('/_posts/')[0]}/" for entry in entries if "/_posts/" in entry.key}
        )
        self._page_keys = {paths.get_page_path(entry.key): entry.key for entry in entries}
        files = identity.identify(entries, options.roots)
        self._former_keys = {entry.path: former_key for entry, former_key in files}
        moved = {entry.key for entry, former_key in files if former_key in options.imported_keys}
        options = replace(options, imported_keys=options.imported_keys | moved)
        super().__init__([entry for entry, _ in files], options)

    def read(self) -> Iterator[Item]:
        """Yield the record of each file, or the report of its refusal."""
        names: dict[tuple[str, str], str] = {}
        above: dict[str, TermRecord] = {}
        for item in super().read():
            if isinstance(item, ArticleRecord):
                terms = [("category", item.category), *(("tag", tag) for tag in item.tags)]
                names |= {(kind, make_term_key(name)): name for kind, name in terms if name}
                self._add_path(above, (*item.categories_above, item.category))
            yield item
        pages = (read_term_page(entry, names) for entry in self.entries)
        self.terms = [*above.values(), *(page for page in pages if page and page.fields)]

    def _add_path(self, found: dict[str, TermRecord], categories: Sequence[str]) -> None:
        """Add the categories of a path with their parents; a category keeps the first parent found."""
        for parent, name in pairwise(("", *categories) if len(categories) > 1 else ()):
            term = TermRecord(kind="category", name=name, parent=parent)
            first = found.setdefault(make_term_key(name), term)
            if first.parent.casefold() != parent.casefold():
                place = f"below “{first.parent}”" if first.parent else "at the top"
                note = f"The category “{name}” has several parents in the old blog; here it is only {place}."
                self.notes = list(dict.fromkeys([*self.notes, note]))

    def read_entry(self, entry: Entry) -> tuple[ArticleRecord]:
        options = self.options
        record = reader.read_file(entry, options, self._folders[entry.path])
        site = reader.find_site(entry)
        notes = (
            [generators.describe_zones(site, options.time_zone), permalinks.describe_lost(site)]
            if site
            else []
        )
        self.notes = list(dict.fromkeys(filter(None, (*self.notes, *notes))))
        record = self._add_parent_page(self._add_language(record))
        return (replace(record, former_key=self._former_keys[entry.path]),)

    def _add_parent_page(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record; if it is a page, with the key of its parent page."""
        is_in_collection = any(name.startswith("_") for name in record.key.split("/")[:-1])
        if not (record.is_page or (record.key.startswith(self._sites) and not is_in_collection)):
            return record
        above = paths.get_page_path(record.key).rpartition("/")[0]
        return replace(record, is_page=True, parent_key=self._page_keys.get(above, ""))

    def _add_language(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record with its language, its translation key, and a slug for the language."""
        language, path = self._translations.find(record.key)
        language = record.language or language
        key = record.translation_key or self._translations.get_key(path)
        slug = record.slug
        if slug and key and language not in ("", self.options.language):
            slug = add_language(slug, language)
        return replace(record, language=language, translation_key=key, slug=slug)


def detect(entry: Entry, head: bytes) -> bool:
    """Return True: this format is tried last."""
    return True


FORMAT = Format(name="markdown", contract=CONTRACT_VERSION, detect=detect, open_source=MarkdownSource)
