"""Restores deleted articles and pages, and deletes them for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from flask import current_app
from sqlalchemy import select

from blogapi.accounts.users.queries import find_user
from blogapi.content.articles import page_tree, permissions, prerendering, service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.fields import TERM_LIST_NAMES
from blogapi.content.articles.models import (
    Article,
    ArticleAuthor,
    ArticleTag,
    DeletedItem,
    FormerPath,
    FormerSlug,
)
from blogapi.content.articles.queries import find_taken_slugs
from blogapi.content.articles.snapshots import get_content
from blogapi.content.articles.writing import bin_documents
from blogapi.content.articles.writing.bin_documents import BinDocument
from blogapi.content.articles.writing.loaded_articles import write_articles_together
from blogapi.content.articles.writing.term_references import keep_existing_terms
from blogapi.content.deleted_items.queries import has_missed_schedule
from blogapi.content.media import uses
from blogapi.content.pages.hierarchy import NEW_NODE, find_parent_error
from blogapi.content.revisions.service import delete_histories
from blogapi.content.taxonomies.authors import find_profile, get_or_create_profile
from blogapi.content.taxonomies.categories import CATEGORIES, DEFAULT_CATEGORY
from blogapi.content.taxonomies.service import get_or_create_term
from blogapi.publication.visibility import ItemType, Status, get_api_status
from blogapi.site.page_paths import PageTree, list_ancestors
from blogapi.storage.database import BUSY_ERRORS, current_time, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web.fields import WithAttributes


def prerender_items(uuids: Sequence[UUID]) -> None:
    """Render the contents of the items that the caller may restore, before the transaction that does so."""
    is_restorable = permissions.match_restorable_items()
    rows = db.session.scalars(select(DeletedItem).where(DeletedItem.uuid.in_(uuids), is_restorable))
    articles = [bin_documents.parse_document(row).article for row in rows]
    prerendering.prerender_sources((article.content, article.content_type) for article in articles)


def restore_items(user: UUID, uuids: Sequence[UUID]) -> list[WithAttributes]:
    """Restore deleted items of one kind for the user, all or none; return them in this order, with `notes`.

    Each note describes a difference from the state before the deletion. Preview links are not restored.
    """
    with transaction(visible=False):
        documents, notes = dict[UUID, BinDocument](), dict[UUID, list[str]]()
        for row in [db.session.get_one(DeletedItem, uuid) for uuid in uuids]:
            documents[row.uuid] = bin_documents.parse_document(row)
            notes[row.uuid] = _adapt_article(documents[row.uuid].article, row, user)
            bin_documents.delete_item_row(row)
        tree = _make_restored_tree(documents, notes)
        below = [child for doc in documents.values() for child in doc.children if child not in documents]
        moved = [child for child in below if child in tree and tree[child].parent in documents]
        with write_articles_together([], *uuids, *moved) as loaded:
            for uuid in sorted(uuids, key=lambda uuid: len(list_ancestors(uuid, tree))):
                article, copy = documents[uuid].article, documents[uuid].working_copy
                article.parent_id, slug, version = tree[uuid].parent, article.slug, article.version
                service.restore_article(loaded, article)
                if article.slug != slug:
                    notes[uuid].append(f"Its slug is “{article.slug}” instead of “{slug}”.")
                if copy is not None and copy.base_version == version:
                    copy.base_version = article.version
            for child in moved:
                place = ArticleInput(type=ItemType.PAGE.value, parent=tree[child].parent)
                service.change_article(loaded, user, child, place)
        for uuid, document in documents.items():
            _restore_addresses_and_edits(uuid, document, notes[uuid])
        restored, now = [documents[uuid].article for uuid in uuids], current_time()
        return [
            WithAttributes(item, status=get_api_status(item, now), notes=notes[item.uuid])
            for item in restored
        ]


def delete_items_for_good(uuids: Sequence[UUID]) -> None:
    """Delete deleted items with their versions, edits, former addresses and uses of files."""
    with transaction(visible=False):
        for uuid in uuids:
            bin_documents.delete_item_row(db.session.get_one(DeletedItem, uuid))
        delete_histories(uuids)


def delete_expired_items() -> None:
    """Delete the rows of items that were deleted more than BIN_DAYS ago; their edits become versions.

    A row that cannot be deleted, for example because it is damaged, is logged and stays.
    """
    has_left = ~permissions.match_items_in_bin()
    for uuid in db.session.scalars(select(DeletedItem.uuid).where(has_left)).all():
        try:
            with transaction(visible=False):
                if row := db.session.get(DeletedItem, uuid):
                    bin_documents.delete_row_and_keep_edits(row)
        except (*BUSY_ERRORS, NewerSchema):
            raise
        except Exception:
            current_app.logger.exception("cannot delete the deleted item %s for good; its row is kept", uuid)


def _adapt_article(article: Article, row: DeletedItem, user: UUID) -> list[str]:
    """Adapt the item to changes in the blog since its deletion; return a sentence about each adaptation."""
    notes, content = [], get_content(article)
    if has_missed_schedule(content, row.deleted, current_time()):
        article.status, article.published_at = Status.DRAFT.value, None
        notes.append("Its time of publication has passed, so it is a draft.")
    if find_user(article.author_id) is None:
        article.author_id = user
        notes.append("It belongs to you, because its owner was deleted.")
    if find_user(article.editor_id) is None:
        article.editor_id = user
    existing, category = keep_existing_terms(content)
    changed = [name for name in TERM_LIST_NAMES if getattr(content, name) != getattr(existing, name)]
    for name in (*(["categories"] if content.category != category else ()), *changed):
        notes.append(f"Deleted {name} are left out, and merged {name} are replaced.")
    if content.category and category is None:
        default = get_or_create_term(CATEGORIES, user, DEFAULT_CATEGORY)
        category = default.uuid
        notes.append(f"Its category is {default.name}.")
    authors = existing.authors
    if not authors:
        profile = find_profile(article.author_id) or get_or_create_profile(user)
        authors = (profile.uuid,)
        notes.append(f"Its author is {profile.name}.")
    article.category_id = category
    article.tag_links = [ArticleTag(tag_id=uuid, position=n) for n, uuid in enumerate(existing.tags)]
    article.author_links = [ArticleAuthor(author_id=uuid, position=n) for n, uuid in enumerate(authors)]
    return notes


def _make_restored_tree(documents: Mapping[UUID, BinDocument], notes: Mapping[UUID, list[str]]) -> PageTree:
    """Return the tree after the restoration; former children that are now at the top return to their page."""
    tree = {**page_tree.get_tree(), **dict.fromkeys(documents, NEW_NODE)}
    parents = {uuid: document.article.parent_id for uuid, document in documents.items()}
    for parent, document in documents.items():
        for child in document.children:
            is_at_top = child in tree and tree[child].parent is None and parents.get(child) is None
            if is_at_top and not find_parent_error(child, parent, tree):
                tree[child] = replace(tree[child], parent=parent)
    for uuid, above in parents.items():
        if above is not None and find_parent_error(uuid, above, tree):
            notes[uuid].append("It is at the top, because it can no longer be below its former parent.")
        elif above is not None:
            tree[uuid] = replace(tree[uuid], parent=above)
    return tree


def _restore_addresses_and_edits(uuid: UUID, document: BinDocument, notes: list[str]) -> None:
    """Restore the edits of the item, and its former addresses unless another item has them now."""
    former = [row for row in document.former_addresses if _is_free_address(row)]
    if len(former) < len(document.former_addresses):
        notes.append("Former addresses that another item has now were not restored.")
    db.session.add_all(former)
    if copy := document.working_copy:
        db.session.add(copy)
        uses.store_working_copy_uses(db.session(), uuid, copy.content)
    db.session.flush()


def _is_free_address(row: FormerSlug | FormerPath) -> bool:
    if isinstance(row, FormerSlug):
        return not find_taken_slugs([row.slug], exclude=row.article_id)
    return db.session.get(FormerPath, row.path) is None
