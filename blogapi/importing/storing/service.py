"""Store imported records in batches: one transaction each, whose articles are stored together.

If an article of a batch is refused, each of its articles is stored in a transaction of its own, so that the
import continues with the others. Batches are short, so that other writers wait only briefly.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from blogapi import clock
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.page_tree import read_tree
from blogapi.content.articles.prerendering import prerender_sources, render_content
from blogapi.content.articles.service import change_article
from blogapi.content.articles.writing.loaded_articles import write_articles_together
from blogapi.content.pages import hierarchy
from blogapi.importing import queries
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.media.imported_media import LibraryFile, MediaImporter, RecordMedia, list_extensions
from blogapi.importing.storing.batch import ImportBatch
from blogapi.importing.storing.batch_media import add_media_results
from blogapi.importing.storing.earlier_imports import add_page_tag, compute_digest, is_article_edited
from blogapi.importing.storing.guesses import Guesses
from blogapi.importing.storing.state import REFUSAL_ERRORS, ImportedAuthors, ImportState, report_refusal
from blogapi.importing.texts.media_references import may_contain_references
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import current_time, db, is_only_process, transaction
from blogapi.web.errors import Invalid
from blogapi.web.fields import resolve_limit

# The limits of one batch; a single article may be longer.
MAX_BATCH_ARTICLES = 50
MAX_BATCH_CHARACTERS = 500_000
# A longer transaction is committed, and another transaction stores the rest of the batch, because other
# writers are waiting.
MAX_BATCH_SECONDS = 0.08
# The limit while no other process has the blog open. A server that starts meanwhile waits at most this time.
MAX_LONE_BATCH_SECONDS = 1.0
# A program that waits for the lock of SQLite checks every 0.1 seconds whether it is free, and more often
# after a shorter transaction. PostgreSQL grants locks in the order of the requests.
_LONG_TRANSACTION_SECONDS, _PAUSE_SECONDS = 0.1, 0.12


class _DryRunRollback(Exception):
    """Raised to roll back the transaction of a dry run."""


def make_batches(records: Iterable[ArticleRecord]) -> Iterator[list[ArticleRecord]]:
    """Yield the records in lists within the limits of a batch."""
    batch: list[ArticleRecord] = []
    characters = 0
    for record in records:
        characters += len(record.content)
        if len(batch) == MAX_BATCH_ARTICLES or (batch and characters > MAX_BATCH_CHARACTERS):
            yield batch
            batch, characters = [], len(record.content)
        batch.append(record)
    if batch:
        yield batch


class Importer:
    """Stores the records of one run as articles of `author`.

    See `read_author_map` for `author_map`, and `importing.media.imported_media` for `assets`.
    """

    def __init__(
        self,
        author: UUID,
        *,
        author_map: Mapping[str, str] | None = None,
        assets: Sequence[Path] = (),
        dry_run: bool = False,
        restore_deleted: bool = False,
        restricted: bool = False,
        publish_marked: Sequence[str] = (),
    ) -> None:
        #: The state that the batches of this import share.
        self.state = ImportState(
            author=author,
            authors=ImportedAuthors(author_map or {}),
            guesses=Guesses(publish_marked),
            restore_deleted=restore_deleted,
            dry_run=dry_run,
            restricted=restricted,
        )
        self.media = MediaImporter(assets, user=author, dry_run=dry_run)
        #: The number of records for which the next transaction loads rows.
        self._size = MAX_BATCH_ARTICLES
        #: The monotonic time before which no transaction begins, so that other programs can write.
        self._next_turn = 0.0
        #: The time after which a transaction ends.
        self._max_seconds = MAX_BATCH_SECONDS

    @contextmanager
    def open_transaction(self) -> Iterator[None]:
        """Run the `with` block in a transaction, which a dry run rolls back.

        After a long transaction, the next one waits so long that other programs, such as the server, can
        begin their transactions. Without other programs there are fewer, longer transactions and no pauses.
        """
        is_alone = is_only_process()
        self._max_seconds = MAX_LONE_BATCH_SECONDS if is_alone else MAX_BATCH_SECONDS
        if db.engine.dialect.name == "sqlite" and not is_alone:
            time.sleep(max(0.0, self._next_turn - clock.monotonic()))
        started = clock.monotonic()
        try:
            with suppress(_DryRunRollback), transaction():
                yield
                if self.state.dry_run:
                    raise _DryRunRollback
        finally:
            if clock.monotonic() - started > _LONG_TRANSACTION_SECONDS:
                self._next_turn = clock.monotonic() + _PAUSE_SECONDS

    def store_batch(self, batch: Sequence[ArticleRecord]) -> list[FileReport]:
        """Store a batch of records with the authors of `author_map`, and return a report for each.

        Validation errors are part of the report. Any other error rolls back the current transaction.
        """
        renamed = map(self.state.authors.rename_authors, batch)
        records = [_limit_tags(self._select_custom_values(add_page_tag(record))) for record in renamed]
        return [*self._store_records(records, self._store_media(records))]

    def _select_custom_values(self, record: ArticleRecord) -> ArticleRecord:
        custom = self.state.select_custom_values(record.custom)
        if left := ", ".join(sorted(record.custom.keys() - custom.keys())):
            note = f"Only admins can import values of these fields, so they were left out: {left[:1_000]}."
            record = replace(record, custom=custom, notes=(*record.notes, note))
        return record

    def set_missing_parents(self) -> None:
        """Set the parent of each page that was stored before its parent, each in its own transaction."""
        if self.state.dry_run:
            return
        for key, (parent_key, is_new) in self.state.missing_parents.items():
            with self.open_transaction(), suppress(Invalid):
                files, tree = queries.find_imported_files([key, parent_key]), read_tree()
                if not all(it in files and files[it].article_id in tree for it in (key, parent_key)):
                    continue
                page, parent = files[key], files[parent_key].article_id
                change = ArticleInput(uuid=page.article_id, type=ItemType.PAGE.value, parent=parent)
                hierarchy.resolve_parents([change], is_bulk=False)
                with write_articles_together([change], page.article_id) as loaded:
                    # No reader knows the address that a new page had until now.
                    loaded.keeps_former_paths = not is_new
                    was_edited = is_article_edited(loaded.get_article(page.article_id), page)
                    change_article(loaded, self.state.author, page.article_id, change)
                # The new parent is no edit in this blog.
                page.imported_at = page.imported_at if was_edited else current_time()

    def _store_records(
        self, records: Sequence[ArticleRecord], media: Mapping[str, RecordMedia]
    ) -> Iterator[FileReport]:
        state = self.state
        while records:
            before = set(state.redirects), deepcopy(state.authors)
            part = records[: self._size]
            try:
                with self.open_transaction():
                    batch, reports = ImportBatch(state, part, media), []
                    end, taken = clock.monotonic() + self._max_seconds, state.planned_slugs
                    with write_articles_together([], *batch.restored_uuids, taken_slugs=taken) as loaded:
                        for record in part:
                            reports.append(batch.store_record(record, loaded))
                            # Other writers are waiting.
                            if clock.monotonic() > end:
                                break
                    batch.store_paths_and_media()
            except REFUSAL_ERRORS as error:
                state.redirects, state.authors = before
                # Another program can have deleted a term.
                state.found_terms.clear()
                if len(part) > 1:
                    for record in part:
                        yield from self._store_records([record], media)
                else:
                    key = part[0].key
                    mapped = queries.get_media_uuids_by_path([key]).get(key, {})
                    yield add_media_results(part[0], report_refusal(key, error), media.get(key), mapped)
                records = records[len(part) :]
                continue
            # Rows are loaded only for about as many records as a transaction stores.
            is_complete = len(reports) == len(part)
            self._size = min(2 * self._size if is_complete else len(reports) + 2, MAX_BATCH_ARTICLES)
            if state.dry_run:
                # New articles do not exist after a dry run; an article with a hidden text exists.
                reports = [item if item.hidden_there else replace(item, article=None) for item in reports]
                state.planned_slugs |= {item.slug for item in reports if item.result is Result.CREATED}
            yield from reports
            records = records[len(reports) :]

    def _store_media(self, records: Sequence[ArticleRecord]) -> dict[str, RecordMedia]:
        """Render new and changed records and store their media outside a transaction; return media by key."""
        if not records:
            return {}
        digests = queries.get_digests([record.key for record in records])
        changed = [item for item in records if digests.get(item.key) != compute_digest(item)]
        prerender_sources((item.content, item.content_type) for item in changed)
        extensions = list_extensions()

        def render_if_referring(record: ArticleRecord) -> str:
            if not may_contain_references(record.content, extensions):
                return ""
            return render_content(record.content, record.content_type).html

        media = self.media.store_files(records, render_if_referring)
        if media:
            unchanged = media.keys() - {item.key for item in changed}
            mapped = queries.get_media_uuids_by_path(unchanged)
            files = ((key, path, file) for key in unchanged for path, file in media[key].files.items())
            remapped = {key for key, path, file in files if mapped.get(key, {}).get(path) != file.uuid}
            changed += [item for item in records if item.key in remapped]
            prerender_sources((item.content, item.content_type) for item in changed)
        for record in records:
            # The paths in exported articles refer to files of the library.
            for path, uuid in record.media_paths.items():
                media.setdefault(record.key, RecordMedia()).files[path] = LibraryFile(uuid, "")
        return media


def _limit_tags(record: ArticleRecord) -> ArticleRecord:
    limit = resolve_limit("MAX_TAGS")
    if len(record.tags) <= limit:
        return record
    left = ", ".join(f"“{name}”" for name in record.tags[limit:])
    note = f"It has more than {limit} tags (MAX_TAGS); these were not imported: {left[:1_000]}."
    return replace(record, tags=record.tags[:limit], notes=(*record.notes, note))
