"""Run an import in two phases: read all sources, then store their articles.

The targets of links are known only after all sources were read; until then, the records are in a spool file.
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

from blogapi.cli import ProgressReporter
from blogapi.importing import queries
from blogapi.importing.blogapi_export.source import ExportSource
from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord
from blogapi.importing.format_api.hidden_parts import apply_hiding_signs
from blogapi.importing.format_api.report import FileReport, Item, Result, report_problem
from blogapi.importing.format_api.source import UNREAD_RULES_DRAFT, ImportOptions, Source
from blogapi.importing.links.addresses import normalize_host, to_blog_address
from blogapi.importing.links.index import LinkIndex, get_blog_prefix
from blogapi.importing.links.record_links import RecordLinkFinder
from blogapi.importing.links.rewriting import rewrite_addresses
from blogapi.importing.media.imported_media import list_extensions
from blogapi.importing.refusals import NotAnArticle
from blogapi.importing.storing.custom_fields import NewFieldCollector
from blogapi.importing.storing.earlier_imports import keep_date
from blogapi.importing.storing.service import Importer, make_batches
from blogapi.importing.storing.terms import store_terms
from blogapi.importing.templates.containers import resolve_containers
from blogapi.importing.templates.mdx import resolve_components
from blogapi.importing.templates.template_tags import resolve_templates
from blogapi.importing.templates.wiki_links import resolve_wiki_links
from blogapi.importing.texts.lines import describe_removed_characters
from blogapi.importing.texts.media_references import get_extension
from blogapi.importing.texts.messages import describe_unread_rules, join_counts
from blogapi.publication.visibility import READABLE_STATUSES
from blogapi.rendering import plain_text
from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from blogapi.rendering.slugs import make_slug
from blogapi.site.queries import get_site
from blogapi.web.fields import resolve_limit

# An address, also at the CDN of WordPress: `https://i0.wp.com/example.com/x.jpg`. A query only selects
# the size of a picture.
_ADDRESS = re.compile(
    r"(?:https?:)?//(?:i[0-9]\.wp\.com/)?(?P<host>[^/?#]++)/++(?P<path>[^?#\n]++)(?:\?[^#]*+)?"
    r"(?P<fragment>#.*)?",
    re.IGNORECASE,
)
_NAME_SEPARATOR = re.compile(r"[,;]|\sand\s")
# The notes in the report of an article that is not stored yet.
NOT_REACHED_NOTES = ("The import ended before it reached this article; import the file again.",)


class HostedFileFinder:
    """Finds media files by addresses on `hosts`; `exists` returns whether a root-relative path exists."""

    def __init__(self, hosts: Collection[str], exists: Callable[[str], bool]) -> None:
        names = {normalize_host(host.partition("/")[0]) for host in hosts}
        # The files of a blog on wordpress.com are on a host of their own.
        blogs = (name.removesuffix(".wordpress.com") for name in names if name.endswith(".wordpress.com"))
        self._hosts = names | {f"{blog}.files.wordpress.com" for blog in blogs}
        self._exists = exists
        self._found: dict[str, bool] = {}

    def find_path(self, address: str) -> str | None:
        """Return the path of an existing file of the blog; None for any other address."""
        match = _ADDRESS.fullmatch(address) if "//" in address else None
        if match is None or normalize_host(match["host"]) not in self._hosts:
            return None
        path = f"/{match['path']}"
        if get_extension(path) not in list_extensions():
            return None
        if path not in self._found:
            self._found[path] = self._exists(path)
        return path + (match["fragment"] or "") if self._found[path] else None

    def count_remote_files(self) -> int:
        """Return the number of looked-up files that do not exist, so that their addresses stay unchanged."""
        return sum(not exists for exists in self._found.values())


def resolve_record(
    record: ArticleRecord, index: LinkIndex, has_file: Callable[[str], bool]
) -> tuple[ArticleRecord, Counter[str], int]:
    """Return the record with its template tags, links and pictures resolved; the record must be in the index.

    Also return the numbers of unresolved template tags and wiki links by name, and of media files that stay
    on the former host. `has_file` returns whether the media file at a root-relative path will be found.
    """
    if record.uuid is not None:
        return record, Counter(), 0
    targets, notes, unresolved = RecordLinkFinder(index, record), list(record.notes), Counter[str]()
    content = record.content
    if record.has_templates:
        steps = (resolve_templates, resolve_wiki_links, resolve_containers)
        for resolve in (resolve_components, *steps) if record.is_mdx else steps:
            resolved = resolve(content, record.content_type, targets)
            content = resolved.content
            unresolved += resolved.unresolved
            notes += resolved.notes
        if unresolved:
            notes.append(
                "Template tags and wiki links that only the old blog understands stay in the text: "
                f"{join_counts(unresolved)}."
            )
    if not content.strip():
        notes.append("The article has no text.")
    files = HostedFileFinder(index.hosts, has_file)
    content = rewrite_addresses(content, record.content_type, targets.find_new_address, files.find_path)
    remote_files = files.count_remote_files()
    record = replace(
        record,
        content=content,
        notes=tuple(notes),
        cover_image=files.find_path(record.cover_image) or record.cover_image,
        og_image=files.find_path(record.og_image) or record.og_image,
    )
    return record, unresolved, remote_files


@contextmanager
def open_spool() -> Iterator[Spool]:
    """Yield an empty spool, whose file is deleted at the end."""
    with TemporaryFile("w+b", prefix="blogapi-import-") as file:
        yield Spool(file)


class Spool:
    """A temporary file that keeps records in the order in which they were added."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._offsets: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def __contains__(self, key: str) -> bool:
        return key in self._offsets

    def add_record(self, record: ArticleRecord) -> None:
        """Add a record; its key must be new."""
        self._offsets[record.key] = self._file.seek(0, 2)
        pickle.dump(record, self._file, pickle.HIGHEST_PROTOCOL)

    def read_records(self, keys: Iterable[str] | None = None) -> Iterator[ArticleRecord]:
        """Yield the records with these keys in the order of the file (None: all)."""
        wanted = None if keys is None else set(keys)
        for key, offset in self._offsets.items():
            if wanted is None or key in wanted:
                self._file.seek(offset)
                # The file has no name and contains only what `add_record` has written.
                record: ArticleRecord = pickle.load(self._file)  # noqa: S301
                yield record


class ImportRun:
    """One import of all `sources`; the keys of `sources` are the names of their formats."""

    def __init__(
        self, importer: Importer, sources: Mapping[str, Source], spool: Spool, options: ImportOptions
    ) -> None:
        self._importer, self._spool, self.state = importer, spool, importer.state
        self._new_fields = NewFieldCollector(options.define_fields)
        self.sources = sources
        self._unread_rules, self._skips_pages = options.unread_rules, options.pages == "skip"
        #: The sources of the records by their keys.
        self._sources_by_key: dict[str, Source] = {}
        self._index, self._now = LinkIndex(get_site(), options.now), options.now
        self._index.hosts |= {to_blog_address(options.base_url)} - {""}
        #: The slug, the title and the file of the first record with each key.
        self._first_records: dict[str, tuple[str, str, str]] = {}
        #: The keys of records whose article is not public according to another file.
        self._private_keys: set[str] = set()
        #: The number of uses of each template tag that blogapi cannot convert.
        self.unresolved: Counter[str] = Counter()
        #: The number of media files that articles still show from the former host.
        self.remote_file_count = 0
        #: The number of pages among the records.
        self.page_count = 0
        #: Sentences about whole sources and the whole import.
        self.notes: list[str] = []
        #: The reports in the order in which the files and items were read.
        self.reports: list[FileReport] = []
        #: The index of each record's report in `reports`, by the key of the record.
        self._report_indexes: dict[str, int] = {}

    @property
    def unread_rules(self) -> str:
        """The plugins whose rules are not in the sources; "" = none."""
        return ", ".join(sorted({source.unread_rules for source in self.sources.values()} - {""}))

    def count_left_behind(self) -> dict[str, Counter[str]]:
        """Return the numbers of items that were not imported, by the name of the format."""
        counts = {name: Counter(source.left_behind) for name, source in self.sources.items()}
        return {name: counter for name, counter in counts.items() if counter}

    def import_sources(self, show_progress: ProgressReporter) -> None:
        """Read and store everything; `reports` then has a report for each file or item."""
        self._read_sources(show_progress)
        self._store_terms()
        self._store_articles(show_progress)
        self.notes += self._describe_unread_rules()
        self.notes += self.state.guesses.list_notes()
        with self._importer.open_transaction():
            self.state.guesses.store_lifted_guesses()
        self._importer.set_missing_parents()
        for source in self.sources.values():
            if isinstance(source, ExportSource):
                self.reports += source.restore_working_copies(self._importer)

    def _read_sources(self, show_progress: ProgressReporter) -> None:
        for source in self.sources.values():
            if isinstance(source, ExportSource):
                self.reports += source.restore_blog_data(self._importer)
        imported_articles = queries.get_imported_articles()
        items = ((source, item) for source in self.sources.values() for item in source.read())
        total = sum(source.total for source in self.sources.values())
        for source, item in show_progress(items, total=total, label="Reading"):
            record = self._clean_or_skip_record(item, source) if isinstance(item, ArticleRecord) else item
            if isinstance(record, FileReport):
                self.reports.append(record)
                continue
            self._sources_by_key[record.key] = source
            self.page_count += record.is_page
            self._new_fields.collect_fields(record)
            self.state.guesses.count_guesses(record)
            # `_store_articles` replaces this report.
            self._report_indexes[record.key] = len(self.reports)
            self.reports.append(FileReport(record.key, Result.SKIPPED, notes=NOT_REACHED_NOTES))
            key = record.former_key or record.key
            uuid, imported, times = imported_articles.pop(key, (None, None, ()))
            slug = imported.slug if imported else make_slug(record.slug or record.title)
            dated = keep_date(record, imported.published_at, times, self._now) if imported else record
            if imported and record.unlifted and imported.status in READABLE_STATUSES:
                # A guess does not make a public article a draft.
                dated = replace(dated, status=imported.status)
            self._index.add_record(dated, slug, uuid)
            self._spool.add_record(record)
        # Links can also lead to articles of an earlier import of the same blog.
        blogs = {target.blog for target in self._index.targets.values()}
        for uuid, imported, _ in imported_articles.values():
            if get_blog_prefix(imported.key) in blogs and imported.key not in self._index.targets:
                self._index.add_record(imported, imported.slug, uuid)

    def _clean_or_skip_record(self, record: ArticleRecord, source: Source) -> Item:
        if record.is_page and self._skips_pages:
            source.left_behind["pages"] += 1
            problem = NotAnArticle("It is a page, and pages are not imported.")
            title = record.title if record.source else ""
            return report_problem(record.key, problem, record.source, title)
        return self._skip_if_duplicate(self.state.guesses.apply_to_record(clean_record(record)))

    def _skip_if_duplicate(self, record: ArticleRecord) -> Item:
        """Return the record, or a report if the same article was read before.

        Several exports of a blog can contain the same article. Exports of blogs with the same address, such
        as test blogs, can contain different articles with the same id; the second article gets another key.
        """
        slug = record.slug or make_slug(record.title)
        first = self._first_records.setdefault(record.key, (slug, record.title, record.source))
        if record.key not in self._spool:
            return record
        if slug != first[0] and record.title != first[1]:
            return self._skip_if_duplicate(replace(record, key=f"{record.key}:{slug}"))
        if record.status not in READABLE_STATUSES:
            self._private_keys.add(record.key)
            self._index.targets[record.key].public_from = None
        reason = f"“{first[2]}” contains this article too; to use the version here, import only this file."
        return report_problem(record.key, NotAnArticle(reason), record.source, record.title)

    def _store_terms(self) -> None:
        """Store the terms of the sources, and use their media folders, hosts and notes in the import."""
        for source in self.sources.values():
            self._importer.media.file_finder.add_folders(source.assets)
            self._index.hosts |= source.hosts
            self.notes += source.notes
            terms = remove_forbidden_characters(list(source.terms), [])
            self.notes += store_terms(self.state, terms, self._importer.open_transaction)
        self.notes += self._new_fields.define_fields(dry_run=self.state.dry_run)

    def _store_articles(self, show_progress: ProgressReporter) -> None:
        records = show_progress(self._resolve_records(), total=len(self._spool), label="Importing")
        outdated: set[str] = set()
        for batch in make_batches(records):
            for report in self._importer.store_batch(batch):
                self.reports[self._report_indexes[report.key]] = report
                if report.slug:
                    outdated.update(self._index.set_slug(report.key, report.slug))
        # Correct the links to articles that got another slug than expected.
        if outdated and not self.state.dry_run:
            corrected = (self._resolve_record(record)[0] for record in self._spool.read_records(outdated))
            for batch in make_batches(corrected):
                self._importer.store_batch(batch)

    def _describe_unread_rules(self) -> Iterator[str]:
        if not self.unread_rules:
            return
        rules = f"The rules of {self.unread_rules}, which cannot be read,"
        if self._unread_rules != UNREAD_RULES_DRAFT:
            yield f"{rules} hid nothing, as the options of the import say."
            return
        notes = {describe_unread_rules(source.unread_rules) for source in self.sources.values()}
        drafts = sum(not notes.isdisjoint(report.notes) for report in self.reports)
        yield (
            f"{rules} can hide articles. New articles that became drafts for this reason: {drafts:,}. If "
            "the rules hid nothing, import the articles as public ones (--unread-rules public)."
        )
        if public_here := len(self.state.public_unread):
            number = f"Public here, rules unread: {public_here:,}."
            yield f"{number} These articles were imported before and keep their status."

    def _resolve_records(self) -> Iterator[ArticleRecord]:
        for record in self._spool.read_records():
            resolved, unresolved, remote_files = self._resolve_record(record)
            self.unresolved.update(unresolved)
            self.remote_file_count += remote_files
            yield resolved

    def _resolve_record(self, record: ArticleRecord) -> tuple[ArticleRecord, Counter[str], int]:
        if record.key in self._private_keys and record.status in READABLE_STATUSES:
            note = "Another file says that it is not public; it became a draft."
            record = replace(record, status="draft", notes=(*record.notes, note))
        if self._unread_rules == UNREAD_RULES_DRAFT:
            record = replace(record, unread_rules=self._sources_by_key[record.key].unread_rules)
        has_file = partial(self._importer.media.has_file, record=record)
        return resolve_record(self._new_fields.add_custom_values(record), self._index, has_file)


def clean_record(record: ArticleRecord) -> ArticleRecord:
    """Return the record without forbidden characters and hidden parts, and with notes about them."""
    removed: list[str] = []
    cleaned: ArticleRecord = remove_forbidden_characters(record, removed)
    if removed:
        record = replace(cleaned, notes=(*cleaned.notes, describe_removed_characters(len(removed))))
    return split_long_author_names(apply_hiding_signs(record))


def split_long_author_names(record: ArticleRecord) -> ArticleRecord:
    """Return the record with author names that the API accepts, and with a note if a name was too long.

    A long name is split at commas, semicolons and `and`; parts that are still too long are cut.
    """
    limit = resolve_limit("MAX_NAME")
    if all(len(author.name) <= limit for author in record.authors):
        return record
    authors: dict[str, AuthorRecord] = {}
    for author in record.authors:
        names = [author.name] if len(author.name) <= limit else _NAME_SEPARATOR.split(author.name)
        for name in (plain_text.shorten_text(name, limit) for name in map(str.strip, names) if name):
            authors.setdefault(name.casefold(), author if name == author.name else AuthorRecord(name=name))
    note = f"A name in its byline has more than {limit} characters; it was split or cut."
    kept = tuple(authors.values())[: resolve_limit("MAX_AUTHORS")]
    return replace(record, authors=kept, notes=(*record.notes, note))


def remove_forbidden_characters(value: Any, removed: list[str]) -> Any:
    """Return the value without forbidden characters in its texts; add these characters to `removed`."""
    if isinstance(value, str):
        removed += FORBIDDEN_CHARACTER.findall(value)
        return FORBIDDEN_CHARACTER.sub("", value)
    if isinstance(value, (tuple, list)):
        return type(value)([remove_forbidden_characters(item, removed) for item in value])
    if isinstance(value, Mapping):
        return {key: remove_forbidden_characters(item, removed) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **remove_forbidden_characters(given, removed))
    return value
