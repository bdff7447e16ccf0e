"""The command `user reassign`, which moves the content of a user to another user."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import click
from sqlalchemy import or_, select
from sqlalchemy.orm.attributes import flag_modified

from blogapi.accounts.users.commands import user
from blogapi.accounts.users.queries import get_user_by_name
from blogapi.cli import report_problems
from blogapi.content.articles import queries
from blogapi.content.articles.models import Article, ArticleAuthor, DeletedItem, WorkingCopy
from blogapi.content.articles.writing.event_states import get_article_state
from blogapi.content.taxonomies import authors
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.service import get_term_state
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.events import note_change
from blogapi.storage.database import db, split_values, table_of, transaction
from blogapi.web.errors import Conflict

# The maximum number of articles, or of deleted items, in memory at a time.
_BATCH_SIZE = 200


@dataclass(slots=True)
class ReassignedCounts:
    """The numbers of moved articles, bylines, last edited articles, terms and deleted items."""

    articles: int = 0
    bylines: int = 0
    edited: int = 0
    categories: int = 0
    tags: int = 0
    deleted: int = 0


@user.command("reassign")
@click.argument("old")
@click.argument("new")
def reassign_content(old: str, new: str) -> None:
    """Move all articles, bylines, categories, tags and deleted items of the user OLD to the user NEW.

    Former versions and media files keep their users. OLD can then be deleted.
    """
    with report_problems():
        moved = move_user_content(old, new)
    click.echo(
        f"Moved from {old} to {new}: articles: {moved.articles}, bylines: {moved.bylines}, "
        f"categories: {moved.categories}, tags: {moved.tags}, deleted items: {moved.deleted}; "
        f"last editor of articles: {moved.edited}."
    )


def move_user_content(old: str, new: str) -> ReassignedCounts:
    """Move the content of the user `old` to the user `new`, in one transaction.

    In bylines, the profile of `new` replaces the profile of `old`. The times of the last update do not
    change, and former versions keep their authors. Raises NotFound if one of the users does not exist, and
    Conflict if both are the same user.
    """
    moved = ReassignedCounts()
    with transaction():
        old_owner, owner = get_user_by_name(old).uuid, get_user_by_name(new).uuid
        if old_owner == owner:
            raise Conflict(f"{old!r} and {new!r} are the same user; name two users.")
        _move_articles(old_owner, owner, moved)
        moved.deleted = _move_deleted_items(old_owner, owner)
        moved.categories = _move_terms(Category, old_owner, owner)
        moved.tags = _move_terms(Tag, old_owner, owner)
    return moved


def _move_articles(old_owner: UUID, owner: UUID, moved: ReassignedCounts) -> None:
    profile, new_profile = authors.find_profile(old_owner), authors.get_or_create_profile(owner).uuid
    is_owned = [Article.author_id == old_owner, Article.editor_id == old_owner]
    if profile is not None:
        links = select(ArticleAuthor.article_id).where(ArticleAuthor.author_id == profile.uuid)
        is_owned.append(Article.uuid.in_(links))
    uuids = db.session.scalars(select(Article.uuid).where(or_(*is_owned))).all()
    for batch in split_values(uuids, _BATCH_SIZE):
        for article, _ in queries.find_articles_for_write(batch).values():
            before, is_author = get_article_state(article), article.author_id == old_owner
            in_byline = profile is not None and _replace_author(article, profile.uuid, new_profile)
            moved.articles += is_author
            moved.bylines += in_byline
            moved.edited += article.editor_id == old_owner
            article.author_id = owner if is_author else article.author_id
            article.editor_id = owner if article.editor_id == old_owner else article.editor_id
            # Because of the new version, a client that has read the former state cannot overwrite the new
            # state. Edits of a working copy stay valid if nothing in the content has changed.
            if is_author and not in_byline:
                copy = table_of(WorkingCopy)
                is_current = (copy.c.article_id == article.uuid) & (copy.c.base_version == article.version)
                new_base = copy.update().where(is_current).values(base_version=article.version + 1)
                db.session.connection().execute(new_base)
            article.version += is_author or in_byline
            _keep_last_updated(article)
            note_change(article.type, article.uuid, before, get_article_state(article))
        db.session.flush()
        for row in list(db.session.identity_map.values()):
            if isinstance(row, Article):
                db.session.expunge(row)


def _move_deleted_items(old_owner: UUID, owner: UUID) -> int:
    """Move the deleted items, and return their number; the bylines of these items do not change."""
    uuids = db.session.scalars(select(DeletedItem.uuid).where(DeletedItem.author_id == old_owner)).all()
    for batch in split_values(uuids, _BATCH_SIZE):
        for row in db.session.scalars(select(DeletedItem).where(DeletedItem.uuid.in_(batch))):
            document = json.loads(row.document)
            document["article"][0]["author_id"] = str(owner)
            row.author_id, row.document = owner, json.dumps(document, ensure_ascii=False)
        # After the flush, the session no longer keeps the rows in memory.
        db.session.flush()
    return len(uuids)


def _replace_author(article: Article, old_author: UUID, new: UUID) -> bool:
    """Replace the author in the byline; return whether the byline contained the author."""
    links = {link.author_id: link for link in article.author_links}
    if old_author not in links:
        return False
    replacement = links.get(new) or ArticleAuthor(author_id=new)
    order = dict.fromkeys(replacement if uuid == old_author else link for uuid, link in links.items())
    article.author_links = list(order)
    for position, link in enumerate(article.author_links):
        link.position = position
    article.update_link_columns()
    return True


def _move_terms(model: type[Term], old_owner: UUID, owner: UUID) -> int:
    terms: Sequence[Any] = db.session.scalars(select(model).where(model.owner_id == old_owner)).all()
    for term in terms:
        term.owner_id = owner
        _keep_last_updated(term)
        note_change(term.kind, term.uuid, get_term_state(term), get_term_state(term))
    db.session.flush()
    return len(terms)


def _keep_last_updated(row: Article | Term) -> None:
    # If the time changed, an import would treat the articles as edited and no longer update them.
    flag_modified(row, "last_updated")
