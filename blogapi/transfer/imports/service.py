"""Store imported records in batches: one transaction each, whose articles are stored together.

If an article of a batch is refused, the batch is stored again with a savepoint for each article, so that the
import continues with the others. Batches are short, so that other writers wait only briefly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from blogapi import clock
from blogapi.articles import renderings
from blogapi.content import sanitizer
from blogapi.transfer import queries
from blogapi.transfer.article_record import ArticleRecord
from blogapi.transfer.imports.authors import ImportedAuthors
from blogapi.transfer.imports.batch import ImportBatch
from blogapi.transfer.imports.digests import compute_digest
from blogapi.transfer.imports.exported_articles import list_library_media
from blogapi.transfer.imports.refusals import REFUSALS
from blogapi.transfer.imports.state import ImportState
from blogapi.transfer.imports.write_turns import WriteTurns
from blogapi.transfer.media.imported_media import ImportedMedia, RecordMedia, list_extensions
from blogapi.transfer.media.references import may_contain_references
from blogapi.transfer.reports import FileReport, Item, Result
from blogapi.web.fields import get_limit

# The limits of one batch; a single article may be longer.
MAX_BATCH_ARTICLES = 50
MAX_BATCH_CHARACTERS = 500_000
# Creating a term takes about 3 ms.
MAX_BATCH_NEW_TERMS = 150
# If the transaction takes longer, it is committed, and the rest of the batch is stored in another
# transaction, because other writers are waiting.
MAX_BATCH_SECONDS = 0.5


class _DryRun(Exception):
    """Raised to roll back the transaction of a dry run."""


def make_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in lists within the limits of a batch."""
    batch: list[Item] = []
    characters, terms, known = 0, set[int](), set[int]()
    for item in items:
        length = len(item.content) if isinstance(item, ArticleRecord) else 0
        new = _list_terms(item) - known
        is_long = characters + length > MAX_BATCH_CHARACTERS or len(terms | new) > MAX_BATCH_NEW_TERMS
        if len(batch) == MAX_BATCH_ARTICLES or (batch and is_long):
            yield batch
            known |= terms
            batch, characters, terms = [], 0, set()
        batch.append(item)
        characters += length
        terms |= new
    if batch:
        yield batch


def _list_terms(item: Item) -> set[int]:
    """Return the hashes of the names of terms; they take less memory than the names."""
    if not isinstance(item, ArticleRecord):
        return set()
    return {hash(name) for name in (item.category, *item.tags, *(author.name for author in item.authors))}


class Importer:
    """Stores the records of one run as articles of `author`.

    `matches` has the stored keys of files that were imported before under another key; see
    `imports.authors` for `author_map`, and `media.imported_media` for `assets`.
    """

    def __init__(
        self,
        author: UUID,
        matches: Mapping[str, str] | None = None,
        *,
        author_map: Mapping[str, str] | None = None,
        assets: Sequence[Path] = (),
        dry_run: bool = False,
        restore_deleted: bool = False,
    ) -> None:
        self._state = ImportState(
            author=author,
            authors=ImportedAuthors(author_map or {}),
            matches=dict(matches or {}),
            restore_deleted=restore_deleted,
            dry_run=dry_run,
        )
        self.media = ImportedMedia(assets, user=author, dry_run=dry_run)
        self.dry_run = dry_run
        self._turns = WriteTurns()

    @property
    def author(self) -> UUID:
        """The user who owns the imported articles."""
        return self._state.author

    @property
    def state(self) -> ImportState:
        """What the batches of this import have in common."""
        return self._state

    @property
    def authors(self) -> ImportedAuthors:
        """The authors of the imported articles."""
        return self._state.authors

    @property
    def matches(self) -> Mapping[str, str]:
        """The stored keys of files that were imported before under another key."""
        return self._state.matches

    @contextmanager
    def open_transaction(self) -> Iterator[None]:
        """Run the `with` block in a transaction, which a dry run rolls back."""
        with suppress(_DryRun), self._turns.open_transaction():
            yield
            if self.dry_run:
                raise _DryRun

    def store(self, items: Sequence[Item]) -> list[FileReport]:
        """Store a batch of records with the authors of `author_map`, and return a report for each item.

        An item can also be the report of a file that gave no record; it is returned unchanged. Validation
        errors are part of the report. Other errors are raised; the records of the current transaction are
        then not stored.
        """
        records = [
            _limit_tags(self.authors.rename(item)) for item in items if isinstance(item, ArticleRecord)
        ]
        reports: dict[str, FileReport] = {}
        media = self._prepare(records)
        together = True
        while len(reports) < len(records):
            redirects_before, authors_before = set(self._state.redirects), deepcopy(self.authors)
            try:
                with self.open_transaction():
                    rest = records[len(reports) :]
                    stored = self._store_in_transaction(rest, media, together=together)
                if self.dry_run:
                    stored = {key: replace(report, article=None) for key, report in stored.items()}
                    created = (one.slug for one in stored.values() if one.result is Result.CREATED)
                    self._state.planned_slugs.update(created)
                reports |= stored
            except REFUSALS:
                if not together:
                    raise
                together = False
                self._state.redirects, self._state.authors = redirects_before, authors_before
        return [item if isinstance(item, FileReport) else reports[item.key] for item in items]

    def _prepare(self, records: Sequence[ArticleRecord]) -> dict[str, RecordMedia]:
        """Do the slow work before the transaction, so that other writers do not wait for it.

        Renders new and changed files, stores the media files of all records, and returns these by key.
        """
        if not records:
            return {}
        known = queries.get_digests([record.key for record in records])
        changed = {record.key for record in records if known.get(record.key) != compute_digest(record)}
        renderings.prepare(_get_source(record) for record in records if record.key in changed)

        extensions = list_extensions()

        def get_html(record: ArticleRecord) -> str:
            if not may_contain_references(record.content, extensions):
                return ""
            if record.key in changed:
                return renderings.get_rendering(*_get_source(record)).html
            return sanitizer.to_safe_html(*_get_source(record))

        media = self.media.take(records, get_html)
        if media:
            mapped = queries.get_mapped_paths(media.keys() - changed)
            remapped = {
                key for key in media.keys() - changed if not media[key].is_mapped(mapped.get(key, {}))
            }
            renderings.prepare((_get_source(one) for one in records if one.key in remapped), keep=True)
        return media | list_library_media(records)

    def _store_in_transaction(
        self, records: Sequence[ArticleRecord], media: Mapping[str, RecordMedia], *, together: bool
    ) -> dict[str, FileReport]:
        """Store records until all are stored or MAX_BATCH_SECONDS have passed; return their reports by key.

        With `together`, raises one of REFUSALS if an article is refused.
        """
        batch, end = ImportBatch(self._state, records, media), clock.monotonic() + MAX_BATCH_SECONDS
        reports: dict[str, FileReport] = {}
        with batch.open_articles() if together else nullcontext() as writes:
            if together:
                batch.create_terms(records)
            for record in records:
                reports[record.key] = batch.store(record, writes)
                if clock.monotonic() > end:
                    break
        batch.finish()
        return reports


def _get_source(record: ArticleRecord) -> tuple[str, str]:
    return record.content, record.content_type


def _limit_tags(record: ArticleRecord) -> ArticleRecord:
    limit = get_limit("MAX_TAGS")
    if len(record.tags) <= limit:
        return record
    left = ", ".join(f"“{name}”" for name in record.tags[limit:])
    note = f"It has more than {limit} tags (MAX_TAGS); these were not taken: {left[:1_000]}."
    return replace(record, tags=record.tags[:limit], notes=(*record.notes, note))
