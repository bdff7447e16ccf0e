"""Creates, changes and deletes articles, and keeps their former versions.

A write that changes nothing stores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.content.articles import prepared
from blogapi.content.articles.content import ArticleInput
from blogapi.content.articles.fields import TEXT_DEFAULTS
from blogapi.content.articles.models import Article
from blogapi.content.articles.schemas import RESET_BY_PUT
from blogapi.content.articles.writing import deleted_items
from blogapi.content.articles.writing.batch import open_batch
from blogapi.web.conditional import write_all


def prepare_article(fields: ArticleInput, *, partial: bool = False) -> None:
    """Prepare the write of this input before its transaction; see `prepare_all`."""
    prepare_articles([fields], partial=partial)


def prepare_articles(inputs: Sequence[ArticleInput], *, partial: bool = False) -> None:
    """Render the contents of these inputs before the transaction of the write.

    With `partial`, an omitted field has the value from the stored article. Otherwise an omitted field of
    `ArticleSchema` is reset to its default value, and any other omitted field keeps its stored value.
    """
    names = prepared.RENDERED_FIELDS
    rendered = [fields for fields in inputs if not partial or not fields.texts.keys().isdisjoint(names)]
    stored = prepared.read_texts([fields.uuid for fields in rendered if fields.uuid is not None])
    sources = list[prepared.Source]()
    for fields in rendered:
        old_texts = stored.get(fields.uuid) if fields.uuid is not None else None
        texts = {**TEXT_DEFAULTS, **(old_texts or {}), **({} if partial else RESET_BY_PUT), **fields.texts}
        if old_texts is None or any(old_texts[name] != texts[name] for name in names):
            sources += prepared.list_sources(old_texts, texts)
    prepared.prepare_sources(sources)


def create(
    author: UUID,
    fields: ArticleInput,
    *,
    uuid: UUID | None = None,
    editor: UUID | None = None,
    slug_from: str = "",
) -> Article:
    """Create an article and return it.

    Without a slug in `fields`, it is derived from `slug_from` or the title, with a number if it is taken.
    Unpublished articles of authors get provisional slugs; see `provisional_slugs`. Without authors in
    `fields`, the author is the profile of `author`. Raises Invalid if the category, a tag
    or an author does not exist, and Conflict if the given slug is taken.
    """
    with open_batch([fields], uuid, writer=author) as batch:
        return batch.create(author, fields, uuid=uuid, editor=editor, slug_from=slug_from)


def replace(editor: UUID, uuid: UUID, fields: ArticleInput) -> tuple[Article, bool]:
    """Create or replace the article with this uuid; return it and whether it was created.

    A replaced article keeps its author. It also keeps its slug, publication time, authors and undocumented
    text fields if `fields` omits them.
    """
    with open_batch([fields], uuid, writer=editor) as batch:
        return batch.replace(editor, uuid, fields)


def change(editor: UUID, uuid: UUID, fields: ArticleInput) -> Article:
    """Change the given fields and keep the former version.

    Raises NotFound if the article does not exist, Invalid if a field is invalid, and Conflict if the
    transition is not allowed or the slug is taken.
    """
    with open_batch([fields], uuid) as batch:
        return batch.change(editor, uuid, fields)


def delete(editor: UUID, uuid: UUID) -> None:
    """Delete the article, but keep it with its versions and its working copy, so that it can be restored.

    Raises NotFound if the article does not exist.
    """
    with open_batch([], uuid) as batch:
        deleted_items.store(editor, [uuid])
        batch.delete(uuid)


def replace_all(editor: UUID, items: Sequence[ArticleInput]) -> list[UUID]:
    """Create or replace several articles, all or none; return their uuids."""
    uuids = map(_get_uuid, items)
    with open_batch(items, *uuids, writer=editor) as batch:
        return write_all(items, lambda item: batch.replace(editor, _get_uuid(item), item)[0].uuid)


def change_all(editor: UUID, items: Sequence[ArticleInput]) -> list[UUID]:
    """Change the given fields of several articles, all or none; return their uuids."""
    with open_batch(items, *map(_get_uuid, items)) as batch:
        return write_all(items, lambda item: batch.change(editor, _get_uuid(item), item).uuid)


def delete_all(editor: UUID, uuids: Sequence[UUID]) -> None:
    """Delete several articles, all or none."""
    with open_batch([], *uuids) as batch:
        deleted_items.store(editor, uuids)
        write_all(uuids, batch.delete)


def _get_uuid(fields: ArticleInput) -> UUID:
    assert fields.uuid is not None, "the schema of bulk writes requires it"
    return fields.uuid
