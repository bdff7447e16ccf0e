"""Store the records of a batch: create new articles, and update those whose source has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID, uuid4

from sqlalchemy import select

from blogapi.content.articles.article_content import ArticleInput, make_default_seo
from blogapi.content.articles.models import Article, FormerPath
from blogapi.content.articles.prerendering import render_content
from blogapi.content.articles.queries import find_taken_slugs
from blogapi.content.articles.service import change_article, changes_nothing, create_article, rerender_article
from blogapi.content.articles.writing.loaded_articles import LoadedArticles, load_articles
from blogapi.content.custom_fields.validation import describe_unfit_values
from blogapi.content.taxonomies.categories import Category
from blogapi.delivery.redirects import service as redirect_service
from blogapi.delivery.redirects.queries import add_placeholder_address
from blogapi.importing import queries
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source_files import find_root_folder
from blogapi.importing.media.imported_media import RecordMedia
from blogapi.importing.models import ImportedFile
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.storing import earlier_imports
from blogapi.importing.storing.article_input import ArticleInputFactory
from blogapi.importing.storing.batch_media import BatchMedia, add_media_results
from blogapi.importing.storing.state import ImportState
from blogapi.importing.texts.messages import describe_unread_rules, join_names
from blogapi.publication.visibility import READABLE_STATUSES, ItemType, Status, get_api_status
from blogapi.rendering import sanitizer, slugs
from blogapi.site.addresses import make_article_path, make_page_path
from blogapi.site.paths import extract_former_path, strip_slash
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import current_time, db, split_values


def is_slug_free(slug: str | None, uuid: UUID, type_: str) -> bool:
    """Return whether the article with this uuid can have the slug; True if the slug is None.

    A slug is free if no other article has or had it, and no other page of the site has its address.
    """
    if slug is None:
        return True
    if is_reserved_slug(get_site(), type_, slug):
        article = db.session.get(Article, uuid)
        return article is not None and article.slug == slug
    return not find_taken_slugs([slug], exclude=uuid)


def set_import_fields(article: Article, record: ArticleRecord, *, old_time: datetime | None = None) -> None:
    """Set the fields of a created or changed article that its body does not contain.

    `old_time` is the time of the last change of a changed article. If the record has no later
    time, a person has changed the exported file, and the article keeps the current time.
    """
    if record.uuid is None:
        return
    times = (article.created, article.published_at, record.last_updated)
    article.created = record.created or min(filter(None, times))
    # With a time in the future, a later edit in this blog would not be recognised.
    last_updated = min(record.last_updated or article.created, current_time())
    if old_time is None or last_updated > old_time:
        article.last_updated = last_updated
    article.slug_derived = record.slug_derived
    # A slug that was public stays, and becomes a former slug if it changes.
    article.was_public |= bool(record.was_public or record.former_slugs)


class FormerPathStore:
    """The former paths of the records of a batch, and the articles that have these paths already."""

    def __init__(self, state: ImportState, records: Sequence[ArticleRecord]) -> None:
        self._state, self._owners = state, dict(state.planned_paths)
        self._new: list[FormerPath] = []
        paths = sorted({path for record in records for path in list_former_paths(record)})
        self._site = add_placeholder_address(get_site()) if paths else None
        for group in split_values(paths):
            owners = select(FormerPath.path, FormerPath.article_id)
            rows = db.session.execute(owners.where(FormerPath.path.in_(group)))
            self._owners |= {row.path: row.article_id for row in rows}

    def add_paths(self, record: ArticleRecord, article: Any) -> Iterator[str]:
        """Add the paths of a record to its article (or a row of it); yield a sentence about each taken path.

        The current address is not a former path.
        """
        paths = list_former_paths(record) if can_have_been_public(record) else ()
        current_path = self._get_current_path(article) if paths else ""
        for path in paths:
            if strip_slash(path) == current_path:
                continue
            if path not in self._owners:
                created = record.former_times.get(path) or current_time()
                self._new.append(FormerPath(path=path, article_id=article.uuid, created=created))
            if self._owners.setdefault(path, article.uuid) != article.uuid:
                yield f"There is no redirect from “{path}”, which is a former address of another article."

    def store_paths(self) -> None:
        """Store the new paths; the articles are flushed first, because the paths refer to them."""
        db.session.flush()
        db.session.add_all(self._new)
        if self._state.dry_run:
            self._state.planned_paths |= {new.path: new.article_id for new in self._new}

    def _get_current_path(self, article: Any) -> str:
        assert self._site is not None, "the batch has records with paths"
        values: dict[str, Any] = {"uuid": article.uuid, "language": article.language}
        if article.category_id is None:
            # The path of a child page is not known before its parents are stored. This does no harm, because
            # the list of redirects leaves out the addresses of pages.
            path = make_page_path(self._site, slugs=[article.slug], **values)
        elif article.published_at is None:
            return ""
        else:
            has_category = "{category}" in self._site.article_path
            category = db.session.get(Category, article.category_id) if has_category else None
            values |= {"category_slug": category.slug if category else "", "slug": article.slug}
            path = make_article_path(self._site, published_at=article.published_at, **values)
        return strip_slash(unquote(urlsplit(self._site.url + path).path))


def can_have_been_public(record: ArticleRecord) -> bool:
    """Return whether the article can have been public: it is no draft, or a draft in an export of blogapi."""
    return record.status != "draft" or record.uuid is not None


def list_former_paths(record: ArticleRecord) -> Sequence[str]:
    """Return the valid paths in the former blog."""
    return [path for path in dict.fromkeys(map(extract_former_path, record.former_paths)) if path]


class ImportBatch:
    """Stores the records of a batch; loads the rows that they need in a fixed number of statements."""

    def __init__(
        self, state: ImportState, records: Sequence[ArticleRecord], media: Mapping[str, RecordMedia]
    ) -> None:
        self._state = state
        keys = {key for record in records for key in (record.key, record.former_key, record.parent_key)}
        self.files = queries.find_imported_files(keys)
        uuids = [file.article_id for file in self.files.values()]
        uuids += [record.uuid for record in records if record.uuid is not None]
        columns = (Article.status, Article.published_at, Article.cover_image)
        times = (Article.created, Article.last_updated)
        page = (Article.slug, Article.category_id, Article.language, Article.type, Article.parent_id)
        statement = select(Article.uuid, *columns, *times, *page)
        rows = db.session.execute(statement.where(Article.uuid.in_(uuids)))
        self.articles = {row.uuid: row for row in rows}
        #: The articles that this blog does not have. If such an article was deleted here, its version numbers
        #: continue.
        self.restored_uuids = [uuid for uuid in uuids if uuid not in self.articles]
        self._pages = {row.uuid for row in self.articles.values() if row.type == ItemType.PAGE}
        self.inputs = ArticleInputFactory(state, records)
        self.media, self._media = BatchMedia(records, uuids, media), media
        self._paths = FormerPathStore(state, records)

    def store_record(self, record: ArticleRecord, loaded: LoadedArticles) -> FileReport:
        """Create the article of a record, or update it if the record has changed since its last import.

        Raises one of REFUSAL_ERRORS.
        """
        self.inputs.authors = []
        record = self._keep_item_type(record)
        report = self._create_or_update_article(record, loaded)
        if report.result in (Result.CREATED, Result.UPDATED):
            self._state.authors.count_articles(self.inputs.authors)
        file = self._find_imported_file(record)
        mapped = self.media.list_mapped_paths(file.article_id) if file else ()
        return add_media_results(record, report, self._media.get(record.key), mapped)

    def store_paths_and_media(self) -> None:
        """Store the former paths, the alternative texts and the media uses of all records of the batch."""
        self._paths.store_paths()
        self.media.store_alts_and_delete_uses()

    def _keep_item_type(self, record: ArticleRecord) -> ArticleRecord:
        """Return the record as a page or an article, whichever an earlier import has made of it."""
        file = self._find_imported_file(record)
        state = self.articles.get(file.article_id) if file else None
        if record.uuid is not None or state is None or record.is_page == (state.type == ItemType.PAGE):
            return record
        if not record.is_page:
            return replace(record, is_page=True)
        note = "It stays an article, because an earlier import made it an article."
        return replace(record, is_page=False, parent_key="", position=0, notes=(*record.notes, note))

    def _find_imported_file(self, record: ArticleRecord) -> ImportedFile | None:
        return self.files.get(record.former_key) or self.files.get(record.key)

    def _create_or_update_article(self, record: ArticleRecord, loaded: LoadedArticles) -> FileReport:
        file = self._find_imported_file(record)
        if file is None and (uuid := record.uuid) is not None and uuid in self.articles:
            # The article exists in this blog but was not imported into it.
            if self._equals_article(record, uuid, loaded):
                status = get_api_status(self.articles[uuid], current_time())
                return FileReport(record.key, Result.UNCHANGED, status, article=uuid)
            reason = (
                "This blog has this article with different content, which was not imported; it stays as it "
                "is. To replace it, delete it and import the file again."
            )
            return FileReport(record.key, Result.SKIPPED, notes=(reason,))
        if file is None:
            new = ImportedFile(key=record.key, root=find_root_folder(record.path, record.key))
            return self._add_article(record, new, loaded)
        if record.key not in self.files:
            file.key = record.key
        file.root = find_root_folder(record.path, file.key)
        if file.article_id in self.articles:
            return self._update_article(record, file, loaded)
        if self._state.restore_deleted:
            return self._add_article(record, file, loaded)
        reason = "Its article was deleted in this blog; --restore-deleted imports it again."
        return FileReport(record.key, Result.SKIPPED, notes=(reason,))

    def _equals_article(self, record: ArticleRecord, uuid: UUID, loaded: LoadedArticles) -> bool:
        article_input = self._make_input(record, uuid)
        load_articles(loaded, [article_input], [uuid])
        return changes_nothing(loaded, uuid, article_input)

    def _update_article(
        self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles
    ) -> FileReport:
        state = self.articles[file.article_id]
        old_status = get_api_status(state, current_time())
        notes: tuple[str, ...] = ()
        if record.unread_rules and {record.status, state.status} <= {*READABLE_STATUSES}:
            self._state.public_unread.add(record.key)
        original, record = record, earlier_imports.keep_status_and_date(record, state, file, current_time())
        has_changed = earlier_imports.is_record_changed(original, record, state, file)
        if has_changed and record.uuid is not None and self._equals_article(record, file.article_id, loaded):
            _mark_as_imported(file, record)
        elif has_changed and earlier_imports.is_article_edited(state, file):
            columns = select(Article.content, Article.content_type)
            text = db.session.execute(columns.where(Article.uuid == file.article_id)).one()
            notes = earlier_imports.describe_exposed_text(record, state, *text, current_time())
            if not notes:
                raise RefusedFile(
                    "The article was edited in this blog after it was imported; "
                    "to replace it, delete it and import the file with --restore-deleted."
                )
            return FileReport(
                record.key, Result.UNCHANGED, old_status, notes, article=file.article_id, hidden_there=True
            )
        elif has_changed and earlier_imports.keeps_public_text(original, state, file):
            self._state.guesses.public_here.add(record.key)
            note = (
                "The former blog may hide its changed text; the article keeps its former text until you make "
                f"it a draft or lift these guesses (--publish-marked): {join_names(original.unlifted)}."
            )
            return FileReport(record.key, Result.UNCHANGED, old_status, (note,), article=file.article_id)
        elif has_changed:
            is_remapped = self.media.map_paths(file.article_id, record)
            article_input, editor = self._make_input(record, file.article_id), self._state.author
            load_articles(loaded, [article_input], [file.article_id])
            if is_remapped:
                rerender_article(loaded, file.article_id)
            if state.status == Status.ARCHIVED and record.status in READABLE_STATUSES:
                # An archived article becomes a draft before it can become public.
                change_article(loaded, editor, file.article_id, ArticleInput(status="draft", type=state.type))
            # SEO fields that the file no longer has get their default values.
            seo, slug = {**make_default_seo(article_input.texts), **article_input.seo}, article_input.slug
            article_input = replace(article_input, seo=seo)
            if not is_slug_free(slug, file.article_id, article_input.type):
                notes = (*notes, f"The slug “{slug}” is taken; the article keeps its own.")
                article_input = replace(article_input, slug=None)
            article = change_article(loaded, editor, file.article_id, article_input)
            set_import_fields(article, record, old_time=state.last_updated)
            notes = (*notes, *self._add_redirects(record, article))
            _mark_as_imported(file, original)
            return _make_report(record, Result.UPDATED, article, notes)
        elif record.unlifted and {original.open_status, state.status} <= {*READABLE_STATUSES}:
            self._state.guesses.public_here.add(record.key)
        earlier_imports.store_guesses(file, record)
        notes = (*notes, *self._paths.add_paths(record, state))
        result = Result.UPDATED if self._update_media(record, file, loaded) else Result.UNCHANGED
        return FileReport(record.key, result, old_status, notes, article=file.article_id)

    def _update_media(self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles) -> bool:
        """Map the files of an unchanged record; return whether its article shows other files now."""
        uuid, state = file.article_id, self.articles[file.article_id]
        own_covers = {record.cover_image, self.media.get_picture_address(record.cover_image, uuid)}
        is_remapped = self.media.map_paths(uuid, record)
        cover = self.media.get_picture_address(record.cover_image, uuid)
        is_other_cover = state.cover_image in own_covers and state.cover_image != cover
        if is_remapped or is_other_cover:
            load_articles(loaded, [], [uuid])
        if is_remapped:
            rerender_article(loaded, uuid)
        if is_other_cover:
            cover_input = ArticleInput(texts={"cover_image": cover}, type=state.type)
            change_article(loaded, self._state.author, uuid, cover_input)
            # The condition is needed because an article that was edited here must still count as edited.
            if state.last_updated <= file.imported_at:
                file.imported_at = current_time()
        return is_remapped or is_other_cover

    def _make_input(self, record: ArticleRecord, article_id: UUID) -> ArticleInput:
        pictures = {name: getattr(record, name) for name in ("cover_image", "og_image")}
        pictures = {name: self.media.get_picture_address(url, article_id) for name, url in pictures.items()}
        article_input = self.inputs.make_input(replace(record, **pictures))
        if not record.is_page:
            return article_input
        file, state = self.files.get(record.parent_key), self.articles.get(article_id)
        parent = file.article_id if file and file.article_id in self._pages else None
        if not record.parent_key or (state is None and parent is not None):
            return replace(article_input, parent=parent)
        # The parent is set later: it can come later in the import, or be below the page in this blog.
        if state is None or parent != state.parent_id:
            self._state.missing_parents[record.key] = (record.parent_key, state is None)
        return article_input

    def _add_article(self, record: ArticleRecord, file: ImportedFile, loaded: LoadedArticles) -> FileReport:
        original, notes = record, []
        if record.unread_rules and record.status in READABLE_STATUSES:
            note = describe_unread_rules(record.unread_rules)
            record = replace(record, status="draft", notes=(*record.notes, note))
        uuid = file.article_id or record.uuid or uuid4()
        self.media.map_paths(uuid, record)
        author, article_input = self._state.author, self._make_input(record, uuid)
        load_articles(loaded, [article_input], [])
        preferred = article_input.slug or slugs.make_slug(record.slug or record.title)
        if preferred in self._state.redirects:
            redirect_service.delete_former_slug(preferred)
            notes.append(
                f"The redirect from “{preferred}” to another article was removed, because this article has "
                "this slug."
            )
        if not is_slug_free(article_input.slug, uuid, article_input.type):
            article_input = replace(article_input, slug=None)
        article = create_article(loaded, author, article_input, uuid=uuid, slug_from=record.slug)
        set_import_fields(article, record)
        # A title without letters or digits gets a random slug, which needs no note.
        if article.slug.startswith(f"{preferred}-"):
            notes.append(f"The slug “{preferred}” is taken; the article got “{article.slug}”.")
        file.article_id = article.uuid
        if record.is_page:
            self._pages.add(article.uuid)
            self.files[record.key] = file
        _mark_as_imported(file, original)
        notes += self._add_redirects(record, article)
        db.session.add(file)
        return _make_report(record, Result.CREATED, article, notes)

    def _add_redirects(self, record: ArticleRecord, article: Article) -> Iterator[str]:
        new_slugs = [slug for slug in record.former_slugs if slug != article.slug]
        if not can_have_been_public(record):
            if new_slugs or list_former_paths(record):
                yield "Its former addresses were ignored, because a draft has no redirects."
            return
        yield from self._paths.add_paths(record, article)
        times = record.former_times
        taken = redirect_service.add_former_slugs(article.uuid, new_slugs, times) if new_slugs else []
        if self._state.dry_run:
            planned = self._state.planned_slugs | self._state.redirects
            taken = [slug for slug in new_slugs if slug in planned or slug in taken]
        self._state.redirects.update(set(new_slugs) - set(taken))
        for slug in taken:
            yield f"There is no redirect from “{slug}”, which is the slug of another article."


def _mark_as_imported(file: ImportedFile, record: ArticleRecord) -> None:
    file.digest, file.imported_at = earlier_imports.compute_digest(record), current_time()
    earlier_imports.store_guesses(file, record)


def _make_report(record: ArticleRecord, result: Result, article: Article, notes: Iterable[str]) -> FileReport:
    status = get_api_status(article, current_time())
    source = record.content, record.content_type
    rendering = render_content(*source)
    lost = earlier_imports.describe_lost_words(*source, rendering.plain_text)
    is_text = sanitizer.is_shown_as_text(*source, rendering.html)
    as_text = "Readers see the markup of its text, because it takes too long to render." if is_text else None
    others = filter(None, [lost, as_text])
    notes = (*record.notes, *notes, *describe_unfit_values(record.custom), *others)
    return FileReport(record.key, result, status, notes, slug=article.slug, article=article.uuid)
