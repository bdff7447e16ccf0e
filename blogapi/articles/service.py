"""Creates, changes and deletes articles, and keeps their former versions.

A write that changes nothing stores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from blogapi.articles import search_texts
from blogapi.articles.content import ArticleInput
from blogapi.articles.fields import SEARCHED_NAMES, TEXT_DEFAULTS
from blogapi.articles.models import Article
from blogapi.articles.schemas import RESET_BY_PUT
from blogapi.articles.writing import deleted_items, renderings
from blogapi.articles.writing.batch import open_batch
from blogapi.rendering.slugs import make_slug
from blogapi.search import service as search
from blogapi.storage import prepared
from blogapi.storage.database import db
from blogapi.web.bulk import write_all


def prepare(inputs: Sequence[ArticleInput], *, partial: bool = False) -> None:
    """Render the contents of these inputs and find their words, before the transaction that writes them.

    With `partial`, an omitted field has the value from the stored article. Otherwise a documented field has
    its default value.
    """
    if partial:
        inputs = [fields for fields in inputs if not fields.texts.keys().isdisjoint(renderings.RENDERED)]
    stored = renderings.find_contents([fields.uuid for fields in inputs if fields.uuid is not None])
    prepared.forget()
    for fields in inputs:
        old_texts = stored.get(fields.uuid) if fields.uuid is not None else None
        reset = {} if partial else RESET_BY_PUT
        texts = {**TEXT_DEFAULTS, **(old_texts or {}), **reset, **fields.texts}
        needed = list(renderings.list_needed_contents(old_texts, texts))
        renderings.prepare(needed, keep=True)
        if needed:
            prepare_words(texts)
        if old_texts is None and fields.slug is None:
            make_slug(texts["title"])


def prepare_words(texts: Mapping[str, str]) -> None:
    """Find the words of an article whose content was rendered, before the transaction that writes it."""
    others = search_texts.join_texts(texts[name] for name in SEARCHED_NAMES)
    plain_text = renderings.get_rendering(texts["content"], texts["content_type"]).plain_text
    search.prepare(db.session(), texts["title"], others, plain_text)


def create(
    author: UUID,
    fields: ArticleInput,
    *,
    uuid: UUID | None = None,
    editor: UUID | None = None,
    slug_from: str = "",
    provisional_slug: bool = False,
) -> Article:
    """Create an article and return it.

    Without a slug in `fields`, it is derived from `slug_from` or the title, with a number if it is taken.
    With `provisional_slug`, an article that is not published gets a provisional slug; see that module.
    Without authors in `fields`, the author is the profile of `author`. Raises Invalid if the category, a tag
    or an author does not exist, and Conflict if the given slug is taken.
    """
    with open_batch([fields], uuid, writer=author, provisional_slugs=provisional_slug) as batch:
        article = batch.create(author, fields, uuid=uuid, editor=editor, slug_from=slug_from)
    batch.keep_json(article)
    return article


def replace(
    editor: UUID, uuid: UUID, fields: ArticleInput, *, provisional_slug: bool = False
) -> tuple[Article, bool]:
    """Create or replace the article with this uuid; return it and whether it was created.

    A replaced article keeps its author. It also keeps its slug, publication time, authors and undocumented
    text fields if `fields` omits them.
    """
    with open_batch([fields], uuid, writer=editor, provisional_slugs=provisional_slug) as batch:
        return batch.replace(editor, uuid, fields)


def change(editor: UUID, uuid: UUID, fields: ArticleInput, *, provisional_slug: bool = False) -> Article:
    """Change the given fields and keep the former version.

    Raises NotFound if the article does not exist, Invalid if a field is invalid, and Conflict if the
    transition is not allowed or the slug is taken.
    """
    with open_batch([fields], uuid, provisional_slugs=provisional_slug) as batch:
        return batch.change(editor, uuid, fields)


def delete(editor: UUID, uuid: UUID) -> None:
    """Delete the article, but keep it with its versions and its working copy, so that it can be restored.

    Raises NotFound if the article does not exist.
    """
    with open_batch([], uuid) as batch:
        deleted_items.keep(editor, [uuid])
        batch.delete(uuid)


def replace_all(editor: UUID, items: Sequence[ArticleInput], *, provisional_slug: bool = False) -> list[UUID]:
    """Create or replace several articles, all or none; return their uuids."""
    uuids = map(_get_uuid, items)
    with open_batch(items, *uuids, writer=editor, provisional_slugs=provisional_slug) as batch:
        return write_all(items, lambda item: batch.replace(editor, _get_uuid(item), item)[0].uuid)


def change_all(editor: UUID, items: Sequence[ArticleInput], *, provisional_slug: bool = False) -> list[UUID]:
    """Change the given fields of several articles, all or none; return their uuids."""
    with open_batch(items, *map(_get_uuid, items), provisional_slugs=provisional_slug) as batch:
        return write_all(items, lambda item: batch.change(editor, _get_uuid(item), item).uuid)


def delete_all(editor: UUID, uuids: Sequence[UUID]) -> None:
    """Delete several articles, all or none."""
    with open_batch([], *uuids) as batch:
        deleted_items.keep(editor, uuids)
        write_all(uuids, batch.delete)


def _get_uuid(fields: ArticleInput) -> UUID:
    assert fields.uuid is not None, "the schema of bulk writes requires it"
    return fields.uuid
