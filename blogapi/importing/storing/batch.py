"""Store the records of a batch: create new articles, and update those whose source has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import select

from blogapi.content.articles import lifecycle
from blogapi.content.articles.content import ArticleInput, default_seo
from blogapi.content.articles.models import Article
from blogapi.content.articles.prepared import render
from blogapi.content.articles.service import (
    change_article,
    changes_nothing,
    create_article,
    render_article_again,
)
from blogapi.content.articles.writing.loaded_articles import LoadedArticles, load
from blogapi.content.custom_fields.validation import describe_unfit
from blogapi.delivery.redirects import queries as redirect_service
from blogapi.importing import queries
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source_files import find_root
from blogapi.importing.media.imported_media import RecordMedia
from blogapi.importing.models import ImportedFile
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing.article_input import ArticleInputFactory
from blogapi.importing.storing.batch_media import BatchMedia
from blogapi.importing.storing.exported_articles import add_former_slugs, complete_article, is_slug_free
from blogapi.importing.storing.former_paths import FormerPaths, list_paths
from blogapi.importing.storing.imported_before import (
    compute_digest,
    find_hidden_there,
    is_changed,
    is_edited,
    keep_state,
    keeps_public_text,
    store_guesses,
)
from blogapi.importing.storing.lost_words import describe_lost_words
from blogapi.importing.storing.state import ImportState
from blogapi.importing.texts.messages import describe_kept_text, describe_unread_rules
from blogapi.publication.visibility import READABLE_STATUSES, ItemType, Status
from blogapi.rendering import sanitizer, slugs
from blogapi.storage.database import current_time, db


class ImportBatch:
    """The rows that the records of a batch need, loaded in a fixed number of statements."""

    def __init__(
        self,
        state: ImportState,
        records: Sequence[ArticleRecord],
        media: Mapping[str, RecordMedia],
    ) -> None:
        self._state = state
        keys = {key for record in records for key in (record.key, record.former_key, record.parent_key)}
        self.files = queries.find_files(keys)
        uuids = [file.article_id for file in self.files.values()]
        exported = [record.exported.uuid for record in records if record.exported is not None]
        uuids += exported
        columns = (Article.status, Article.published_at, Article.cover_image)
        times = (Article.created, Article.last_updated)
        page = (Article.slug, Article.category_id, Article.language, Article.type, Article.parent_id)
        statement = select(Article.uuid, *columns, *times, *page)
        rows = db.session.execute(statement.where(Article.uuid.in_(uuids)))
        self.articles = {row.uuid: row for row in rows}
        #: The articles of an export that this blog does not have. If such an article was deleted here, its
        #: version numbers continue.
        self.restored_uuids = [uuid for uuid in exported if uuid not in self.articles]
        self._pages = {row.uuid for row in self.articles.values() if row.type == ItemType.PAGE}
        self.inputs = ArticleInputFactory(state, records)
        self.media = BatchMedia(records, uuids, media)
        self._paths = FormerPaths(state, records)

    def store(self, record: ArticleRecord, loaded: LoadedArticles) -> FileReport:
        """Create the article of a record, or update it if the record has changed since its last import.

        Raises one of REFUSALS.
        """
        self.inputs.authors = []
        record = self._keep_type(record)
        report = self._create_or_update(record, loaded)
        if report.result in (Result.CREATED, Result.UPDATED):
            self._state.authors.count(self.inputs.authors)
        file = self._find_file(record)
        return self.media.complete_report(record, file.article_id if file else None, report)

    def finish(self) -> None:
        """Store the rows that belong to several articles of the batch."""
        self._paths.store()
        self.media.fill_alts()
        self.media.delete_former_uses()

    def _keep_type(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record as a page or an article, whichever an earlier import has made of it."""
        file = self._find_file(record)
        state = self.articles.get(file.article_id) if file else None
        if record.exported or state is None or record.is_page == (state.type == ItemType.PAGE):
            return record
        if not record.is_page:
            return replace(record, is_page=True)
        note = "It stays an article, as an earlier import made it one."
        return replace(record, is_page=False, parent_key="", position=0, notes=(*record.notes, note))

    def _find_file(self, record: ArticleRecord) -> ImportedFile | None:
        return self.files.get(record.former_key) or self.files.get(record.key)

    def _create_or_update(self, record: ArticleRecord, loaded: LoadedArticles) -> FileReport:
        file = self._find_file(record)
        if file is None and record.exported is not None and record.exported.uuid in self.articles:
            return self._compare(record, record.exported.uuid, loaded)
        if file is None:
            new = ImportedFile(key=record.key, root=_find_root(record, record.key))
            return self._create(record, new, loaded)
        if record.key not in self.files:
            file.key = record.key
        file.root = _find_root(record, file.key)
        if file.article_id in self.articles:
            return self._update(record, file, loaded)
        if self._state.restore_deleted:
            return self._create(record, file, loaded)
        reason = "Its article was deleted in this blog; --restore-deleted imports it again."
        return FileReport(record.key, Result.SKIPPED, notes=(reason,))

    def _compare(self, record: ArticleRecord, uuid: UUID, loaded: LoadedArticles) -> FileReport:
        """Return the report for an exported article that exists in this blog but was not imported into it."""
        state = self.articles[uuid]
        status = lifecycle.get_api_status(state, current_time())
        if self._is_equal(record, uuid, loaded):
            return FileReport(record.key, Result.UNCHANGED, status, article=uuid)
        reason = (
            "This blog has the article with different content, and has not imported it; it stays as it is. "
            "To replace it, delete it and import the file again."
        )
        return FileReport(record.key, Result.SKIPPED, notes=(reason,))

    def _is_equal(self, record: ArticleRecord, uuid: UUID, loaded: LoadedArticles) -> bool:
        article_input = self._make_input(record, uuid)
        load(loaded, [article_input], [uuid])
        return changes_nothing(loaded, uuid, article_input)

    def _update(self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles) -> FileReport:
        state = self.articles[file.article_id]
        old_status = lifecycle.get_api_status(state, current_time())
        notes: tuple[str, ...] = ()
        if record.unread_rules and {record.status, state.status} <= {*READABLE_STATUSES}:
            self._state.public_unread.add(record.key)
        original, record = record, keep_state(record, state, file, current_time())
        has_changed = is_changed(original, record, state, file)
        if has_changed and record.exported and self._is_equal(record, file.article_id, loaded):
            _set_digest(file, record, current_time())
        elif has_changed and is_edited(state, file):
            return self._keep_edited(record, file.article_id)
        elif has_changed and keeps_public_text(original, state, file):
            self._state.guesses.public_here.add(record.key)
            return FileReport(
                record.key,
                Result.UNCHANGED,
                old_status,
                (describe_kept_text(original.unlifted),),
                article=file.article_id,
            )
        elif has_changed:
            is_remapped = self.media.map_paths(file.article_id, record)
            article_input, editor = self._make_input(record, file.article_id), self._state.author
            load(loaded, [article_input], [file.article_id])
            if is_remapped:
                render_article_again(loaded, file.article_id)
            if state.status == Status.ARCHIVED and record.status in READABLE_STATUSES:
                # An archived article becomes a draft before it can become public.
                change_article(loaded, editor, file.article_id, ArticleInput(status="draft", type=state.type))
            # SEO fields that the file no longer has get their default values.
            article_input = replace(
                article_input, seo={**default_seo(article_input.texts), **article_input.seo}
            )
            if record.exported is not None and not is_slug_free(
                article_input.slug, file.article_id, article_input.type
            ):
                notes = (*notes, f"The slug “{article_input.slug}” is taken; the article keeps its own.")
                article_input = replace(article_input, slug=None)
            article = change_article(loaded, editor, file.article_id, article_input)
            complete_article(article, record.exported, old_time=state.last_updated)
            notes = (*notes, *self._add_redirects(record, article))
            _set_digest(file, original, _get_import_time(record))
            return _report(record, Result.UPDATED, article, notes)
        elif record.unlifted and {original.open_status, state.status} <= {*READABLE_STATUSES}:
            self._state.guesses.public_here.add(record.key)
        store_guesses(file, record)
        notes = (*notes, *self._paths.add(record, state))
        is_updated = self._update_media(record, file, loaded)
        result = Result.UPDATED if is_updated else Result.UNCHANGED
        return FileReport(record.key, result, old_status, notes, article=file.article_id)

    def _keep_edited(self, record: ArticleRecord, uuid: UUID) -> FileReport:
        """Return a report if the edited article shows a text that the former blog hides.

        Raises RefusedFile for any other edited article.
        """
        state, columns = self.articles[uuid], select(Article.content, Article.content_type)
        text = db.session.execute(columns.where(Article.uuid == uuid)).one()
        notes = find_hidden_there(record, state, *text, current_time())
        if not notes:
            raise RefusedFile(
                "The article was edited in this blog after it was imported; "
                "to replace it, delete it and import the file with --restore-deleted."
            )
        status = lifecycle.get_api_status(state, current_time())
        return FileReport(record.key, Result.UNCHANGED, status, notes, article=uuid, hidden_there=True)

    def _update_media(self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles) -> bool:
        """Map the files of an unchanged record; return whether its article shows other files now."""
        uuid, state = file.article_id, self.articles[file.article_id]
        own_covers = {record.cover_image, self.media.get_address(record.cover_image, uuid)}
        is_remapped = self.media.map_paths(uuid, record)
        cover = self.media.get_address(record.cover_image, uuid)
        is_other_cover = state.cover_image in own_covers and state.cover_image != cover
        if is_remapped or is_other_cover:
            load(loaded, [], [uuid])
        if is_remapped:
            render_article_again(loaded, uuid)
        if is_other_cover:
            cover_input = ArticleInput(texts={"cover_image": cover}, type=state.type)
            change_article(loaded, self._state.author, uuid, cover_input)
            # The condition is needed because an article that was edited here must still count as edited.
            if state.last_updated <= file.imported_at:
                file.imported_at = current_time()
        return is_remapped or is_other_cover

    def _make_input(self, record: ArticleRecord, article_id: UUID) -> ArticleInput:
        article_input = self.inputs.make(self.media.replace_pictures(record, article_id))
        if not record.is_page:
            return article_input
        file, state = self.files.get(record.parent_key), self.articles.get(article_id)
        parent = file.article_id if file and file.article_id in self._pages else None
        if not record.parent_key or (state is None and parent is not None):
            return replace(article_input, parent=parent)
        # The parent is set later: it can come later in the import, or be below the page in this blog.
        if state is None or parent != state.parent_id:
            self._state.orphans[record.key] = (record.parent_key, state is None)
        return article_input

    def _create(self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles) -> FileReport:
        exported = record.exported
        preferred = record.slug if exported and record.slug else slugs.make_slug(record.slug or record.title)
        notes = []
        if preferred in self._state.redirects:
            redirect_service.remove(preferred)
            notes.append(
                f"The redirect from “{preferred}” to another article was removed, because this article has "
                "this slug."
            )
        original = record
        if record.unread_rules and record.status in READABLE_STATUSES:
            note = describe_unread_rules(record.unread_rules)
            record = replace(record, status="draft", notes=(*record.notes, note))
        uuid = file.article_id or (exported.uuid if exported else uuid4())
        self.media.map_paths(uuid, record)
        author, article_input = self._state.author, self._make_input(record, uuid)
        load(loaded, [article_input], [uuid] if file.article_id and exported is None else [])
        if exported is not None and not is_slug_free(article_input.slug, uuid, article_input.type):
            article_input = replace(article_input, slug=None)
        article = create_article(loaded, author, article_input, uuid=uuid, slug_from=record.slug)
        complete_article(article, exported)
        # A title without letters or digits gets a random slug, which needs no note.
        if article.slug.startswith(f"{preferred}-"):
            notes.append(f"The slug “{preferred}” is taken; the article got “{article.slug}”.")
        file.article_id = article.uuid
        if record.is_page:
            self._pages.add(article.uuid)
            self.files[record.key] = file
        _set_digest(file, original, _get_import_time(record))
        notes += self._add_redirects(record, article)
        db.session.add(file)
        return _report(record, Result.CREATED, article, notes)

    def _add_redirects(self, record: ArticleRecord, article: Article) -> Iterator[str]:
        if record.exported is not None:
            yield from self._paths.add(record, article)
            for slug in add_former_slugs(article, record.exported):
                yield f"There is no redirect from “{slug}”, which is the slug of another article."
            return
        new_slugs = [slug for slug in record.former_slugs if slug != article.slug]
        if record.status == "draft":
            if new_slugs or list_paths(record):
                yield "Its former addresses were ignored, because a draft has no redirects."
            return
        yield from self._paths.add(record, article)
        taken = redirect_service.add(article.uuid, new_slugs) if new_slugs else []
        if self._state.dry_run:
            planned = self._state.planned_slugs | self._state.redirects
            taken = [slug for slug in new_slugs if slug in planned or slug in taken]
        self._state.redirects.update(set(new_slugs) - set(taken))
        for slug in taken:
            yield f"There is no redirect from “{slug}”, which is the slug of another article."


def _set_digest(file: ImportedFile, record: ArticleRecord, imported_at: datetime) -> None:
    file.digest, file.imported_at = compute_digest(record), imported_at
    store_guesses(file, record)


def _get_import_time(record: ArticleRecord) -> datetime:
    """Return the current time, or the time of the last change in the export if that is later."""
    now = current_time()
    return max(now, (record.exported and record.exported.last_updated) or now)


def _find_root(record: ArticleRecord, key: str) -> str | None:
    return find_root(record.path, key) if record.path and "/" in key else None


def _report(
    record: ArticleRecord,
    result: Result,
    article: Article,
    notes: Iterable[str],
) -> FileReport:
    status = lifecycle.get_api_status(article, current_time())
    source = record.content, record.content_type
    rendering = render(*source)
    lost = describe_lost_words(*source, rendering.plain_text)
    is_text = sanitizer.is_shown_as_text(*source, rendering.html)
    as_text = "Readers see the markup of its text, which takes too long to render." if is_text else None
    notes = (
        *record.notes,
        *notes,
        *describe_unfit(record.custom),
        *filter(None, [lost, as_text]),
    )
    return FileReport(record.key, result, status, notes, slug=article.slug, article=article.uuid)
