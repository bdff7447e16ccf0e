"""Deletes pages; `articles.service` creates and changes them like articles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from blogapi.content.articles.content import ArticleInput
from blogapi.content.articles.writing import deleted_items
from blogapi.content.articles.writing.batch import ArticleBatch, open_batch
from blogapi.content.pages import page_tree
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import transaction
from blogapi.web.bulk import write_all


def delete(editor: UUID, uuid: UUID) -> None:
    """Delete a page, but keep it so that it can be restored; the pages below it move to the top.

    Raises NotFound if the page does not exist.
    """
    with _open_deletion(editor, [uuid]) as batch:
        batch.delete(uuid, ItemType.PAGE.value)


def delete_all(editor: UUID, uuids: Sequence[UUID]) -> None:
    """Delete several pages, all or none; the other pages below them move to the top."""
    with _open_deletion(editor, uuids) as batch:
        write_all(uuids, lambda uuid: batch.delete(uuid, ItemType.PAGE.value))


@contextmanager
def _open_deletion(editor: UUID, uuids: Sequence[UUID]) -> Iterator[ArticleBatch]:
    """Open a batch for the deletion of these pages, and move the other pages below them to the top."""
    with transaction(visible=False):
        children = page_tree.list_children(uuids)
        with open_batch([], *uuids, *children) as batch:
            deleted_items.store(editor, uuids)
            for child in children:
                batch.change(editor, child, ArticleInput(type=ItemType.PAGE.value, parent=None))
            yield batch
