"""Writes of several articles in one transaction: their rows are loaded together and stored together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from flask import has_request_context
from sqlalchemy import delete

from blogapi.content.articles import page_tree, queries
from blogapi.content.articles.content import ArticleContent, ArticleInput, compare, default_seo, revise
from blogapi.content.articles.fields import LINK_FIELDS, TEXT_DEFAULTS
from blogapi.content.articles.models import LINK_MODELS, Article, DeletedItem, FormerSlug, Seo
from blogapi.content.articles.prepared import remove_generated_excerpt
from blogapi.content.articles.queries import StoredArticle
from blogapi.content.articles.schemas import RESET_BY_PUT
from blogapi.content.articles.snapshots import get_content
from blogapi.content.articles.writing import deleted_items, history, json_writer, page_moves, states
from blogapi.content.articles.writing.json_writer import ArticleWrite
from blogapi.content.articles.writing.states import get_state
from blogapi.content.articles.writing.term_references import NO_TERMS, find_terms
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.content.custom_fields.shown_values import list_public_names
from blogapi.content.custom_fields.validation import find_missing_fields
from blogapi.content.media import uses
from blogapi.content.taxonomies import authors
from blogapi.content.taxonomies.categories import CATEGORIES, DEFAULT_CATEGORY
from blogapi.content.taxonomies.service import get_or_create_term
from blogapi.parsing import normalize_language
from blogapi.publication.events import record
from blogapi.publication.models import ChangeType
from blogapi.publication.visibility import READABLE_STATUSES, ItemType, Status, is_readable
from blogapi.rendering.slugs import make_slug
from blogapi.site import page_paths
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db, table_of, transaction
from blogapi.web.access import current_caller
from blogapi.web.errors import Conflict, Errors, Invalid, NotFound
from blogapi.web.unique_slugs import choose_slug, first_free_slug, get_base, make_provisional, number_slugs


@contextmanager
def open_batch(
    inputs: Sequence[ArticleInput],
    *uuids: UUID | None,
    writer: UUID | None = None,
    taken_slugs: Collection[str] = (),
) -> Iterator[ArticleBatch]:
    """Open a transaction and yield the batch of these articles; their rows are stored together at the end.

    `writer` is the user who writes new articles; None if the batch creates no articles, or belongs to an
    import. New articles do not get the slugs in `taken_slugs`.
    """
    with transaction(visible=False):
        batch = ArticleBatch(inputs, [uuid for uuid in uuids if uuid is not None], writer, taken_slugs)
        with db.session.no_autoflush:
            yield batch
            batch.store()


class ArticleBatch:
    """Writes to several articles whose rows, and the terms to which they refer, are loaded together."""

    def __init__(
        self,
        inputs: Sequence[ArticleInput],
        uuids: Sequence[UUID],
        writer: UUID | None = None,
        taken_slugs: Collection[str] = (),
    ) -> None:
        # Whether the former paths of pages that move are recorded, because readers may know them.
        self.keeps_former_paths = True
        self._stored: dict[UUID, StoredArticle] = {}
        self._terms = NO_TERMS
        # The highest numbers in the histories of articles that were deleted.
        self._deleted_numbers: dict[UUID, int] = {}
        self._writer = writer
        self.load(inputs, uuids)
        # The slugs that this batch has assigned to articles or removed from them, but not yet stored.
        self._assigned_slugs: set[str] = set(taken_slugs)
        self._released_slugs: set[str] = set()
        # The changes that `store` has not stored yet.
        self._writes: dict[UUID, ArticleWrite] = {}
        self._deleted: list[UUID] = []
        # The tree of the pages before the changes of this batch; None if no page is changed.
        self._tree: page_paths.Tree | None = None

    def store(self) -> None:
        """Store the rows of the articles and the data derived from them."""
        db.session.flush()
        if self._tree is not None:
            page_moves.record(self._tree, page_tree.read_again(), keeps_paths=self.keeps_former_paths)
        self._tree = None
        json_writer.store_writes(db.session(), self._writes.values())
        uses.end_article_uses(db.session(), self._deleted)
        self._writes, self._deleted = {}, []

    def load(self, inputs: Sequence[ArticleInput], uuids: Sequence[UUID]) -> None:
        """Load the rows that writes of further articles need."""
        # A write that only creates articles looks up all their slugs together; other writes look up a slug
        # when they need it.
        slugs = _list_slugs(inputs) if self._writer is not None and not uuids else ()
        self._terms = find_terms(inputs, self._writer, self._terms, slugs)
        self._stored |= queries.find_stored([uuid for uuid in uuids if uuid not in self._stored])
        # An article that is created with the uuid of a deleted article continues its version numbers.
        missing = [uuid for uuid in uuids if uuid not in self._stored]
        self._deleted_numbers |= queries.get_last_revision_numbers(missing)

    def create(
        self,
        author: UUID,
        fields: ArticleInput,
        *,
        uuid: UUID | None = None,
        editor: UUID | None = None,
        slug_from: str = "",
    ) -> Article:
        """Create an article; see `service.create`."""
        now = current_time()
        content = self._revise(None, fields, now, author)
        if not content.authors:
            profile = self._terms.profile or authors.get_or_create_profile(author).uuid
            content = replace(content, authors=(profile,))
        has_events, uuid = uuid is not None, uuid or uuid4()
        if has_events and (item := db.session.get(DeletedItem, uuid)):
            deleted_items.discard(item)
            self._deleted_numbers |= queries.get_last_revision_numbers([uuid])
        if fields.is_imported:
            content = self._break_cycle(uuid, content)
        words = slug_from or content.texts["title"]
        if self._is_provisional(content):
            slug = make_provisional(fields.slug or make_slug(words), uuid)
        else:
            slug = self._choose_slug(uuid, fields.slug, words)
        article = Article(
            uuid=uuid,
            author_id=author,
            editor_id=editor or author,
            version=self._deleted_numbers.get(uuid, 0) + 1,
            slug_derived=not (fields.slug or slug_from),
            seo=Seo(uuid=uuid4(), title="", created=now, last_updated=now),
            created=now,
            last_updated=now,
        )
        self._remember_tree(content.type)
        _set_content(article, replace(content, slug=slug), now)
        article.was_public = is_readable(content, now)
        db.session.add(article)
        self._writes[uuid] = ArticleWrite(article, None)
        record(article.type, uuid, None, get_state(article), has_events=has_events)
        return article

    def restore(self, article: Article) -> None:
        """Add a deleted article, which is in no session; it gets another slug if its slug is taken."""
        uuid = article.uuid
        if self._is_provisional(get_content(article)):
            article.slug = make_provisional(article.slug, uuid)
        else:
            article.slug = first_free_slug(article.slug, lambda slugs: self._find_taken(slugs, exclude=uuid))
        self._assigned_slugs.add(article.slug)
        article.was_public = article.was_public or is_readable(article, current_time())
        article.version = max(article.version, self._deleted_numbers.get(uuid, 0)) + 1
        article.update_links()
        self._remember_tree(article.type)
        db.session.add(article)
        self._writes[uuid] = ArticleWrite(article, None)
        record(article.type, uuid, None, get_state(article))

    def replace(self, editor: UUID, uuid: UUID, fields: ArticleInput) -> tuple[Article, bool]:
        """Create or replace an article; see `service.replace`."""
        if uuid not in self._stored:
            return self.create(editor, fields, uuid=uuid), True
        texts = {**RESET_BY_PUT, **fields.texts}
        all_fields = replace(
            fields,
            texts=texts,
            status=fields.status or Status.DRAFT.value,
            tags=fields.tags or (),
            seo={**default_seo(texts), **fields.seo},
        )
        return self.change(editor, uuid, all_fields), False

    def change(self, editor: UUID, uuid: UUID, fields: ArticleInput, *, is_save: bool = False) -> Article:
        """Change the given fields; see `service.change`, and for `is_save` see `history.continues_saves`."""
        article = self._get(uuid, fields.type)
        old_content, now = get_content(article), current_time()
        content = self._revise(old_content, fields, now)
        if fields.is_imported:
            content = self._break_cycle(uuid, content)
        # A scheduled article becomes public without a write, so `was_public` is updated at the next change.
        was_public = article.was_public or is_readable(old_content, now)
        slug = self._revise_slug(article, old_content, content, fields.slug, was_public=was_public)
        content = replace(content, slug=slug)
        if content != old_content:
            self._remember_tree(content.type)
            state = get_state(article)
            self._writes.setdefault(uuid, ArticleWrite(article, old_content))
            last_number = self._stored[uuid].last_number
            if not (is_save and history.continues_saves(article, last_number, editor, now)):
                since = now if is_save else None
                last_number = history.keep_former_version(
                    article, old_content, last_number, saves_since=since
                )
            if slug != old_content.slug:
                self._record_rename(article, new=slug, keep_old=was_public)
            _set_content(article, content, now)
            article.was_public = was_public or is_readable(content, now)
            article.version = max(article.version, last_number) + 1
            article.editor_id = editor
            article.last_updated = now
            changed = [difference.field for difference in compare(old_content, content)]
            names = list_public_names(changed)
            record(article.type, uuid, state, get_state(article), fields=names)
        return article

    def render_again(self, uuid: UUID) -> None:
        """Render an article again after other files were assigned to the relative addresses in its text."""
        article = self._get(uuid)
        write = self._writes.setdefault(uuid, ArticleWrite(article, get_content(article)))
        write.is_rendered = True
        states.record_rendering(article, ChangeType.UPDATED)

    def changes_nothing(self, uuid: UUID, fields: ArticleInput) -> bool:
        """Return whether a change with these fields would change nothing."""
        old_content = get_content(self._get(uuid))
        try:
            content = self._revise(old_content, fields, current_time())
        except Conflict:
            return False
        return replace(content, slug=fields.slug or old_content.slug) == old_content

    def delete(self, uuid: UUID, type_: str = ItemType.ARTICLE.value) -> None:
        """Delete an article; see `service.delete`."""
        article, content = self._get(uuid, type_), get_content(self._get(uuid, type_))
        history.keep_former_version(article, content, self._stored[uuid].last_number)
        self._remember_tree(type_)
        self._writes.pop(uuid, None)
        self._deleted.append(uuid)
        record(article.type, uuid, get_state(article), None)
        db.session.delete(article)

    def _remember_tree(self, type_: str) -> None:
        """Remember the tree of the pages before the first change of a page; later calls do nothing."""
        if type_ == ItemType.PAGE and self._tree is None:
            self._tree = page_tree.get_tree()

    def _get(self, uuid: UUID, type_: str | None = None) -> Article:
        """Return the article; raises NotFound if there is none, or if it has another type."""
        if uuid not in self._stored or type_ not in (None, self._stored[uuid].article.type):
            raise NotFound(f"There is no such {type_ or 'article'}.")
        article = self._stored[uuid].article
        if not article.seo:
            # The record can be missing in a damaged database; a write creates it again.
            article.seo = Seo(title=article.title)
            self._writes[uuid] = ArticleWrite(article, get_content(article), is_rendered=True)
        return article

    def _revise(
        self,
        old_content: ArticleContent | None,
        fields: ArticleInput,
        now: datetime,
        author: UUID | None = None,
    ) -> ArticleContent:
        """Return the content after a change.

        A new article without a category gets the default category, which `author` creates if it is missing.
        Raises Invalid with the errors of all invalid fields.
        """
        errors: Errors = {}
        category, tags, authors = self._terms.resolve(fields, errors)
        if author is not None and fields.category is None and fields.type == ItemType.ARTICLE:
            category = get_or_create_term(CATEGORIES, author, DEFAULT_CATEGORY).uuid
        try:
            content = revise(
                old_content,
                fields,
                category=category,
                tags=tags,
                authors=authors,
                defaults=TEXT_DEFAULTS,
                now=now,
            )
        except Invalid as error:
            errors |= error.errors or {}
        else:
            errors |= self._find_missing(old_content, content, fields)
        if errors:
            raise Invalid("The article is invalid; `errors` names the fields to correct.", errors=errors)
        old_texts = old_content.texts if old_content else None
        texts = remove_generated_excerpt(old_texts, content.texts)
        if texts["language"] and texts["language"] == normalize_language(get_site().language):
            # Articles in the language of the site are stored with an empty language, by which lists find
            # them.
            texts = {**texts, "language": ""}
        return replace(content, texts=texts)

    def _break_cycle(self, uuid: UUID, content: ArticleContent) -> ArticleContent:
        """Return the content, without its parent if the page would be below itself.

        An export that was edited, or made in another blog, can contain such a parent; the API refuses such a
        parent.
        """
        above, tree = content.parent, page_tree.get_tree() if content.parent else {}
        seen = set[UUID]()
        while above is not None and above != uuid and above not in seen:
            seen.add(above)
            place = tree.get(above)
            written = self._writes.get(above)
            above = written.article.parent_id if written else place.parent if place else None
        return replace(content, parent=None) if above == uuid else content

    def _find_missing(
        self, old_content: ArticleContent | None, content: ArticleContent, fields: ArticleInput
    ) -> Errors:
        was_readable = old_content is not None and old_content.status in READABLE_STATUSES
        before = NO_VALUES if old_content is None else old_content.custom
        is_unchanged = was_readable and content.custom == before
        if content.status not in READABLE_STATUSES or is_unchanged or fields.is_imported:
            return {}
        return find_missing_fields(content.type, before, content.custom, was_readable=was_readable)

    def _revise_slug(
        self,
        article: Article,
        old_content: ArticleContent,
        content: ArticleContent,
        slug: str | None,
        *,
        was_public: bool,
    ) -> str:
        """Return the slug after a change to `content`.

        If the request contains a slug, this slug is used. A derived slug changes with the title until the
        article is public, and the publication replaces a provisional slug. Otherwise, the slug does not
        change.
        """
        title, base = content.texts["title"], get_base(old_content.slug, article.uuid)
        if base and slug == base and self._is_provisional(content):
            slug = old_content.slug
        if slug in (None, old_content.slug):
            follows_title = slug is None and article.slug_derived and not was_public
            if not (follows_title and title != old_content.texts["title"]):
                ends = base is not None and content.status in READABLE_STATUSES
                return self._choose_slug(article.uuid, None, base or "") if ends else old_content.slug
        article.slug_derived = slug is None
        if self._is_provisional(content):
            return make_provisional(slug or make_slug(title), article.uuid)
        return self._choose_slug(article.uuid, slug, title)

    def _is_provisional(self, content: ArticleContent) -> bool:
        # Imports and commands have no caller.
        is_author = has_request_context() and current_caller().is_author
        return is_author and content.status not in READABLE_STATUSES

    def _choose_slug(self, uuid: UUID, requested_slug: str | None, words: str) -> str:
        slug = choose_slug(requested_slug, words, lambda slugs: self._find_taken(slugs, exclude=uuid))
        if slug in self._released_slugs:
            # The database refuses the slug until the article that had it is stored with another slug.
            self.store()
        self._assigned_slugs.add(slug)
        return slug

    def _find_taken(self, slugs: Sequence[str], *, exclude: UUID) -> set[str]:
        known = self._terms.slugs
        if known.keys() >= set(slugs):
            stored = {slug for slug in slugs if known[slug] not in (None, exclude)}
        else:
            stored = queries.find_taken_slugs(slugs, exclude=exclude)
        return (stored - self._released_slugs) | self._assigned_slugs.intersection(slugs)

    def _record_rename(self, article: Article, *, new: str, keep_old: bool) -> None:
        """Remove the new slug from the former slugs; with `keep_old`, add the old slug.

        The old slug of an article that was never public is not kept, because no reader knows it.
        """
        old = article.slug
        if new in queries.find_former_slugs(article.uuid):
            former_slug = table_of(FormerSlug)
            db.session.connection().execute(delete(former_slug).where(former_slug.c.slug == new))
        if keep_old:
            db.session.add(FormerSlug(slug=old, article_id=article.uuid))
        else:
            self._released_slugs.add(old)
            self._assigned_slugs.discard(old)


def _list_slugs(inputs: Sequence[ArticleInput]) -> list[str]:
    """Return the slugs that new articles with these inputs probably get."""
    return [
        slug
        for fields in inputs
        for slug in ([fields.slug] if fields.slug else number_slugs(make_slug(fields.texts["title"])))
    ]


def _set_content(article: Article, content: ArticleContent, now: datetime) -> None:
    for name, text in content.texts.items():
        setattr(article, name, text)
    article.slug, article.status = content.slug, content.status
    article.published_at, article.custom = content.published_at, content.custom
    article.category_id = content.category
    article.type, article.parent_id, article.position = content.type, content.parent, content.position
    for field in LINK_FIELDS:
        uuids = getattr(content, field.name)
        links = {link.term_id: link for link in getattr(article, field.relation)}
        if tuple(links) != uuids:
            model = LINK_MODELS[field.name]
            setattr(article, field.relation, [links.get(uuid) or model(term_id=uuid) for uuid in uuids])
            for position, link in enumerate(getattr(article, field.relation)):
                link.position = position
    article.update_links()
    for name, text in content.seo.items():
        if getattr(article.seo, name) != text:
            setattr(article.seo, name, text)
            # `onupdate` would assign the times to the wrong rows if one statement updates several rows.
            article.seo.last_updated = now
