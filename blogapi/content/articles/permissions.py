"""Checks what a caller may do with single articles.

Authors write only their own articles, and see no hidden articles of others. An article belongs to the user
who created it (`author_id`), not to its byline; `user reassign` moves it to another user. The errors
for hidden and for unknown articles are the same. Editors and admins may work on all articles.

The owner and the visibility of an article are checked separately: with a key of the scope `drafts`, a caller
may work on the same articles as the owner of the key, but may not change public articles.

The functions are called before the body is read or rendered, and again in the transaction of the write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import ColumnElement, Select, and_, bindparam, false, func, select, true

from blogapi.content.articles import queries
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article, ArticleAuthor, ArticleRevision, DeletedItem
from blogapi.content.articles.snapshots import parse_content
from blogapi.content.taxonomies.authors import Author
from blogapi.publication.visibility import (
    READABLE_STATUSES,
    SCHEDULED,
    ItemType,
    Status,
    is_readable,
    match_readable_items,
)
from blogapi.storage.database import current_time, db, execute_in_batches, table_of
from blogapi.web.access import Caller, Role, current_caller
from blogapi.web.errors import Conflict, Forbidden, NotFound, Problem

ARTICLE = ItemType.ARTICLE.value
_PUBLISHED_STATUSES = frozenset((*READABLE_STATUSES, SCHEDULED))
_NOT_FOUND_MESSAGE = "There is no such article."

_article, _link, _author = table_of(Article).c, table_of(ArticleAuthor).c, table_of(Author).c
_deleted = table_of(DeletedItem).c
_UUIDS: Any = bindparam("uuids", expanding=True)
_SELECT_ARTICLES = select(
    *(_article.uuid, _article.type, _article.author_id, _article.status, _article.published_at)
).where(_article.uuid.in_(_UUIDS))
_SELECT_DELETED = select(
    *(_deleted.uuid, _deleted.kind.label("type"), _deleted.author_id, _deleted.status)
).where(_deleted.uuid.in_(_UUIDS))
_SELECT_BYLINES = (
    select(_link.article_id, _author.uuid, _author.slug)
    .join(table_of(Author), _author.uuid == _link.author_id)
    .where(_link.article_id.in_(_UUIDS))
    .order_by(_link.article_id, _link.position)
)
_SELECT_PROFILE = select(_author.uuid, _author.slug).where(_author.owner_id == bindparam("user"))
_SELECT_LAST_VERSION = (
    select(ArticleRevision.author_id, ArticleRevision.content)
    .where(ArticleRevision.article_id == bindparam("uuid"))
    .order_by(ArticleRevision.number.desc())
    .limit(1)
)
_SELECT_OWN_ARTICLES_STATE = select(
    func.count(), func.sum(_article.version), func.max(_article.last_updated)
).where(_article.author_id == bindparam("user"))

# The uuid and the slug of each author of a byline.
Byline = Sequence[tuple[UUID, str]]


def may_see_hidden_article(uuid: UUID, caller: Caller) -> bool:
    """Return whether the caller would see the article even if it were not public."""
    if caller.restricted_to_author is None:
        return caller.sees_drafts
    (row,) = _read_item_rows([uuid]).values() or (None,)
    return row is not None and row.author_id == caller.restricted_to_author


def match_visible_items() -> ColumnElement[bool]:
    """Return the SQL condition that the caller may see the article or page."""
    caller = current_caller()
    is_own = _article.author_id == caller.restricted_to_author if caller.restricted_to_author else false()
    return true() if caller.sees_drafts else match_readable_items(_article, current_time()) | is_own


def get_own_articles_state(user: UUID) -> str:
    """Return a text that changes with every change of the user's articles."""
    return " ".join(
        map(str, db.session.connection().execute(_SELECT_OWN_ARTICLES_STATE, {"user": user}).one())
    )


def may_work_on_item(uuid: UUID) -> bool:
    """Return whether the caller may work on the item; for editors, the item need not exist."""
    try:
        if current_caller().is_author:
            check_access(uuid)
    except Problem:
        return False
    return True


def check_access(uuid: UUID, type_: str = ARTICLE) -> None:
    """Raise NotFound or Forbidden unless the item exists and the caller may work on it.

    Authors may work on their own public articles, but `check_write` refuses to change them.
    """
    with report_deleted_items([uuid], type_):
        if current_caller().is_author:
            _check_owner(_read_item_rows([uuid], type_).get(uuid))
        else:
            queries.check_item_exists(uuid, type_)


@contextmanager
def report_deleted_items(uuids: Sequence[UUID | None], type_: str = ARTICLE) -> Iterator[None]:
    """Give a NotFound error the code `deleted` if the caller may restore one of these items.

    The same statement runs for unknown and for hidden items, so that the duration reveals nothing.
    """
    try:
        yield
    except NotFound as error:
        caller, role = current_caller(), Role.AUTHOR if type_ == ARTICLE else Role.EDITOR
        if caller.role.includes(role) and "write" in caller.scopes:
            items = _read_item_rows([uuid for uuid in uuids if uuid], type_, _select_items_in_bin()).values()
            if any(
                _may_work_on_row(item) and (item.status not in _PUBLISHED_STATUSES or caller.publishes)
                for item in items
            ):
                detail = f"This {type_} was deleted; restore it first."
                raise NotFound(detail, code="deleted", errors=error.errors) from error
        raise


def match_restorable_items() -> ColumnElement[bool]:
    """Return the condition that the caller may restore a deleted item; see `check_deleted_item_access`."""
    caller = current_caller()
    if not caller.is_author:
        return match_items_in_bin()
    is_own = and_(match_items_in_bin(), _deleted.kind == ARTICLE, _deleted.author_id == caller.user)
    return is_own if caller.publishes else is_own & _deleted.status.not_in(_PUBLISHED_STATUSES)


def get_bin_lifetime() -> timedelta:
    """Return how long a deleted item can be restored."""
    return timedelta(days=current_app.config["BIN_DAYS"])


def match_items_in_bin() -> ColumnElement[bool]:
    """Return the SQL condition that a deleted item can be restored; the daily task deletes older rows."""
    return _deleted.deleted > current_time() - get_bin_lifetime()


def _select_items_in_bin() -> Select[Any]:
    return _SELECT_DELETED.where(match_items_in_bin())


def check_deleted_item_access(uuid: UUID, type_: str | None = None) -> None:
    """Raise NotFound or Forbidden unless the item is in the bin and the caller may restore it.

    Without `type_`, the item can be an article or a page. With `type_`, raises Conflict if the item exists.
    """
    item = _read_item_rows([uuid], type_, _select_items_in_bin()).get(uuid)
    existing = _read_item_rows([uuid], type_).get(uuid) if type_ else None
    if existing is not None:
        _check_owner(existing)
        raise Conflict(f"This {type_} is not deleted.", code="not_deleted")
    if item is None or not _may_recreate(item, item.type):
        raise NotFound(f"There is no such deleted {type_ or 'article or page'}.")
    _check_fields(ArticleInput(), item, ())


def check_replacement(uuid: UUID, fields: ArticleInput | None = None) -> None:
    """Raise NotFound, Forbidden or Conflict unless the caller may create or replace the article.

    Without `fields`, the written fields are not checked. An author cannot recreate a deleted article of
    another user, and a caller with a key of the scope `drafts` cannot recreate any deleted article.
    """
    items = [replace(fields or ArticleInput(), uuid=uuid)]
    check_writes(items, is_bulk=False, creates=True, is_complete=bool(fields))


def check_history_access(uuid: UUID, type_: str = ARTICLE) -> None:
    """Raise NotFound or Forbidden unless the caller may see the versions of the item.

    If the item was deleted, its newest version determines its owner and its type.
    """
    row = _read_item_rows([uuid]).get(uuid)
    if row is not None and row.type == type_ and (_may_work_on_row(row) or is_readable(row, current_time())):
        _check_owner(row)
        return
    # The same statements run for unknown and for hidden items, so that the duration reveals nothing.
    last = _read_last_version(uuid)
    is_history = row is None and last is not None and parse_content(last.content).type == type_
    if not is_history or not _may_work_on_row(last):
        with report_deleted_items([uuid], type_):
            raise NotFound(f"There is no such {type_}.")


def check_restoration(uuid: UUID, type_: str = ARTICLE) -> None:
    """Raise NotFound or Forbidden unless the caller may restore a version of the item."""
    check_history_access(uuid, type_)
    if current_caller().is_author:
        check_replacement(uuid, ArticleInput())


def check_creation(fields: ArticleInput) -> None:
    """Raise Forbidden unless the caller may create an article with these fields."""
    is_author = current_caller().is_author
    _check_fields(fields, None, _read_profile() if is_author and fields.authors else ())


def check_write(uuid: UUID, fields: ArticleInput | None = None) -> None:
    """Raise NotFound or Forbidden unless the caller may write these fields, or delete the article (None)."""
    check_writes([replace(fields or ArticleInput(), uuid=uuid)], is_bulk=False)


def check_writes(
    items: Sequence[ArticleInput], *, is_bulk: bool = True, creates: bool = False, is_complete: bool = True
) -> None:
    """Raise NotFound or Forbidden unless the caller may write all these items.

    An item without fields stands for a deletion. With `is_bulk`, the errors begin with the index of the item.
    With `creates`, the articles may be new. Without `is_complete`, only the owners of the articles are
    checked.
    """
    caller = current_caller()
    if not caller.is_author and caller.may_change_public:
        return
    rows = _read_item_rows([uuid for fields in items if (uuid := fields.uuid)])
    bylines = _read_bylines(
        [uuid for fields in items if (uuid := fields.uuid) and fields.authors is not None]
    )
    for index, fields in enumerate(items):
        uuid = fields.uuid
        assert uuid is not None, "an input that is checked has the uuid of its article"
        row = rows.get(uuid)
        try:
            if row is None and creates:
                _check_new_uuid(uuid)
            else:
                with report_deleted_items([uuid]):
                    _check_owner(row)
            if is_complete:
                _check_fields(fields, row, bylines.get(uuid, ()) if row is not None else _read_profile())
        except Problem as error:
            raise (error.prefix_errors(str(index)) if is_bulk else error) from error


def check_publication(uuid: UUID, status: str | None) -> None:
    """Raise NotFound or Forbidden unless the caller may publish the working copy with this status."""
    if current_caller().is_author:
        row = _read_item_rows([uuid]).get(uuid)
        is_draft = row is not None and row.status == Status.DRAFT
        check_write(uuid, ArticleInput(status=status or (Status.PUBLISHED.value if is_draft else None)))


def check_working_copy_save(uuid: UUID, fields: ArticleInput) -> None:
    """Raise NotFound or Forbidden unless the caller may save these fields in the article's working copy.

    Only authors are checked here; `check_access` has already been called for all callers.
    """
    if current_caller().is_author:
        check_access(uuid)
        _check_byline(fields, _read_bylines([uuid]).get(uuid, ()))


def _check_new_uuid(uuid: UUID) -> None:
    deleted = _read_item_rows([uuid], None, _SELECT_DELETED).get(uuid)
    last = deleted or _read_last_version(uuid)
    if last is not None:
        type_ = deleted.type if deleted is not None else parse_content(last.content).type
        if not _may_recreate(last, type_):
            raise NotFound(_NOT_FOUND_MESSAGE)
    if last is not None and current_caller().writes_drafts_only:
        raise Conflict(
            "An item with this uuid was deleted; restore it at /admin/articles/, or create another article.",
            code="deleted",
        )
    if deleted is not None:
        # The write would delete the row of the deleted item, so the write needs the same right as a
        # restoration of the item.
        _check_fields(ArticleInput(), deleted, ())


def _may_work_on_row(row: Any) -> bool:
    """Return whether the caller may work on the row of an article, of a version or of a deleted item."""
    caller = current_caller()
    return not caller.is_author or row.author_id == caller.user


def _may_recreate(row: Any, type_: str) -> bool:
    """Return whether the caller may restore or replace a deleted item of this type; authors own no pages."""
    return _may_work_on_row(row) and (type_ == ARTICLE or not current_caller().is_author)


def _check_owner(row: Any) -> None:
    if row is not None and _may_work_on_row(row):
        return
    if row is None or not is_readable(row, current_time()):
        raise NotFound(_NOT_FOUND_MESSAGE)
    raise Forbidden("This article belongs to another user; ask an editor to change it.")


def _check_fields(fields: ArticleInput, row: Any, byline: Byline) -> None:
    """Raise Forbidden if the write changes the byline, or public content that the caller may not change."""
    is_published = row is not None and row.status in _PUBLISHED_STATUSES
    caller = current_caller()
    if (is_published or fields.status in _PUBLISHED_STATUSES) and not caller.may_change_public:
        if caller.publishes:
            path, saved = (f"{row.uuid}/", "working copy") if row is not None else ("", "draft")
            raise Forbidden(
                f"This key may write only drafts; publish the article yourself at /admin/articles/{path}, or "
                f"save a {saved}.",
                code="scope_missing",
            )
        raise Forbidden(
            "You may not change a published article. Save your edits as a working copy, and ask an editor to "
            "publish them."
            if is_published
            else "You may not publish articles; save the article as a draft, and ask an editor to publish it."
        )
    # A new article without authors gets the profile of its creator as its author.
    if row is not None or fields.authors:
        _check_byline(fields, byline)


def _check_byline(fields: ArticleInput, byline: Byline) -> None:
    # In a working copy, an empty byline stands for the byline of the article.
    if current_caller().is_author and fields.authors and not _is_same_byline(fields.authors, byline):
        raise Forbidden("Only editors and admins may change the authors of an article; leave `authors` out.")


def _is_same_byline(references: Sequence[UUID | str], byline: Byline) -> bool:
    if len(references) != len(byline):
        return False
    return all(reference in author for reference, author in zip(references, byline, strict=True))


def _read_item_rows(
    uuids: Sequence[UUID], type_: str | None = None, statement: Select[Any] = _SELECT_ARTICLES
) -> dict[UUID, Any]:
    """Return the row of each existing item by uuid; with `type_`, only of items of this type."""
    rows = execute_in_batches(statement, "uuids", uuids)
    return {row.uuid: row for row in rows if type_ in (None, row.type)}


def _read_last_version(uuid: UUID) -> Any:
    return db.session.connection().execute(_SELECT_LAST_VERSION, {"uuid": uuid}).one_or_none()


def _read_bylines(uuids: Sequence[UUID]) -> Mapping[UUID, Byline]:
    bylines: dict[UUID, list[tuple[UUID, str]]] = {}
    for article, uuid, slug in execute_in_batches(_SELECT_BYLINES, "uuids", uuids):
        bylines.setdefault(article, []).append((uuid, slug))
    return bylines


def _read_profile() -> Byline:
    rows = db.session.connection().execute(_SELECT_PROFILE, {"user": current_caller().user})
    return [(uuid, slug) for uuid, slug in rows]
