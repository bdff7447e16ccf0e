"""The interface between an import and the formats: options, sources, and the declaration of a format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from blogapi.importing.format_api.article_record import ArticleRecord, TermRecord
from blogapi.importing.format_api.report import Item, report_problem
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.refusals import NotAnArticle, RefusedFile
from blogapi.importing.texts.dates import Zones

#: The value of `define_fields` with which an import defines no custom fields.
DEFINE_NONE = "none"

UNREAD_RULES_DRAFT = "draft"
UNREAD_RULE_CHOICES = (UNREAD_RULES_DRAFT, "public")
#: The version of the interface `format_api`. A change within a version only adds names and optional fields.
CONTRACT_VERSION = 1


class CustomField(Protocol):
    name: str  #: the name of the field in the API
    is_list: bool  #: whether an article has a list of such values


class CustomFieldFinder:
    """Finds custom fields by the names of fields in a source, in any spelling. This base class finds none."""

    def find(self, key: str) -> CustomField | None:
        """Return the custom field for the field `key` of a source, or None."""
        return None

    def convert_entries(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of entries that match custom fields, by the names of the custom fields."""
        return {}

    def guess_types(self, value: Any) -> Set[str]:
        """Return the types of fields that could take the value; empty if none can."""
        return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The options of the `import` command that formats need."""

    now: datetime  #: the time of the import (aware, UTC)
    publish_undated: bool = False  #: whether Markdown files without front matter and date are published
    base_url: str = ""  #: the former address of the blog, without a slash at the end; "" = as the source says
    tags_from: tuple[str, ...] = ()  #: front matter fields whose values become tags, or "folder"
    category_from: tuple[str, ...] = ()  #: front matter fields whose value becomes the category, or "folder"
    language: str = "en"  #: the language of the site
    pages: str = "keep"  #: "skip" = pages are not imported
    post_types: tuple[str, ...] = ()  #: further post types of WordPress that are imported
    #: the custom fields of the blog, which get the values of source fields with their names
    custom_fields: CustomFieldFinder = field(default_factory=CustomFieldFinder)
    #: the folders of earlier imports, by the keys of their files
    roots: Mapping[str, str] = field(default_factory=dict)
    #: the keys of earlier imports whose articles exist; an item that the former blog does not show is then a
    #: draft instead of being skipped, so that its article does not stay public
    imported_keys: Set[str] = frozenset()
    #: who can read the custom fields that the import defines for unknown fields; DEFINE_NONE = define none
    define_fields: str = DEFINE_NONE
    assets: tuple[Path, ...] = ()  #: folders in which media files are looked up
    time_zone: tzinfo = UTC  #: the time zone of the site
    #: the status of articles that rules of plugins may have hidden: one of UNREAD_RULE_CHOICES
    unread_rules: str = UNREAD_RULES_DRAFT

    @property
    def zones(self) -> Zones:
        """The time zones of dates and times without an offset, if the source has no rule of its own."""
        return Zones(self.time_zone, self.time_zone)


@dataclass
class Source(ABC):
    """The files of one format in an import; a subclass implements `read`.

    `read` is called once, and can be interrupted. The attributes are complete when `read` has ended.
    """

    #: the number of steps of `read` for the progress bar; an estimate is enough
    total: int
    #: the hosts of the blog in lower case, each with the path of the blog (`example.com/blog`)
    hosts: Set[str] = frozenset()
    #: categories, tags and authors with their details; new terms are created before the articles
    terms: Sequence[TermRecord] = ()
    #: the numbers of items that are not imported, by the name of their kind in the report ("comments")
    left_behind: Counter[str] = field(default_factory=Counter)
    #: sentences about the whole source, for example that a file was repaired
    notes: Sequence[str] = ()
    #: the plugins that hid articles by rules that are not in the source ("MemberPress"); "" = none
    unread_rules: str = ""
    #: folders of the source in which its media files are looked up, in addition to the user's folders
    assets: Sequence[Path] = ()

    @abstractmethod
    def read(self) -> Iterator[Item]:
        """Yield the record of each article, and a report for each file or item that gives no record.

        A broken item gives a report; only programming errors raise exceptions.
        """


#: The name of `Source` in formats that other packages have written for this contract.
SourceData = Source


class FileSource(Source):
    """A source that reads its files one after another; a subclass implements `read_entry`."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(total=len(entries))
        self.entries, self.options = entries, options
        self.hosts: set[str] = set()
        self.notes: list[str] = []

    def read(self) -> Iterator[Item]:
        """Yield what `read_entry` returns for each file, or the report of its refusal."""
        for entry in self.entries:
            try:
                if entry.problem:
                    raise entry.problem
                yield from self.read_entry(entry)
            except (NotAnArticle, RefusedFile) as error:
                yield report_problem(entry.key, error)

    def estimate_items(self, bytes_per_item: int) -> int:
        """Return an estimate of the number of items in the files, for the progress bar."""
        number = 0
        for entry in self.entries:
            with suppress(OSError, ValueError):
                number += max(1, entry.path.lstat().st_size // bytes_per_item)
        return number

    @abstractmethod
    def read_entry(self, entry: Entry) -> Iterable[Item]:
        """Return the records and reports of a file; raises RefusedFile or NotAnArticle to skip the rest."""


SourceOpener = Callable[[Sequence[Entry], ImportOptions], Source]
FileReader = Callable[[Entry, ImportOptions], Iterable[ArticleRecord]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    name: str  #: the value of the option `--format`
    contract: int  #: the CONTRACT_VERSION for which the format was written
    #: returns whether a file has the format, by its first bytes (at most 16 KiB)
    detect: Callable[[Entry, bytes], bool]
    #: returns the source that reads all files of the format in one import
    open_source: SourceOpener


def read_each(read_file: FileReader) -> SourceOpener:
    """Return an `open_source` for a format whose files do not depend on each other.

    `read_file` yields the records of one file; it raises RefusedFile or NotAnArticle if there are none.
    """
    return partial(_SingleFileSource, read_file)


class _SingleFileSource(FileSource):
    def __init__(self, read_file: FileReader, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(entries, options)
        self._read_file = read_file

    def read_entry(self, entry: Entry) -> Iterable[ArticleRecord]:
        return self._read_file(entry, self.options)
