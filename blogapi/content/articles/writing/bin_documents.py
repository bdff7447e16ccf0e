"""Stores the rows of deleted articles and pages as documents, from which the items can be restored.

A document is deleted when its item is restored or created again, or after BIN_DAYS. Unless the item is
restored, the edits of its working copy are then added to the history.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from flask import current_app
from sqlalchemy import select, update

from blogapi.content.articles.fields import TERM_LIST_FIELDS
from blogapi.content.articles.models import (
    LINK_MODELS,
    Article,
    DeletedItem,
    FormerPath,
    FormerSlug,
    WorkingCopy,
)
from blogapi.content.articles.snapshots import get_content
from blogapi.content.articles.writing import history
from blogapi.content.media import uses
from blogapi.content.search.tokenizer import make_sort_key
from blogapi.storage.database import CachedUuid, UtcDateTime, current_time, db, split_values, table_of

# The models whose rows a document contains, each with the column that contains the uuid of the item.
_MODELS: Mapping[type[Any], str] = {
    Article: "uuid",
    **dict.fromkeys((*LINK_MODELS.values(), FormerSlug, FormerPath, WorkingCopy), "article_id"),
}
# The columns that the tables of articles and of deleted items share.
_SHARED_COLUMNS = ("author_id", "status", "title", "language", "cover_image", "published_at")
_COLUMN_PARSERS: Mapping[type, Callable[[str], Any]] = {CachedUuid: UUID, UtcDateTime: datetime.fromisoformat}


@dataclass(frozen=True, slots=True)
class BinDocument:
    """The rows of a deleted item, without a session, and the pages that were directly below it."""

    article: Article
    former_addresses: Sequence[FormerSlug | FormerPath]
    working_copy: WorkingCopy | None
    children: Sequence[UUID]


def store_documents(user: UUID, uuids: Sequence[UUID]) -> None:
    """Store the documents of articles or pages that this user deletes in the same transaction.

    With BIN_DAYS = 0, no documents are stored, and the edits are added to the history.
    """
    if not current_app.config["BIN_DAYS"]:
        history.move_working_copies_to_history(uuids)
        return
    connection, parent = db.session.connection(), table_of(Article).c.parent_id
    documents: dict[UUID, dict[str, list[Any]]] = {uuid: {} for uuid in uuids}
    for model, name in _MODELS.items():
        table = table_of(model)
        columns = [column for column in table.c if not column.info.get("derived")]
        for batch in split_values(uuids):
            for row in connection.execute(select(*columns).where(table.c[name].in_(batch))).mappings():
                documents[row[name]].setdefault(table.name, []).append(dict(row))
    for batch in split_values(uuids):
        for child in connection.execute(select(table_of(Article).c.uuid, parent).where(parent.in_(batch))):
            documents[child.parent_id].setdefault("children", []).append(child.uuid)
    texts = dict[UUID, str]()
    for uuid, document in documents.items():
        for article in document.get("article", ()):
            texts[uuid] = json.dumps(document, default=str, ensure_ascii=False)
            values = {name: article[name] for name in _SHARED_COLUMNS}
            item = DeletedItem(
                uuid=uuid,
                kind=article["type"],
                user_id=user,
                deleted=current_time(),
                document=texts[uuid],
                sort_key=make_sort_key(article["title"]),
                edits=next((copy["last_updated"] for copy in document.get("working_copy", ())), None),
                **values,
            )
            db.session.add(item)
    uses.store_deleted_item_uses(db.session(), texts)


def delete_row_and_keep_edits(item: DeletedItem) -> None:
    """Delete the row of a deleted item without restoring it, and add its edits to the history."""
    document = parse_document(item)
    if document.working_copy is not None:
        history.add_edits(document.article, get_content(document.article), document.working_copy)
    delete_item_row(item)


def delete_item_row(item: DeletedItem) -> None:
    """Delete the row of a deleted item, and its uses of files."""
    uses.store_deleted_item_uses(db.session(), {item.uuid: ""})
    db.session.delete(item)
    db.session.flush()


def repair_sort_keys() -> None:
    """Replace the sort keys that do not match the titles of their deleted items."""
    item = table_of(DeletedItem)
    for row in db.session.execute(select(item.c.uuid, item.c.title, item.c.sort_key)).all():
        if row.sort_key != (key := make_sort_key(row.title)):
            db.session.execute(update(item).where(item.c.uuid == row.uuid).values(sort_key=key))


def parse_document(item: DeletedItem) -> BinDocument:
    """Return the rows in the JSON document of a deleted item."""
    stored = json.loads(item.document)
    rows = {
        model: [_parse_row(model, row) for row in stored.get(table_of(model).name, ())] for model in _MODELS
    }
    (article,), copies = rows[Article], rows[WorkingCopy]
    for field in TERM_LIST_FIELDS:
        links = sorted(rows[LINK_MODELS[field.name]], key=lambda link: link.position)
        setattr(article, field.relation, links)
    former, copy = [*rows[FormerSlug], *rows[FormerPath]], copies[0] if copies else None
    return BinDocument(article, former, copy, [*map(UUID, stored.get("children", ()))])


def _parse_row(model: type[Any], values: Mapping[str, Any]) -> Any:
    # The columns of the table may have changed since the document was stored.
    columns = [column for column in table_of(model).c if column.name in values]
    parsers = {column.name: _COLUMN_PARSERS.get(type(column.type)) for column in columns}
    return model(
        **{
            name: parse(values[name]) if parse and values[name] else values[name]
            for name, parse in parsers.items()
        }
    )
