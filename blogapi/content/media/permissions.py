"""Checks what the caller may do with single files; authors may see and change only some files.

An author sees the files that they have uploaded, and the files that their articles use. They may change,
replace or delete a file that they have uploaded if only their own profile and articles that they may change
use it; otherwise they would change the work of others. An upload can also change an existing file: if the
library has the same file, missing texts are added to it, and if a file was replaced, an upload of its former
bytes takes over the former addresses. Editors and admins may do everything. With a key of the scope `drafts`,
and for authors who may not publish, an upload changes nothing that readers see.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, select

from blogapi.content.media import queries
from blogapi.content.media.models import Media, MediaPath, MediaUse
from blogapi.content.media.uses import ARTICLE, DELETED_ITEM, WORKING_COPY
from blogapi.content.media.visible_files import (
    ARTICLE_USE_KINDS,
    match_visible_files,
    select_own_articles,
    select_own_profile,
)
from blogapi.content.taxonomies.authors import Author
from blogapi.publication.visibility import READABLE_STATUSES
from blogapi.storage.database import Base, db
from blogapi.web.access import current_caller
from blogapi.web.errors import Forbidden, NotFound


def check_visible(uuid: UUID) -> None:
    """Raise NotFound unless the caller may see the file; for callers who see all files, do nothing."""
    author = current_caller().restricted_to_author
    if author is None:
        return
    if db.session.scalar(select(Media.uuid).where(Media.uuid == uuid, match_visible_files(author))) is None:
        raise NotFound("There is no such file; GET /api/v1/blog/media/ lists your files.")


def check_changeable(uuid: UUID) -> None:
    """Raise NotFound or Forbidden unless the file exists and the caller may change it."""
    if current_caller().restricted_to_author is None:
        queries.check_file_exists(uuid)
        return
    check_visible(uuid)
    objection = find_change_objection(uuid)
    if objection:
        raise Forbidden(objection)


def check_former_hashes(hashes: Collection[str]) -> None:
    """Raise Forbidden if a file that the caller may not change had one of these hashes before.

    The new file takes over the former addresses of the replaced file. If something public uses the replaced
    file, the caller needs the right to change what is public.
    """
    caller, owners = current_caller(), queries.find_files_by_former_hashes(hashes)
    if any(find_change_objection(owner) for owner in owners):
        raise Forbidden("The file is a former version of a file that you may not change; ask an editor.")
    if not caller.may_change_public and owners and db.session.scalar(select(_is_shown_publicly(owners))):
        if caller.publishes:
            raise Forbidden(
                "The file is a former version of a file that readers see, and this key may write only "
                "drafts; upload the file yourself at /admin/media/.",
                code="scope_missing",
            )
        raise Forbidden("The file is a former version of a file that readers see; ask an editor.")


def find_change_objection(uuid: UUID) -> str:
    """Return why the caller may not change a file that exists, or "" if they may."""
    author = current_caller().restricted_to_author
    if author is None:
        return ""
    if db.session.scalar(select(Media.account_id).where(Media.uuid == uuid)) != author:
        return "Another user has uploaded this file; ask an editor to change it."
    if db.session.scalar(select(_is_used_in_unchangeable_items(uuid, author))):
        return "The file is used in items that you may not change; ask an editor to change it."
    return ""


def _is_shown_publicly(uuids: Collection[UUID]) -> ColumnElement[bool]:
    """Return the condition that a public or scheduled item uses one of these files."""
    article = Base.metadata.tables["article"].c
    public = select(article.uuid).where(article.status.in_(READABLE_STATUSES))
    is_in_article = (MediaUse.kind == ARTICLE) & MediaUse.current & MediaUse.item_id.in_(public)
    is_hidden = MediaUse.kind.in_((ARTICLE, WORKING_COPY, DELETED_ITEM))
    return or_(
        exists().where(MediaUse.media_id.in_(uuids), is_in_article | ~is_hidden),
        exists().where(MediaPath.media_id.in_(uuids), MediaPath.article_id.in_(public)),
    )


def _is_used_in_unchangeable_items(uuid: UUID, author: UUID) -> ColumnElement[bool]:
    """Return the condition that an item that the author may not change uses the file."""
    article = Base.metadata.tables["article"].c
    changeable = select_own_articles(author)
    if not current_caller().publishes:
        changeable = changeable.where(article.status.not_in(READABLE_STATUSES))
    # A working copy is not public, even if its article is public.
    is_changeable = or_(
        MediaUse.item_id.in_(changeable),
        (MediaUse.kind == "working_copy") & MediaUse.item_id.in_(select_own_articles(author)),
    )
    is_of_article = MediaUse.kind.in_(ARTICLE_USE_KINDS)
    is_of_profile = (MediaUse.kind == Author.kind) & MediaUse.item_id.in_(select_own_profile(author))
    return or_(
        exists().where(MediaUse.media_id == uuid, ~(is_of_article & is_changeable), ~is_of_profile),
        exists().where(MediaPath.media_id == uuid, MediaPath.article_id.not_in(changeable)),
    )
