"""Writes articles and pages: creates, changes, deletes and restores them, and keeps their former versions.

A write that changes nothing stores nothing. Several writes share the rows that `write_articles_together`
loads; data that depends on all of these writes is stored once, at the end of its `with` block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from uuid import UUID, uuid4

from flask import has_request_context
from sqlalchemy import select

from blogapi.content.articles import page_tree, prerendering, queries
from blogapi.content.articles.article_content import (
    ArticleContent,
    ArticleInput,
    compare_contents,
    make_default_seo,
    revise_content,
)
from blogapi.content.articles.fields import TERM_LIST_FIELDS, TEXT_DEFAULTS
from blogapi.content.articles.models import LINK_MODELS, Article, DeletedItem, FormerSlug
from blogapi.content.articles.prerendering import remove_generated_excerpt
from blogapi.content.articles.schemas import PUT_DEFAULTS
from blogapi.content.articles.snapshots import get_content
from blogapi.content.articles.writing import bin_documents, event_states, history
from blogapi.content.articles.writing.event_states import get_article_state
from blogapi.content.articles.writing.loaded_articles import (
    ArticleWrite,
    LoadedArticles,
    store_writes,
    write_articles_together,
)
from blogapi.content.custom_fields.definitions import list_definitions
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.content.custom_fields.shown_values import select_public_field_names
from blogapi.content.custom_fields.validation import make_missing_field_errors
from blogapi.content.search.tokenizer import make_sort_key
from blogapi.content.taxonomies.authors import get_or_create_profile
from blogapi.content.taxonomies.categories import CATEGORIES, DEFAULT_CATEGORY, Category
from blogapi.content.taxonomies.queries import find_terms_by_names
from blogapi.content.taxonomies.service import get_or_create_term
from blogapi.parsing import normalize_language
from blogapi.publication.events import note_change
from blogapi.publication.models import ChangeType
from blogapi.publication.visibility import READABLE_STATUSES, ItemType, Status, is_readable
from blogapi.rendering.slugs import make_slug
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import current_time, db, table_of, transaction
from blogapi.web import unique_slugs
from blogapi.web.access import current_caller, current_key_name
from blogapi.web.errors import Conflict, Errors, Invalid
from blogapi.web.unique_slugs import find_free_slug, get_base_slug
from blogapi.web.writes import write_items

# The maximum number of slugs that an error message lists.
_MAX_NAMED_SLUGS = 50


def prerender_inputs(inputs: Sequence[ArticleInput], *, partial: bool = False) -> None:
    """Render the contents of these inputs before the transaction of the write.

    With `partial`, an omitted field has the value from the stored article. Otherwise an omitted field of
    `ArticleSchema` is reset to its default value, and any other omitted field keeps its stored value.
    """
    names = prerendering.RENDERING_INPUTS
    rendered = [fields for fields in inputs if not partial or not fields.texts.keys().isdisjoint(names)]
    uuids = [fields.uuid for fields in rendered if fields.uuid is not None]
    stored = prerendering.read_rendering_inputs(uuids) if uuids else {}
    sources = list[prerendering.RenderingSource]()
    for fields in rendered:
        old_texts = stored.get(fields.uuid) if fields.uuid is not None else None
        texts = {**TEXT_DEFAULTS, **(old_texts or {}), **({} if partial else PUT_DEFAULTS), **fields.texts}
        if old_texts is None or any(old_texts[name] != texts[name] for name in names):
            sources += prerendering.list_sources(old_texts, texts)
    if sources:
        prerendering.prerender_sources(sources)


def create_article_in_transaction(
    author: UUID,
    fields: ArticleInput,
    *,
    uuid: UUID | None = None,
    editor: UUID | None = None,
    slug_from: str = "",
) -> Article:
    """Create an article in one transaction; see `create_article`."""
    with write_articles_together([fields], uuid, writer=author) as loaded:
        return create_article(loaded, author, fields, uuid=uuid, editor=editor, slug_from=slug_from)


def replace_article_in_transaction(editor: UUID, uuid: UUID, fields: ArticleInput) -> tuple[Article, bool]:
    """Create or replace the article with this uuid; return it and whether it was created."""
    with write_articles_together([fields], uuid, writer=editor) as loaded:
        return replace_article(loaded, editor, uuid, fields)


def change_article_in_transaction(editor: UUID, uuid: UUID, fields: ArticleInput) -> Article:
    """Change the given fields in one transaction; see `change_article`."""
    with write_articles_together([fields], uuid) as loaded:
        return change_article(loaded, editor, uuid, fields)


def replace_articles(editor: UUID, items: Sequence[ArticleInput]) -> list[UUID]:
    """Create or replace several articles, all or none; return their uuids."""
    with write_articles_together(items, *map(_get_uuid, items), writer=editor) as loaded:
        return write_items(items, lambda item: replace_article(loaded, editor, _get_uuid(item), item)[0].uuid)


def change_articles(editor: UUID, items: Sequence[ArticleInput]) -> list[UUID]:
    """Change the given fields of several articles, all or none; return their uuids."""
    with write_articles_together(items, *map(_get_uuid, items)) as loaded:
        return write_items(items, lambda item: change_article(loaded, editor, _get_uuid(item), item).uuid)


def delete_item(editor: UUID, uuid: UUID, type_: str = ItemType.ARTICLE.value) -> None:
    """Delete an article or page, and store it with its edits, so that it can be restored.

    The pages directly below a deleted page become top-level pages. Raises NotFound if there is no such item.
    """
    with _store_items_in_bin(editor, [uuid], type_) as loaded:
        delete_article(loaded, uuid, type_)


def delete_items(editor: UUID, uuids: Sequence[UUID], type_: str = ItemType.ARTICLE.value) -> None:
    """Delete several articles or pages, all or none; see `delete_item`."""
    with _store_items_in_bin(editor, uuids, type_) as loaded:
        write_items(uuids, lambda uuid: delete_article(loaded, uuid, type_))


@contextmanager
def _store_items_in_bin(editor: UUID, uuids: Sequence[UUID], type_: str) -> Iterator[LoadedArticles]:
    """Store items in the bin, and move their child pages to the top; the `with` block deletes the items."""
    with transaction(visible=False):
        children = page_tree.list_children(uuids) if type_ == ItemType.PAGE else []
        with write_articles_together([], *uuids, *children) as loaded:
            bin_documents.store_documents(editor, uuids)
            for child in children:
                change_article(loaded, editor, child, ArticleInput(type=type_, parent=None))
            yield loaded


def create_article(
    loaded: LoadedArticles,
    author: UUID,
    fields: ArticleInput,
    *,
    uuid: UUID | None = None,
    editor: UUID | None = None,
    slug_from: str = "",
) -> Article:
    """Create an article and return it.

    Without a slug in `fields`, a slug is derived from `slug_from` or the title, with a number if it is taken.
    Some callers write unpublished articles with provisional slugs; see `unique_slugs`. Without authors in
    `fields`, the author is the profile of `author`. An article with the uuid of a deleted article continues
    the version numbers of the deleted article.

    Raises Invalid if the category, a tag or an author does not exist, and Conflict if the slug is taken.
    """
    now, has_given_uuid, uuid = current_time(), uuid is not None, uuid or uuid4()
    content = _revise_content(loaded, None, fields, now, author)
    if not content.authors:
        profile = loaded.terms.profile or get_or_create_profile(author).uuid
        content = dataclasses.replace(content, authors=(profile,))
    if has_given_uuid and (item := db.session.get(DeletedItem, uuid)):
        bin_documents.delete_row_and_keep_edits(item)
        loaded.deleted_numbers |= queries.get_last_revision_numbers([uuid])
    if fields.is_imported:
        content = _break_parent_cycle(loaded, uuid, content)
    words = slug_from or content.texts["title"]
    is_provisional = _gets_provisional_slug(content)
    slug = _choose_slug(loaded, uuid, content.type, fields.slug, words, is_provisional=is_provisional)
    article = Article(
        uuid=uuid,
        author_id=author,
        editor_id=editor or author,
        key_name=current_key_name(),
        version=loaded.deleted_numbers.get(uuid, 0) + 1,
        slug_derived=not (fields.slug or slug_from),
        was_public=is_readable(content, now),
        seo_uuid=uuid4(),
        seo_created=now,
        created=now,
        last_updated=now,
    )
    loaded.keep_old_tree(content.type)
    _set_content(article, dataclasses.replace(content, slug=slug), now)
    db.session.add(article)
    loaded.writes[uuid] = ArticleWrite(article, None)
    note_change(article.type, uuid, None, get_article_state(article), has_earlier_events=has_given_uuid)
    return article


def replace_article(
    loaded: LoadedArticles, editor: UUID, uuid: UUID, fields: ArticleInput
) -> tuple[Article, bool]:
    """Create or replace the article with this uuid; return it and whether it was created.

    A replaced article keeps its author. It also keeps its slug, publication time, authors and undocumented
    text fields if `fields` omits them.
    """
    if uuid not in loaded.articles:
        return create_article(loaded, editor, fields, uuid=uuid), True
    texts = {**PUT_DEFAULTS, **fields.texts}
    all_fields = dataclasses.replace(
        fields,
        texts=texts,
        status=fields.status or Status.DRAFT.value,
        tags=fields.tags or (),
        seo={**make_default_seo(texts), **fields.seo},
    )
    return change_article(loaded, editor, uuid, all_fields), False


def change_article(
    loaded: LoadedArticles, editor: UUID, uuid: UUID, fields: ArticleInput, *, is_save: bool = False
) -> Article:
    """Change the given fields and keep the former version; for `is_save`, see `continues_last_version`.

    Raises NotFound if the article does not exist, Invalid if a field is invalid, and Conflict if the
    transition is not allowed or the slug is taken.
    """
    article = loaded.get_article(uuid, fields.type)
    old_content, now = get_content(article), current_time()
    content = _revise_content(loaded, old_content, fields, now)
    if fields.is_imported:
        content = _break_parent_cycle(loaded, uuid, content)
    # A scheduled article becomes public without a write, so `was_public` is updated at the next change.
    was_public = article.was_public or is_readable(old_content, now)
    slug = _revise_slug(loaded, article, old_content, content, fields.slug, was_public=was_public)
    content = dataclasses.replace(content, slug=slug)
    if content == old_content:
        return article
    loaded.keep_old_tree(content.type)
    state = get_article_state(article)
    loaded.writes.setdefault(uuid, ArticleWrite(article, old_content))
    number = loaded.articles[uuid].last_number
    if not (is_save and history.continues_last_version(article, number, editor, now)):
        since = now if is_save else None
        number = history.keep_former_version(article, old_content, number, saves_since=since)
    if slug != old_content.slug:
        _record_slug_change(loaded, article, new=slug, keep_old=was_public)
    _set_content(article, content, now)
    article.was_public = was_public or is_readable(content, now)
    article.version = max(article.version, number) + 1
    article.editor_id, article.key_name, article.last_updated = editor, current_key_name(), now
    changed = [difference.field for difference in compare_contents(old_content, content)]
    if content.custom != old_content.custom:
        changed = select_public_field_names(changed)
    note_change(article.type, uuid, state, get_article_state(article), fields=changed)
    return article


def delete_article(loaded: LoadedArticles, uuid: UUID, type_: str = ItemType.ARTICLE.value) -> None:
    """Delete an article, and keep its last version; raises NotFound if it does not exist."""
    article = loaded.get_article(uuid, type_)
    history.keep_former_version(article, get_content(article), loaded.articles[uuid].last_number)
    loaded.keep_old_tree(type_)
    loaded.writes.pop(uuid, None)
    loaded.deleted.append(uuid)
    note_change(article.type, uuid, get_article_state(article), None)
    db.session.delete(article)


def restore_article(loaded: LoadedArticles, article: Article) -> None:
    """Store a deleted article again, with another slug if its slug is taken; `article` is in no session."""
    uuid, content = article.uuid, get_content(article)
    article.slug = _choose_restored_slug(loaded, article, content)
    article.was_public = article.was_public or is_readable(content, current_time())
    article.version = max(article.version, loaded.deleted_numbers.get(uuid, 0)) + 1
    article.update_link_columns()
    loaded.keep_old_tree(article.type)
    db.session.add(article)
    loaded.writes[uuid] = ArticleWrite(article, None)
    note_change(article.type, uuid, None, get_article_state(article))


def rerender_article(loaded: LoadedArticles, uuid: UUID) -> None:
    """Let `store_writes` rerender an article whose relative addresses now refer to other files."""
    article = loaded.get_article(uuid)
    write = loaded.writes.setdefault(uuid, ArticleWrite(article, get_content(article)))
    write.must_render = True
    event_states.record_rendering(article, ChangeType.UPDATED)


def changes_nothing(loaded: LoadedArticles, uuid: UUID, fields: ArticleInput) -> bool:
    """Return whether a write of these fields would leave the article unchanged."""
    old_content = get_content(loaded.get_article(uuid))
    try:
        content = _revise_content(loaded, old_content, fields, current_time())
    except Conflict:
        return False
    return dataclasses.replace(content, slug=fields.slug or old_content.slug) == old_content


def _revise_content(
    loaded: LoadedArticles,
    old_content: ArticleContent | None,
    fields: ArticleInput,
    now: datetime,
    author: UUID | None = None,
) -> ArticleContent:
    """Return the content after a change.

    A new article without a category gets the default category. Raises Invalid with the errors of all invalid
    fields.
    """
    errors: Errors = {}
    category, tags, authors = loaded.terms.resolve_references(fields, errors)
    if author is not None and fields.category is None and fields.type == ItemType.ARTICLE:
        category = _get_default_category(author, errors)
    try:
        content = revise_content(
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
        errors |= _make_missing_field_errors(old_content, content, fields) if list_definitions() else {}
    if errors:
        raise Invalid("The article is invalid; `errors` names the fields to correct.", errors=errors)
    texts = content.texts
    if texts["excerpt"]:
        texts = remove_generated_excerpt(old_content.texts if old_content else None, texts)
    if texts["language"] and texts["language"] == normalize_language(get_site().language):
        # Articles in the language of the site are stored with an empty language, by which lists find them.
        texts = {**texts, "language": ""}
    return dataclasses.replace(content, texts=texts)


def _get_default_category(author: UUID, errors: Errors) -> UUID | None:
    """Return the default category, which `author` creates if it is missing.

    A category is public, so a write with a key for drafts does not create it: an error is added instead, and
    the result is None.
    """
    if not (has_request_context() and current_caller().writes_drafts_only):
        return get_or_create_term(CATEGORIES, author, DEFAULT_CATEGORY).uuid
    category = find_terms_by_names(CATEGORIES, [DEFAULT_CATEGORY]).get(DEFAULT_CATEGORY)
    if category is not None:
        return category.uuid
    slugs = db.session.scalars(select(Category.slug).order_by(Category.slug).limit(_MAX_NAMED_SLUGS)).all()
    known = f"send one of these slugs: {', '.join(slugs)}" if slugs else "create one with a login first"
    errors["category"] = [f"Is required, because this key cannot create a category; {known}."]
    return None


def _break_parent_cycle(loaded: LoadedArticles, uuid: UUID, content: ArticleContent) -> ArticleContent:
    """Return the content, without its parent if the page would be below itself.

    An edited export, or an export of another blog, can contain such a parent; the API refuses it.
    """
    above, tree = content.parent, page_tree.get_tree() if content.parent else {}
    seen = set[UUID]()
    while above is not None and above != uuid and above not in seen:
        seen.add(above)
        place, write = tree.get(above), loaded.writes.get(above)
        above = write.article.parent_id if write else place.parent if place else None
    return dataclasses.replace(content, parent=None) if above == uuid else content


def _make_missing_field_errors(
    old_content: ArticleContent | None, content: ArticleContent, fields: ArticleInput
) -> Errors:
    """Return errors for the required custom fields that a readable article lacks."""
    was_readable = old_content is not None and old_content.status in READABLE_STATUSES
    before = NO_VALUES if old_content is None else old_content.custom
    is_unchanged = was_readable and content.custom == before
    if content.status not in READABLE_STATUSES or is_unchanged or fields.is_imported:
        return {}
    return make_missing_field_errors(content.type, before, content.custom, was_readable=was_readable)


def _set_content(article: Article, content: ArticleContent, now: datetime) -> None:
    """Copy the content to the columns and the links of the article."""
    for name, text in content.texts.items():
        setattr(article, name, text)
    article.sort_key = make_sort_key(content.texts["title"])
    article.slug, article.status = content.slug, content.status
    article.published_at, article.custom = content.published_at, content.custom
    article.category_id = content.category
    article.type, article.parent_id, article.position = content.type, content.parent, content.position
    for field in TERM_LIST_FIELDS:
        uuids = getattr(content, field.name)
        links = {link.term_id: link for link in getattr(article, field.relation)}
        if tuple(links) != uuids:
            model = LINK_MODELS[field.name]
            setattr(article, field.relation, [links.get(uuid) or model(term_id=uuid) for uuid in uuids])
            for position, link in enumerate(getattr(article, field.relation)):
                link.position = position
    article.update_link_columns()
    for name, text in content.seo.items():
        if getattr(article, f"seo_{name}") != text:
            setattr(article, f"seo_{name}", text)
            article.seo_last_updated = now


def _get_uuid(fields: ArticleInput) -> UUID:
    assert fields.uuid is not None, "the schema of bulk writes requires it"
    return fields.uuid


def _choose_restored_slug(loaded: LoadedArticles, article: Article, content: ArticleContent) -> str:
    """Return the slug of a restored article: the former one, unless it is taken or has to be provisional."""
    find_taken = partial(_find_taken_slugs, loaded, exclude=article.uuid)
    if _gets_provisional_slug(content):
        slug = unique_slugs.choose_provisional_slug(article.slug, article.uuid, find_taken)
    else:
        is_reserved = partial(is_reserved_slug, get_site(), article.type)
        slug = find_free_slug(article.slug, find_taken, is_reserved)
    loaded.assigned_slugs.add(slug)
    return slug


def _revise_slug(
    loaded: LoadedArticles,
    article: Article,
    old_content: ArticleContent,
    content: ArticleContent,
    slug: str | None,
    *,
    was_public: bool,
) -> str:
    """Return the slug after a change to `content`.

    If the request contains a slug, this slug is used. A derived slug changes with the title until the article
    is public, and the publication replaces a provisional slug. Otherwise, the slug does not change.
    """
    title, base = content.texts["title"], get_base_slug(old_content.slug, article.uuid)
    if base and slug == base and _gets_provisional_slug(content):
        slug = old_content.slug
    if slug in (None, old_content.slug):
        follows_title = slug is None and article.slug_derived and not was_public
        if not (follows_title and title != old_content.texts["title"]):
            is_final = base is not None and content.status in READABLE_STATUSES
            return (
                _choose_slug(loaded, article.uuid, article.type, None, base or "")
                if is_final
                else old_content.slug
            )
    article.slug_derived = slug is None
    is_provisional = _gets_provisional_slug(content)
    return _choose_slug(loaded, article.uuid, article.type, slug, title, is_provisional=is_provisional)


def _record_slug_change(loaded: LoadedArticles, article: Article, *, new: str, keep_old: bool) -> None:
    """Remove the new slug from the former slugs; with `keep_old`, add the old slug.

    The old slug of an article that was never public is not kept, because no reader knows it.
    """
    old = article.slug
    if new in queries.find_former_slugs(article.uuid):
        former_slug = table_of(FormerSlug)
        db.session.connection().execute(former_slug.delete().where(former_slug.c.slug == new))
    if keep_old:
        db.session.add(FormerSlug(slug=old, article_id=article.uuid))
    else:
        loaded.released_slugs.add(old)
        loaded.assigned_slugs.discard(old)


def _gets_provisional_slug(content: ArticleContent) -> bool:
    """Return whether the article gets a provisional slug; see `Caller.gets_provisional_slugs`."""
    # Imports and commands have no caller.
    is_hidden = content.status not in READABLE_STATUSES
    return is_hidden and has_request_context() and current_caller().gets_provisional_slugs


def _choose_slug(
    loaded: LoadedArticles,
    uuid: UUID,
    type_: str,
    requested_slug: str | None,
    words: str,
    *,
    is_provisional: bool = False,
) -> str:
    find_taken = partial(_find_taken_slugs, loaded, exclude=uuid)
    if is_provisional:
        slug = unique_slugs.choose_provisional_slug(requested_slug or make_slug(words), uuid, find_taken)
    else:
        is_reserved = partial(is_reserved_slug, get_site(), type_)
        slug = unique_slugs.choose_slug(requested_slug, words, find_taken, is_reserved)
    if slug in loaded.released_slugs:
        # The database refuses the slug until the article that had it is stored with another slug.
        store_writes(loaded)
    loaded.assigned_slugs.add(slug)
    return slug


def _find_taken_slugs(loaded: LoadedArticles, slugs: Sequence[str], *, exclude: UUID) -> set[str]:
    known = loaded.terms.slugs
    if known.keys() >= set(slugs):
        stored = {slug for slug in slugs if known[slug] not in (None, exclude)}
    else:
        stored = queries.find_taken_slugs(slugs, exclude=exclude)
    return (stored - loaded.released_slugs) | loaded.assigned_slugs.intersection(slugs)
