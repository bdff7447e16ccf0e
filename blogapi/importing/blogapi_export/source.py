"""The source that reads exports of blogapi from one or more folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from uuid import UUID

from blogapi.exporting.export_files import DESCRIPTION
from blogapi.importing.blogapi_export import article_files, data_files, layout, restoring
from blogapi.importing.blogapi_export.article_files import ArticleFiles, make_key
from blogapi.importing.blogapi_export.data_files import BlogData, TermNames, replace_references
from blogapi.importing.blogapi_export.layout import ExportFolder
from blogapi.importing.blogapi_export.restoring import Restored, WorkingCopies, restore_redirects
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Item, Result, read_item, report_problem
from blogapi.importing.format_api.source import CONTRACT_VERSION, Format, ImportOptions, Source
from blogapi.importing.format_api.source_files import Entry, read_bytes
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.service import Importer
from blogapi.importing.storing.terms import list_parents_first
from blogapi.importing.texts.messages import join_counts

_NO_EXPORT = "It is in no folder of an export; import the folder or the archive of an export."


class ExportSource(Source):
    """Reads the articles of exports; `prepare_blog` stores all other contents before."""

    def __init__(self, entries: Sequence[Entry], options: ImportOptions) -> None:
        super().__init__(total=len(entries))
        self.notes: list[str] = []
        self._now = options.now
        self._unread: list[FileReport] = []
        self._folders: dict[ExportFolder, list[Entry]] = {}
        for entry in entries:
            export = layout.find_export(entry.path)
            if export is None:
                self._unread.append(report_problem(entry.key, entry.problem or RefusedFile(_NO_EXPORT)))
                continue
            articles = self._folders.setdefault(export, [])
            if not layout.is_data_file(export, entry.path):
                articles.append(entry)
        self._media_uuids: dict[UUID, UUID] = {}
        self._data: dict[ExportFolder, BlogData] = {}
        #: The uuids of the articles that were read, with the files that contain them.
        self._sources: dict[UUID, str] = {}

    def prepare_blog(self, importer: Importer) -> Iterator[FileReport]:
        """Store the media files, the terms and the site of the exports; yield a report for each refusal.

        A dry run stores nothing. Call this before `read`, outside of any transaction.
        """
        restored = Restored()
        for export in list(self._folders):
            try:
                data = self._data[export] = data_files.read_data(export)
            except RefusedFile as error:
                del self._folders[export]
                yield report_problem(f"{export.root.name}/{DESCRIPTION}", error)
                continue
            if export.source:
                self.assets = (*self.assets, export.root / export.layout.media)
            key, state = export.root.name, importer.state
            yield from data.reports
            yield from restoring.restore_media(data, state, key, restored)
            yield from restoring.restore_terms(data, importer, key, restored)
            yield from restoring.restore_fields(data, key, state, restored)
            yield from restore_redirects(data, key, state, restored)
            yield from restoring.restore_site(data, key, restored, dry_run=state.dry_run)
            state.exported_terms = {**state.exported_terms, **data.terms}
        self._media_uuids = restored.media_uuids
        if counts := {name: number for name, number in sorted(restored.counts.items()) if number}:
            self.notes.append(f"Created besides articles: {join_counts(counts)}.")
        self.notes += restored.notes

    def read(self) -> Iterator[Item]:
        yield from self._unread
        for export, entries in self._folders.items():
            data = self._data.get(export) or data_files.read_data(export)
            media = {item.file: item for item in data.media}
            reader = ArticleFiles(export, media, TermNames(data.terms), self._now)
            pages = []
            for entry in entries:
                item = self._complete_record(read_item(entry.key, partial(reader.read, entry)))
                if isinstance(item, ArticleRecord) and item.exported and "parent" in item.exported.body:
                    pages.append(item)
                else:
                    yield item
            parents = {page.key: make_key(page.exported.body["parent"]) for page in pages if page.exported}
            yield from list_parents_first(pages, parents, lambda page: page.key)

    def finish_blog(self, importer: Importer) -> Iterator[FileReport]:
        """Store the working copies of the articles; yield a report for each. Call this at the end."""
        copies = WorkingCopies(importer.state, self._media_uuids, self._sources)
        for export in self._folders:
            name = export.layout.working_copies
            if (export.root / name).is_file():
                yield from copies.restore(export.root / name, f"{export.root.name}/{name}")

    def _complete_record(self, item: Item) -> Item:
        """Return the record with the uuids that its media files have in this blog.

        Return a report instead if an article with the same uuid was read already.
        """
        if not isinstance(item, ArticleRecord) or item.exported is None:
            return item
        first = self._sources.get(item.exported.uuid)
        self._sources.setdefault(item.exported.uuid, item.source)
        if first is not None:
            reason = (
                f"“{first}” has the same uuid; if this is another article, remove `blogapi` and the lines "
                "below it from its front matter."
            )
            return FileReport(item.source, Result.REFUSED, notes=(reason,))
        if not self._media_uuids:
            return item
        content = replace_references(item.content, self._media_uuids)
        paths = {path: self._media_uuids.get(uuid, uuid) for path, uuid in item.exported.media_paths.items()}
        body = {**item.exported.body, "content": content}
        return replace(item, content=content, exported=replace(item.exported, body=body, media_paths=paths))


def detect(entry: Entry, head: bytes) -> bool:
    """Return whether the file belongs to an export of blogapi.

    In the folder of an export, these are the data files and the text files with the field `blogapi` in the
    front matter. If `blogapi.yaml` names a source, they are all files in the folders of articles too. Other
    files in the folder belong to other formats.
    """
    export = layout.find_export(entry.path)
    if export is None:
        return False
    if layout.is_data_file(export, entry.path):
        return True
    if entry.problem or entry.path.suffix.lower() not in layout.ARTICLE_SUFFIXES:
        return False
    has_blogapi_field = article_files.has_blogapi_field(head)
    if has_blogapi_field is None:
        with suppress(RefusedFile):
            has_blogapi_field = article_files.has_blogapi_field(read_bytes(entry.path))
    return has_blogapi_field is True or export.is_article(entry.path)


FORMAT = Format(name="blogapi", contract=CONTRACT_VERSION, detect=detect, open_source=ExportSource)
