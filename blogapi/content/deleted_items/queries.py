"""Queries for deleted articles and pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import Select, func, select

from blogapi.accounts.users.models import Account
from blogapi.content.articles import permissions
from blogapi.content.articles.models import DeletedItem
from blogapi.content.articles.writing import bin_documents
from blogapi.content.deleted_items.schemas import ITEM_FIELDS, DeletedItemSchema
from blogapi.content.search.tokenizer import make_sort_key
from blogapi.content.taxonomies.authors import Author
from blogapi.content.working_copies.queries import make_edited_json
from blogapi.publication.visibility import DatedItem, Status, get_api_status, is_readable, is_scheduled
from blogapi.storage.database import current_time, db, table_of
from blogapi.web.errors import require_item
from blogapi.web.fields import WithAttributes
from blogapi.web.json import JsonBody, to_json_bytes
from blogapi.web.pagination import Page, PageRequest, fetch_row_page

_item = table_of(DeletedItem).c
_COLUMNS = ("uuid", "kind", "title", "language", "cover_image", "status", "published_at", "edits", "deleted")


def has_missed_schedule(item: DatedItem, deleted: datetime, now: datetime) -> bool:
    """Return whether the item was scheduled when it was deleted, and its publication time has passed.

    Such an item is restored as a draft, so that nothing is published by accident.
    """
    return is_scheduled(item, deleted) and is_readable(item, now)


def list_deleted_items(
    page: PageRequest | None, *, kind: str = "", q: str = ""
) -> Page[Sequence[WithAttributes]]:
    """Return the deleted items that the caller may restore, the newest deletion first."""
    statement = _select_deleted_items().where(permissions.match_restorable_items())
    if kind:
        statement = statement.where(_item.kind == kind)
    if q:
        statement = statement.where(_item.sort_key.contains(make_sort_key(q), autoescape=True))
    found = fetch_row_page(statement.order_by(_item.deleted.desc(), _item.uuid), page)
    return Page([_add_status_and_expiry(row) for row in found.rows], found.total, page)


def get_deleted_item_json(uuid: UUID) -> JsonBody:
    """Return the deleted item with its text and the text of its edits; raises NotFound if it is unknown."""
    found = db.session.execute(_select_deleted_items().where(_item.uuid == uuid)).one_or_none()
    row = _add_status_and_expiry(require_item(found, "There is no such deleted item."))
    document = bin_documents.parse_document(db.session.get_one(DeletedItem, uuid))
    texts = [make_edited_json(document.article, copy, ITEM_FIELDS) for copy in (None, document.working_copy)]
    text, edited = ({"category": None, **json.loads(cast(bytes, json_body.body))} for json_body in texts)
    others = {"text": text, "edited_text": edited if document.working_copy else None}
    return JsonBody(to_json_bytes(DeletedItemSchema().dump(row) | others))


def _select_deleted_items() -> Select[*tuple[Any, ...]]:
    deleted_by = func.coalesce(Author.name, Account.username, "").label("deleted_by")
    return (
        select(*(_item[name] for name in _COLUMNS), deleted_by)
        .outerjoin_from(table_of(DeletedItem), Account, Account.uuid == _item.user_id)
        .outerjoin(Author, Author.owner_id == Account.uuid)
    )


def _add_status_and_expiry(row: Any) -> WithAttributes:
    now = current_time()
    missed = has_missed_schedule(row, row.deleted, now)
    status = Status.DRAFT.value if missed else get_api_status(row, now)
    return WithAttributes(row, status=status, goes=row.deleted + permissions.get_bin_lifetime())
