"""Store imported records in batches: one transaction each, whose articles are stored together.

If an article of a batch is refused, the batch is stored again with a savepoint for each article, so that the
import continues with the others. Batches are short, so that other writers wait only briefly.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from copy import deepcopy
from dataclasses import asdict, fields, replace
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

import marshmallow as ma
from sqlalchemy import select
from sqlalchemy.exc import DataError, IntegrityError

from blogapi import clock
from blogapi.articles import lifecycle, renderings
from blogapi.articles.batch import Batch as ArticleBatch
from blogapi.articles.batch import open_batch
from blogapi.articles.content import ArticleInput, default_seo
from blogapi.articles.models import Article
from blogapi.content import sanitizer, slugs
from blogapi.media import addresses, editing
from blogapi.media.models import Media, MediaPath
from blogapi.redirects import service as redirects
from blogapi.revisions import service as revisions
from blogapi.storage.database import current_time, db, savepoint, transaction
from blogapi.transfer import queries
from blogapi.transfer.article_input import ArticleInputs
from blogapi.transfer.article_record import ArticleRecord, RefusedFile
from blogapi.transfer.imported_authors import ImportedAuthors
from blogapi.transfer.imported_media import ImportedMedia, RecordMedia, list_extensions
from blogapi.transfer.media_references import is_local, may_contain_references
from blogapi.transfer.models import ImportedFile
from blogapi.transfer.reports import FileReport, Item, Result
from blogapi.web.errors import Problem, flatten_messages
from blogapi.web.fields import is_web_address, join_messages

# The limits of one batch; a single article may be longer.
MAX_BATCH_ARTICLES = 50
MAX_BATCH_CHARACTERS = 500_000
# If the transaction takes longer, it is committed, and the rest of the batch is stored in another
# transaction, because other writers are waiting.
MAX_BATCH_SECONDS = 0.5


# The fields of a record that do not change its article.
_WITHOUT_DIGEST = (
    *("source_digest", "is_undated", "path", "source", "cover_alt", "addresses", "names", "has_templates"),
    "comments",
)

# The errors of an article that is refused.
REFUSALS = (RefusedFile, ma.ValidationError, Problem, IntegrityError, DataError)


class _DryRun(Exception):
    """Raised to roll back the transaction of a dry run."""


def make_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in lists within the limits of a batch."""
    batch: list[Item] = []
    characters = 0
    for item in items:
        length = len(item.content) if isinstance(item, ArticleRecord) else 0
        if len(batch) == MAX_BATCH_ARTICLES or (batch and characters + length > MAX_BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += length
    if batch:
        yield batch


class Importer:
    """Stores the records of one run as articles of `author`.

    `matches` has the stored keys of files that were imported before under another key; see
    `imported_authors` for `author_map`, and `imported_media` for `assets`.
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
        self.author = author
        self.matches = matches or {}
        self.authors = ImportedAuthors(author_map or {})
        self.media = ImportedMedia(assets, dry_run=dry_run)
        self.dry_run = dry_run
        self.restore_deleted = restore_deleted
        #: The slugs of categories and tags by name.
        self.term_slugs: dict[str, str] = {}
        #: The redirects of this run. A redirect is removed if an article that is imported later has its slug.
        self.redirects: set[str] = set()

    def store(self, items: Sequence[Item]) -> list[FileReport]:
        """Store a batch of records with the authors of `author_map`, and return a report for each item.

        An item can also be the report of a file that gave no record; it is returned unchanged. Validation
        errors are part of the report. Other errors are raised; the records of the current transaction are
        then not stored.
        """
        records = [self.authors.rename(item) for item in items if isinstance(item, ArticleRecord)]
        reports: dict[str, FileReport] = {}
        media = self._prepare(records)
        together = True
        while len(reports) < len(records):
            redirects_before, authors_before = set(self.redirects), deepcopy(self.authors)
            try:
                with suppress(_DryRun), transaction():
                    rest = records[len(reports) :]
                    stored = self._store_in_transaction(rest, media, together=together)
                    if self.dry_run:
                        raise _DryRun
                reports |= stored
            except REFUSALS:
                if not together:
                    raise
                together, self.redirects, self.authors = False, redirects_before, authors_before
        return [item if isinstance(item, FileReport) else reports[item.key] for item in items]

    def _prepare(self, records: Sequence[ArticleRecord]) -> dict[str, RecordMedia]:
        """Do the slow work before the transaction, so that other writers do not wait for it.

        Renders new and changed files, stores the media files of all records, and returns these by key.
        """
        if not records:
            return {}
        known = queries.get_source_digests([record.key for record in records])
        changed = {
            record.key
            for record in records
            if not record.source_digest or known.get(record.key) != record.source_digest
        }
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
        return media

    def _store_in_transaction(
        self, records: Sequence[ArticleRecord], media: Mapping[str, RecordMedia], *, together: bool
    ) -> dict[str, FileReport]:
        """Store records until all are stored or MAX_BATCH_SECONDS have passed; return their reports by key.

        With `together`, raises one of REFUSALS if an article is refused.
        """
        batch, end = _Batch(self, records, media), clock.monotonic() + MAX_BATCH_SECONDS
        reports: dict[str, FileReport] = {}
        with open_batch([]) if together else nullcontext() as writes:
            for record in records:
                reports[record.key] = batch.store(record, writes)
                if clock.monotonic() > end:
                    break
        db.session.add_all(batch.new_files)
        batch.fill_alts()
        batch.delete_former_uses()
        return reports


class _Batch:
    """The rows that the records of a batch need, loaded in a fixed number of statements."""

    def __init__(
        self, importer: Importer, records: Sequence[ArticleRecord], media: Mapping[str, RecordMedia]
    ) -> None:
        self.importer = importer
        self.media = media
        keys = {record.key for record in records}
        keys |= {importer.matches[key] for key in keys if key in importer.matches}
        self.files = {
            file.key: file
            for file in db.session.scalars(select(ImportedFile).where(ImportedFile.key.in_(keys)))
        }
        uuids = [file.article_id for file in self.files.values()]
        columns = (Article.status, Article.published_at, Article.last_updated, Article.cover_image)
        rows = db.session.execute(select(Article.uuid, *columns).where(Article.uuid.in_(uuids)))
        self.articles = {row.uuid: row for row in rows}
        #: These rows are inserted together at the end of the batch.
        self.new_files: list[ImportedFile] = []
        self.inputs = ArticleInputs(importer.author, importer.term_slugs, records)
        #: The files of the library that stand for the paths in each article.
        self.media_paths: dict[UUID, dict[str, MediaPath]] = {}
        self.library: dict[UUID, Media] = {}
        #: The articles with a path that stands for another file now.
        self.remapped: set[UUID] = set()
        #: The alternative texts for files that have none.
        self.alts: dict[UUID, str] = {}
        if any(record.key in media for record in records):
            self._load_media(records, uuids)

    def _load_media(self, records: Sequence[ArticleRecord], article_ids: Sequence[UUID]) -> None:
        self.media_paths = queries.get_media_paths(article_ids)
        wanted = {
            file.uuid
            for record in records
            if record.key in self.media
            for file in self.media[record.key].files.values()
            if file.uuid
        }
        covers = {record.cover_image for record in records if record.cover_image}
        wanted |= {
            row.media_id for paths in self.media_paths.values() for row in map(paths.get, covers) if row
        }
        self.library = queries.get_media(wanted)

    def store(self, record: ArticleRecord, writes: ArticleBatch | None) -> FileReport:
        """Create the article of a record, or update it if the record has changed since its last import.

        The article is stored with the batch `writes`. If it is None, the article is stored alone, and a
        refusal is reported and not raised.
        """
        self.inputs.authors = []
        try:
            if writes is not None:
                report = self._create_or_update(record, writes)
            else:
                with self.inputs.forget_new_terms_on_error(), savepoint(), open_batch([]) as alone:
                    report = self._create_or_update(record, alone)
        except REFUSALS as error:
            if writes is not None:
                raise
            report = FileReport(record.key, Result.REFUSED, notes=(_describe(error),))
        if report.result in (Result.CREATED, Result.UPDATED):
            self.importer.authors.count(self.inputs.authors, self.inputs.is_new)
        return self._add_media(record, report)

    def _find_file(self, record: ArticleRecord) -> ImportedFile | None:
        return self.files.get(record.key) or self.files.get(self.importer.matches.get(record.key, ""))

    def _create_or_update(self, record: ArticleRecord, writes: ArticleBatch) -> FileReport:
        file = self._find_file(record)
        if file is None:
            return self._create(record, ImportedFile(key=record.key), writes)
        notes = _recognition_notes(file.key, record.key)
        # The digest in rows from former versions of blogapi includes the key.
        digest = _compute_digest(record, key="" if file.source_digest else file.key)
        if not file.key.endswith(f"/{record.key}"):
            file.key = record.key
        if file.article_id in self.articles:
            return self._update(record, file, writes, notes, is_changed=digest != file.digest)
        if self.importer.restore_deleted:
            return self._create(record, file, writes)
        reason = "Its article was deleted in this blog; --restore-deleted imports it again."
        return FileReport(record.key, Result.SKIPPED, notes=(*notes, reason))

    def _update(
        self,
        record: ArticleRecord,
        file: ImportedFile,
        writes: ArticleBatch,
        notes: tuple[str, ...],
        *,
        is_changed: bool,
    ) -> FileReport:
        state = self.articles[file.article_id]
        former = lifecycle.get_api_status(state.status, state.published_at, current_time())
        # If only the path or the options have changed, the record can differ in its date and its status.
        is_same_source = file.source_digest == _get_source_digest(record)
        if is_changed and state.last_updated > file.imported_at:
            if not is_same_source or (state.status == "published" and _is_private(record)):
                raise RefusedFile(
                    "The article was edited in this blog after it was imported; "
                    "to replace it, delete it and import the file with --restore-deleted."
                )
            notes = (*notes, "The article was edited in this blog and stays as it is.")
        elif is_changed and is_same_source and record.is_undated and record.status == "draft":
            # The article was published with --publish-undated.
            revisions.delete_former_uses(self.remapped)
        elif is_changed and is_same_source and not record.is_undated and _is_more_public(record, former):
            notes = (*notes, "The file has not changed; to publish its article, publish it in this blog.")
        elif is_changed:
            self._map_media(file.article_id, record)
            given, editor = self._make_input(record, file.article_id), self.importer.author
            writes.load([given], [file.article_id])
            if (state.status, record.status) == ("archived", "published"):
                # An archived article becomes a draft before it can be published.
                writes.change(editor, file.article_id, ArticleInput(status="draft"))
            # SEO fields that the file no longer has get their default values.
            given = replace(given, seo={**default_seo(given.texts), **given.seo})
            article = writes.change(editor, file.article_id, given)
            notes = (*notes, *self._add_redirects(record, article))
            _set_digests(file, record, current_time())
            return _report(record, Result.UPDATED, article, notes)
        else:
            _set_digests(file, record, file.imported_at)
        is_updated = self._update_media(record, file, writes)
        return FileReport(record.key, Result.UPDATED if is_updated else Result.UNCHANGED, former, notes)

    def _update_media(self, record: ArticleRecord, file: ImportedFile, writes: ArticleBatch) -> bool:
        """Map the media files of an unchanged record; return whether its article shows other files now.

        This does not change the text of the article. A cover that was changed in this blog is kept.
        """
        uuid, state = file.article_id, self.articles[file.article_id]
        own_covers = {record.cover_image, self._get_cover(record, uuid)}
        is_remapped = self._map_media(uuid, record)
        cover = self._get_cover(record, uuid)
        is_other_cover = state.cover_image in own_covers and state.cover_image != cover
        if is_other_cover:
            writes.load([], [uuid])
            writes.change(self.importer.author, uuid, ArticleInput(texts={"cover_image": cover}))
            # An article that was edited in this blog still counts as edited.
            if state.last_updated <= file.imported_at:
                file.imported_at = current_time()
        return is_remapped or is_other_cover

    def _map_media(self, article_id: UUID, record: ArticleRecord) -> bool:
        """Store which files the paths of a record stand for; return whether something has changed.

        The session renders the article again. The paths of former versions of the record are kept, because
        the revisions of the article contain them.
        """
        media, is_changed = self.media.get(record.key), False
        if media is None:
            return False
        paths = self.media_paths.setdefault(article_id, {})
        for path, found in media.files.items():
            row = paths.get(path)
            if row is not None and row.media_id == found.uuid:
                continue
            # In a dry run the file is not stored; and a user can delete it before this transaction.
            if found.uuid is not None and found.uuid not in self.library:
                continue
            is_changed = True
            if found.uuid is None:
                continue
            if row is not None:
                self.remapped.add(article_id)
                db.session.delete(row)
            paths[path] = MediaPath(article_id=article_id, path=path, media_id=found.uuid)
            db.session.add(paths[path])
            if found.uuid in media.alts and not self.library[found.uuid].alt:
                self.alts.setdefault(found.uuid, media.alts[found.uuid])
        return is_changed

    def fill_alts(self) -> None:
        """Store the alternative texts of files that had none."""
        for uuid, alt in self.alts.items():
            editing.change(uuid, {"alt": alt})

    def delete_former_uses(self) -> None:
        """Delete the uses of files that were replaced and to which no former version refers."""
        if self.remapped:
            db.session.flush()
            revisions.delete_former_uses(self.remapped)

    def _get_cover(self, record: ArticleRecord, article_id: UUID) -> str:
        """Return the address of the file that is the cover, or else the cover as the record has it."""
        row = self.media_paths.get(article_id, {}).get(record.cover_image)
        file = self.library.get(row.media_id) if row else None
        if file is not None:
            return addresses.make_path(file.hash, file.name)
        # Fields of other generators can contain paths with spaces, which are no URLs.
        is_path = is_local(record.cover_image) and not is_web_address(record.cover_image)
        return "" if is_path else record.cover_image

    def _make_input(self, record: ArticleRecord, article_id: UUID) -> ArticleInput:
        return self.inputs.make(replace(record, cover_image=self._get_cover(record, article_id)))

    def _add_media(self, record: ArticleRecord, report: FileReport) -> FileReport:
        media = self.media.get(record.key)
        if media is None:
            return report
        file = self._find_file(record)
        mapped = self.media_paths.get(file.article_id, {}) if file and file.article_id else {}
        found = media.make_report(mapped)
        return replace(report, media=found, notes=(*report.notes, *media.list_notes(found)))

    def _create(self, record: ArticleRecord, file: ImportedFile, writes: ArticleBatch) -> FileReport:
        preferred = slugs.make_slug(record.slug or record.title)
        notes = []
        if preferred in self.importer.redirects:
            redirects.remove(preferred)
            notes.append(
                f"The redirect from “{preferred}” to another article was removed, because this article has "
                "this slug."
            )
        uuid = file.article_id or uuid4()
        self._map_media(uuid, record)
        author, given = self.importer.author, self._make_input(record, uuid)
        writes.load([given], [] if file.article_id is None else [uuid])
        article = writes.create(author, given, uuid=uuid, slug_from=record.slug)
        # A text without letters or digits has a random slug, which no other article has taken.
        if article.slug.startswith(f"{preferred}-"):
            notes.append(f"The slug “{preferred}” is taken; the article got “{article.slug}”.")
        file.article_id = article.uuid
        _set_digests(file, record, current_time())
        notes += self._add_redirects(record, article)
        self.new_files.append(file)
        return _report(record, Result.CREATED, article, notes)

    def _add_redirects(self, record: ArticleRecord, article: Article) -> Iterator[str]:
        wanted = [slug for slug in record.former_slugs if slug != article.slug]
        if not wanted:
            return
        if record.status == "draft":
            yield "Its former addresses were ignored, because a draft has no redirects."
            return
        taken = redirects.add(article.uuid, wanted)
        self.importer.redirects.update(set(wanted) - set(taken))
        for slug in taken:
            yield f"There is no redirect from “{slug}”, which is the slug of another article."


def _get_source(record: ArticleRecord) -> tuple[str, str]:
    return record.content, record.content_type


def _set_digests(file: ImportedFile, record: ArticleRecord, imported_at: datetime) -> None:
    file.digest, file.source_digest = _compute_digest(record), _get_source_digest(record)
    file.imported_at = imported_at


def _get_source_digest(record: ArticleRecord) -> str:
    return record.source_digest or _compute_digest(record)


def _is_private(record: ArticleRecord) -> bool:
    return record.status != "published" and not record.is_undated


def _is_more_public(record: ArticleRecord, former: str) -> bool:
    """Return whether an article with the API status `former` becomes public or scheduled by an update."""
    status = lifecycle.get_api_status(record.status, record.published_at, current_time())
    return former != status and former != "published" and status in ("published", "scheduled")


def _report(record: ArticleRecord, result: Result, article: Article, notes: Iterable[str]) -> FileReport:
    status = lifecycle.get_api_status(article.status, article.published_at, current_time())
    return FileReport(record.key, result, status, (*record.notes, *notes))


def _recognition_notes(former_key: str, key: str) -> tuple[str, ...]:
    # The file itself was not renamed if only the outer folders of its key differ.
    if f"/{former_key}".endswith(f"/{key}") or f"/{key}".endswith(f"/{former_key}"):
        return ()
    return (f"It was recognised as “{former_key}”, which was imported before.",)


def _describe(error: Exception) -> str:
    if isinstance(error, ma.ValidationError):
        return join_messages(flatten_messages(error.messages))
    if isinstance(error, Problem):
        return error.detail
    if isinstance(error, (IntegrityError, DataError)):
        return f"The database refused the article: {error.orig}."
    return str(error)


def _compute_digest(record: ArticleRecord, key: str = "") -> str:
    # The digest does not include the notes, so that a new wording of a note does not count as a change of the
    # file. Empty fields that former versions did not have are left out, so that their digests stay valid.
    content = {field.name: getattr(record, field.name) for field in fields(record)}
    content |= {"key": key, "notes": ()}
    for name in _WITHOUT_DIGEST:
        del content[name]
    if not record.authors:
        # Former versions have stored the names of the authors as one text.
        del content["authors"]
        content["author"] = ""
    else:
        content["authors"] = [asdict(author) for author in record.authors]
    for name in ("former_slugs", "excerpt", "og_image", "exported"):
        if not content[name]:
            del content[name]
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode("utf-8")).hexdigest()
