"""Lists, adds, names, compares, restores and deletes the former versions of articles and pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import delete, exists, func, select, union

from blogapi.accounts.users.models import Account
from blogapi.content.articles import article_content, page_tree, snapshots
from blogapi.content.articles import service as article_service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article, ArticleRevision, DeletedItem
from blogapi.content.articles.queries import find_article, get_article
from blogapi.content.articles.snapshots import get_content, parse_content
from blogapi.content.articles.writing import bin_documents, history
from blogapi.content.articles.writing.term_references import keep_existing_terms
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.shown_values import (
    select_hidden_values,
    select_visible_differences,
    select_visible_values,
)
from blogapi.content.media import uses
from blogapi.content.media.models import MediaPath, MediaUse
from blogapi.content.working_copies.queries import find_working_copy
from blogapi.content.working_copies.service import make_edits
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import current_time, db, split_values, transaction
from blogapi.web.access import current_key_name
from blogapi.web.errors import Conflict, require_item
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.pagination import Page, PageRequest, fetch_page


def list_revisions(article_id: UUID, page: PageRequest | None) -> Page[Sequence[WithAttributes]]:
    """Return the former versions of an article, newest first; the article may have been deleted."""
    statement = (
        select(ArticleRevision)
        .where(ArticleRevision.article_id == article_id)
        .order_by(ArticleRevision.number.desc())
    )
    revisions = fetch_page(statement, page)
    return Page([add_content_fields(row) for row in revisions.rows], revisions.total, page)


def get_revision(article_id: UUID, number: int) -> ArticleRevision:
    """Return the former version; raises NotFound if it does not exist."""
    revision = db.session.get(ArticleRevision, (article_id, number))
    return require_item(revision, "There is no such version; GET …/revisions/ lists the versions.")


def add_content_fields(revision: ArticleRevision) -> WithAttributes:
    """Return the version with the fields of its content as additional attributes."""
    flat = parse_content(revision.content).to_flat_dict()
    return WithAttributes(revision, **flat | {"custom": select_visible_values(flat["custom"])})


def restore_revision(
    editor: UUID, article_id: UUID, number: int, type_: ItemType, *, keeps_authors: bool = False
) -> Article:
    """Restore the content of a former version; the current content becomes a former version.

    The item gets the type `type_`; for a page, the category of the version is ignored. The slug, status,
    publication time, parent and position do not change, so that nothing is published by accident. A deleted
    item is restored as a draft with its former slug, and a page also with its former parent and position.
    Deleted tags and authors are left out; if no author is left, or with `keeps_authors`, the authors do not
    change. Raises NotFound if the version does not exist, and Conflict if its category was deleted.
    """
    with transaction(visible=False):
        revision = get_revision(article_id, number)
        version = replace(parse_content(revision.content), type=type_.value)
        if type_ == ItemType.PAGE:
            version = replace(version, category=None)
        version, category = keep_existing_terms(version)
        if category is None and version.category is not None:
            raise Conflict(
                "The category of that version was deleted; create it again with the same uuid, then restore "
                "the version."
            )
        fields = version.to_input()
        article = find_article(article_id)
        deleted = db.session.get(DeletedItem, article_id) if article is None else None
        if current := bin_documents.parse_document(deleted).article if deleted is not None else article:
            # Custom fields that the caller may not read do not change.
            hidden = select_hidden_values(custom_values.parse_stored_values(current.custom))
            fields = replace(fields, custom=select_visible_values(fields.custom) | hidden)
        if article is not None:
            if keeps_authors:
                fields = replace(fields, authors=None)
            return article_service.change_article_in_transaction(editor, article_id, fields)
        author = db.session.get(Account, revision.author_id)
        parent = version.parent if version.parent in page_tree.get_tree() else None
        fields = replace(fields, position=version.position, parent=parent)
        return article_service.create_article_in_transaction(
            author.uuid if author else editor, fields, uuid=article_id, editor=editor, slug_from=version.slug
        )


def add_revision(editor: UUID, article_id: UUID, name: str, edits: ArticleInput | None) -> ArticleRevision:
    """Add a version to the history of an article, and return it; the article does not change.

    `edits` are the fields that differ from the article. Without `edits`, the working copy is added, or the
    current version of the article if there is no working copy. Raises NotFound if the article does not exist,
    and Invalid if a term does not exist.
    """
    with transaction(visible=False):
        article = get_article(article_id)
        current = get_content(article)
        writer = {"user_id": editor, "key_name": current_key_name(), "created": current_time()}
        if edits is not None:
            content = make_edits(current, edits, replace(current, slug=""))
        elif copy := find_working_copy(article_id):
            content = parse_content(copy.content)
            writer = {"user_id": copy.user_id, "key_name": copy.key_name, "created": copy.last_updated}
        else:
            return history.name_current_version(article, name)
        content = snapshots.apply_edits(content, current)
        return history.add_version(article, content, name=name, **writer)


def name_revision(article_id: UUID, number: int, *, name: str | None = None) -> ArticleRevision:
    """Name a former version, or the current version, and return it; None keeps the name.

    Raises NotFound if the version does not exist.
    """
    with transaction(visible=False):
        article = find_article(article_id)
        if article is not None and article.version == number and name is not None:
            return history.name_current_version(article, name)
        revision = get_revision(article_id, number)
        revision.name = revision.name if name is None else name
    return revision


def prerender_revision(article_id: UUID, number: int) -> None:
    """Render the content of a former version before the transaction that restores it."""
    version = parse_content(get_revision(article_id, number).content)
    article_service.prerender_inputs([replace(version.to_input(), uuid=article_id)])


def compare_revisions(article_id: UUID, number: int, *, to: int | None = None) -> Fields:
    """Return the numbers of a version and of the later version `to` (None: current), and their differences.

    Raises NotFound if one of the two versions does not exist.
    """
    before = parse_content(get_revision(article_id, number).content)
    current = get_article(article_id) if to is None else find_article(article_id)
    if current is not None and to in (None, current.version):
        to, after = current.version, get_content(current)
    else:
        after = parse_content(get_revision(article_id, to or 0).content)
    changes = select_visible_differences(article_content.compare_contents(before, after))
    return {"before": number, "after": to, "changes": changes}


def prune_revisions(keep: int) -> int:
    """Delete all but the newest `keep` former versions of each article; return how many were deleted.

    Versions with a name are kept, and are not counted.
    """
    rank = (
        func.row_number()
        .over(partition_by=ArticleRevision.article_id, order_by=ArticleRevision.number.desc())
        .label("rank")
    )
    columns = (ArticleRevision.article_id, ArticleRevision.number, rank)
    ranked = select(*columns).where(ArticleRevision.name == "").subquery()
    with transaction(visible=False):
        old = db.session.execute(
            select(ranked.c.article_id, ranked.c.number).where(ranked.c.rank > keep)
        ).all()
        for article_id, number in old:
            db.session.execute(
                delete(ArticleRevision).where(
                    ArticleRevision.article_id == article_id, ArticleRevision.number == number
                )
            )
        delete_unneeded_former_uses({article_id for article_id, _ in old})
        uses.delete_paths_and_uses(db.session(), _list_removed_articles())
    return len(old)


def prune_deleted_histories() -> int:
    """Delete the histories of the items of `list_unrestorable_items`; return the number of these items."""
    with transaction(visible=False):
        gone = list_unrestorable_items()
        delete_histories(gone)
    return len(gone)


def delete_histories(articles: Collection[UUID]) -> None:
    """Delete all versions of deleted items, also those with a name, and their paths and uses of files."""
    for batch in split_values(articles):
        db.session.execute(delete(ArticleRevision).where(ArticleRevision.article_id.in_(batch)))
    uses.delete_paths_and_uses(db.session(), articles)


def list_unrestorable_items() -> Sequence[UUID]:
    """Return deleted items that are no longer in the bin, but still have versions, paths or uses of files."""
    named = union(
        select(ArticleRevision.article_id),
        select(MediaPath.article_id),
        select(MediaUse.item_id).where(MediaUse.kind == uses.ARTICLE),
    ).subquery()
    uuid = named.c.article_id
    statement = select(uuid).where(
        ~exists().where(Article.uuid == uuid), ~exists().where(DeletedItem.uuid == uuid)
    )
    return db.session.scalars(statement).all()


def delete_unneeded_former_uses(articles: Collection[UUID]) -> None:
    """Delete the uses of files to which no former version of these articles refers any more.

    A version refers to a file by its uuid, a hash, or a path of an imported article.
    """
    for article_id, files in uses.list_former_uses(db.session(), articles).items():
        contents = select(ArticleRevision.content).where(ArticleRevision.article_id == article_id)
        needed: set[UUID] = set()
        for version in db.session.scalars(contents.execution_options(yield_per=10)):
            text = version.lower()
            needed |= {media_id for media_id, words in files.items() if any(word in text for word in words)}
        uses.delete_former_uses(
            db.session(), [(article_id, media_id) for media_id in files if media_id not in needed]
        )


def _list_removed_articles() -> Sequence[UUID]:
    """Return the deleted articles that have media paths, but no versions, and cannot be restored."""
    article_id = MediaPath.article_id
    statement = select(article_id).where(
        ~exists().where(Article.uuid == article_id),
        ~exists().where(ArticleRevision.article_id == article_id),
        ~exists().where(DeletedItem.uuid == article_id),
    )
    return db.session.scalars(statement.distinct()).all()
