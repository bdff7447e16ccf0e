"""The declaration of a format: its name, and the functions that recognise and read its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import FileSource, ImportOptions, Source
from blogapi.importing.format_api.source_files import Entry

#: The version of the interface `format_api`. Within a version, only names and fields with defaults are added.
CONTRACT_VERSION = 1

OpenSource = Callable[[Sequence[Entry], ImportOptions], Source]
ReadFile = Callable[[Entry, ImportOptions], Iterable[ArticleRecord]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of the files of other systems."""

    name: str  #: the value of the option `--format`
    contract: int  #: the CONTRACT_VERSION for which the format was written
    #: returns whether a file has the format, by its first bytes (at most 16 KiB)
    detect: Callable[[Entry, bytes], bool]
    #: returns the source that reads all files of the format in one import
    open_source: OpenSource


def read_each(read_file: ReadFile) -> OpenSource:
    """Return an `open_source` for a format whose files do not depend on each other.

    `read_file` yields the records of one file; it raises RefusedFile or NotAnArticle if there are none.
    """
    return partial(_SingleFiles, read_file)


class _SingleFiles(FileSource):
    def __init__(self, read_file: ReadFile, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self._read_file = read_file

    def read_entry(self, entry: Entry) -> Iterable[ArticleRecord]:
        return self._read_file(entry, self.options)
