"""Open the files of static site generators as one source of articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from blogapi.transfer import folder, identity, queries
from blogapi.transfer.article_record import TermRecord
from blogapi.transfer.markdown import paths, reader
from blogapi.transfer.markdown.terms import TermSources
from blogapi.transfer.reports import Item, read_item
from blogapi.transfer.sources import ImportOptions, LeftBehind


class MarkdownSource:
    """The Markdown, HTML and text files of one import; see `Source`."""

    def __init__(self, entries: Sequence[folder.Entry], options: ImportOptions) -> None:
        self._options = options
        stored, roots = queries.get_source_digests(), queries.get_roots()
        digest = reader.compute_source_digest
        # The keys of a second blog with the same paths begin with further folders, which are not terms.
        self._folders = {entry.path: paths.list_folders(entry.key) for entry in entries}
        self._entries = identity.separate_blogs(entries, stored, roots, digest)
        #: The keys under which files were imported before, by their keys in this import.
        self.matches: Mapping[str, str] = identity.match_entries(self._entries, stored, digest, roots)
        self.total = len(entries)
        self.hosts: set[str] = set()
        self.terms: Sequence[TermRecord] = ()
        self.left_behind = LeftBehind()
        self.notes: Sequence[str] = ()
        self.assets: Sequence[Path] = ()

    def read(self) -> Iterator[Item]:
        """Yield the record of each file, or the report of its refusal."""
        options = self._options
        outer_keys = identity.find_outer_keys(self._entries, self.matches)
        terms = TermSources(tags=options.tags_from, category=options.category_from)
        for entry in self._entries:
            read = partial(
                reader.read_file,
                entry,
                now=options.now,
                publish_undated=options.publish_undated,
                outer_key=outer_keys.get(entry.key, ""),
                terms=terms,
                folders=self._folders[entry.path],
            )
            yield read_item(entry.key, read)


def open_source(entries: Sequence[folder.Entry], options: ImportOptions) -> MarkdownSource:
    """Return the source of the files; the files that were imported before are recognised at once."""
    return MarkdownSource(entries, options)
