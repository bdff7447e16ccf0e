"""Creates, changes and deletes articles, and keeps their former versions.

A write that changes nothing stores nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace as replace_fields
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnDefault, select
from sqlalchemy import delete as delete_rows

from blogapi import clock
from blogapi.articles import queries
from blogapi.articles.content import ArticleContent, ArticleInput, TermReference, default_seo, revise
from blogapi.articles.lifecycle import Status, is_public
from blogapi.articles.models import Article, ArticleRevision, FormerSlug, Seo
from blogapi.articles.schemas import TEXT_FIELDS, ArticleSchema, SeoBodySchema
from blogapi.categories.models import Category
from blogapi.storage.database import db, transaction
from blogapi.tags.models import Tag
from blogapi.web import unique_slugs
from blogapi.web.errors import Errors, Invalid


def _get_default(name: str) -> str:
    default = Article.__table__.c[name].default
    return str(default.arg) if isinstance(default, ColumnDefault) else ""


# The text fields of a new article. A text field of the schema without a column raises a KeyError at start.
TEXT_DEFAULTS = {name: _get_default(name) for name in TEXT_FIELDS}

# The text fields that a PUT resets if it omits them. An undocumented field is kept, because a client that
# sends back a response that it read without `fields` does not have that field.
_RESET_BY_PUT = {name: text for name, text in TEXT_DEFAULTS.items() if name in ArticleSchema._declared_fields}


def create(
    author: UUID,
    given: ArticleInput,
    *,
    uuid: UUID | None = None,
    editor: UUID | None = None,
    slug_from: str = "",
) -> Article:
    """Create an article and return it.

    If `given` has no slug, the slug is derived from `slug_from` or the title, with a number if it is taken.
    Raises Invalid if the category or a tag does not exist, and Conflict if the given slug is taken.
    """
    with transaction():
        content = _revise(None, given)
        uuid = uuid or uuid4()
        slug = _choose_slug(uuid, given.slug, slug_from or content.texts["title"])
        article = Article(
            uuid=uuid,
            author_id=author,
            editor_id=editor or author,
            # An article with the UUID of a deleted article continues its version numbers.
            version=queries.get_last_revision_number(uuid) + 1,
            slug_derived=not (given.slug or slug_from),
            seo=Seo(title=""),
        )
        _set_content(article, replace_fields(content, slug=slug))
        article.was_public = is_public(content.status, content.published_at, clock.now())
        db.session.add(article)
        db.session.flush()
    return article


def replace(editor: UUID, uuid: UUID, given: ArticleInput) -> tuple[Article, bool]:
    """Create or replace the article with this uuid; return it and whether it was created.

    A replaced article keeps its author. It also keeps its slug, publication time and undocumented text
    fields if `given` omits them.
    """
    with transaction():
        if queries.find_by_uuid(uuid) is None:
            return create(editor, given, uuid=uuid), True
        texts = {**_RESET_BY_PUT, **given.texts}
        complete = replace_fields(
            given,
            texts=texts,
            status=given.status or Status.DRAFT.value,
            tags=given.tags or (),
            seo={**default_seo(texts), **given.seo},
        )
        return change(editor, uuid, complete), False


def change(editor: UUID, uuid: UUID, given: ArticleInput) -> Article:
    """Change the given fields and keep the former version.

    Raises NotFound if the article does not exist, Invalid if a field is invalid, and Conflict if the
    transition is not allowed or the slug is taken.
    """
    with transaction():
        article = queries.get_by_uuid(uuid)
        former, now = get_content(article), clock.now()
        content = _revise(former, given)
        # A scheduled article becomes public without a write, so `was_public` is updated at the next change.
        was_public = article.was_public or is_public(former.status, former.published_at, now)
        slug = _revise_slug(article, former, given.slug, title=content.texts["title"], was_public=was_public)
        content = replace_fields(content, slug=slug)
        if content != former:
            _keep_revision(article, former)
            if slug != article.slug:
                _record_rename(article.uuid, old=article.slug, new=slug, keep_old=was_public)
            _set_content(article, content)
            article.was_public = was_public or is_public(content.status, content.published_at, now)
            article.version += 1
            article.editor_id = editor
            article.last_updated = now
            db.session.flush()
    return article


def delete(uuid: UUID) -> None:
    """Delete the article, but keep its versions, so that it can be restored.

    Raises NotFound if the article does not exist.
    """
    with transaction():
        article = queries.get_by_uuid(uuid)
        _keep_revision(article, get_content(article))
        db.session.delete(article)
        db.session.flush()


def get_content(article: Article) -> ArticleContent:
    """Return the content of an article, which is everything that an author writes."""
    seo = article.seo
    return ArticleContent(
        texts={name: getattr(article, name) for name in TEXT_FIELDS},
        slug=article.slug,
        status=article.status,
        published_at=article.published_at,
        category=article.category_id,
        tags=tuple(tag.uuid for tag in article.tags),
        seo={name: getattr(seo, name) for name in SeoBodySchema._declared_fields},
    )


def _set_content(article: Article, content: ArticleContent) -> None:
    for name, text in content.texts.items():
        setattr(article, name, text)
    article.slug, article.status = content.slug, content.status
    article.published_at = content.published_at
    article.category = db.session.get_one(Category, content.category)
    present = {tag.uuid: tag for tag in article.tags}
    if tuple(present) != content.tags:
        article.tags = [present.get(uuid) or db.session.get_one(Tag, uuid) for uuid in content.tags]
    for name, text in content.seo.items():
        setattr(article.seo, name, text)


def _keep_revision(article: Article, former: ArticleContent) -> None:
    db.session.add(
        ArticleRevision(
            article_id=article.uuid,
            number=article.version,
            author_id=article.author_id,
            user_id=article.editor_id,
            created=article.last_updated,
            content=json.dumps(former.flatten(), default=_to_text, ensure_ascii=False),
        )
    )


def _to_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _revise_slug(
    article: Article, former: ArticleContent, given: str | None, *, title: str, was_public: bool
) -> str:
    """Return the slug after a change.

    A given slug is used. A derived slug changes with the title until the article is public. In all other
    cases the slug does not change.
    """
    if given in (None, former.slug):
        follows_title = given is None and article.slug_derived and not was_public
        if not (follows_title and title != former.texts["title"]):
            return former.slug
    article.slug_derived = given is None
    return _choose_slug(article.uuid, given, title)


def _choose_slug(uuid: UUID, given: str | None, title: str) -> str:
    return unique_slugs.choose_slug(given, title, lambda slug: queries.find_similar_slugs(slug, exclude=uuid))


def _revise(former: ArticleContent | None, given: ArticleInput) -> ArticleContent:
    """Return the content after a change; raises Invalid with the errors of all invalid fields."""
    errors: Errors = {}
    category, tags = _resolve_terms(given, errors)
    try:
        content = revise(former, given, category=category, tags=tags, defaults=TEXT_DEFAULTS, now=clock.now())
    except Invalid as error:
        errors |= error.errors or {}
    if errors:
        raise Invalid("The article is invalid; `errors` names the fields to correct.", errors=errors)
    return content


def _resolve_terms(given: ArticleInput, errors: Errors) -> tuple[UUID | None, tuple[UUID, ...] | None]:
    """Return the uuids of category and tags (None: omitted), and add an error for each unknown reference."""
    category = tags = None
    if given.category is not None:
        (category,) = _resolve(Category, [given.category], ["category"], errors)
    if given.tags is not None:
        paths = [f"tags.{index}" for index in range(len(given.tags))]
        # Two references to the same tag count as one.
        tags = tuple(dict.fromkeys(_resolve(Tag, given.tags, paths, errors)))
    return category, tags


def _resolve(
    model: type[Category | Tag], references: Sequence[TermReference], paths: list[str], errors: Errors
) -> list[UUID]:
    """Return one uuid per reference; for an unknown reference, add an error and return the nil UUID."""
    uuids = [reference.uuid for reference in references if reference.uuid is not None]
    slugs = [reference.slug for reference in references if reference.slug is not None]
    rows = db.session.execute(
        select(model.uuid, model.slug).where(model.uuid.in_(uuids) | model.slug.in_(slugs))
    ).all()
    known: dict[UUID | str | None, UUID] = {row.uuid: row.uuid for row in rows}
    known |= {row.slug: row.uuid for row in rows}
    found = []
    for reference, path in zip(references, paths, strict=True):
        # A uuid takes precedence over a slug, which may have changed since the client read it.
        name, value = ("slug", reference.slug) if reference.uuid is None else ("uuid", reference.uuid)
        if value not in known:
            errors[f"{path}.{name}"] = [f"There is no such {model.kind}."]
        found.append(known.get(value, UUID(int=0)))
    return found


def _record_rename(article: UUID, *, old: str, new: str, keep_old: bool) -> None:
    """Remove the new slug from the former slugs; with `keep_old`, add the old slug.

    The old slug of an article that was never public is not kept, because no reader can have linked to it.
    """
    db.session.execute(delete_rows(FormerSlug).where(FormerSlug.slug.in_((old, new))))
    if keep_old:
        db.session.add(FormerSlug(slug=old, article_id=article))
