"""Writes of articles: each keeps the former version, and one that changes nothing leaves no trace."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import delete as delete_rows
from sqlalchemy import select

from blogapi import clock
from blogapi.articles import lifecycle, queries
from blogapi.articles.lifecycle import ArticleContent
from blogapi.articles.models import Article, ArticleRevision, FormerSlug, Seo
from blogapi.categories.models import Category
from blogapi.storage.database import db, transaction
from blogapi.tags.models import Tag
from blogapi.web import unique_slugs
from blogapi.web.errors import Errors, Invalid
from blogapi.web.fields import Fields

_PLAIN = ("title", "subtitle", "cover_image", "content", "content_type", "status", "published_at")


def create(
    author: UUID, fields: Fields, *, uuid: UUID | None = None, editor: UUID | None = None, slug_from: str = ""
) -> Article:
    """Write a new article from the fields of an ArticleBodySchema.

    Without a slug among them it comes from `slug_from` or the title, with a number where it is taken.
    Raises Invalid for a category or tag that does not exist, Conflict for a given slug that is taken.
    """
    with transaction():
        whole = _revised(None, fields)
        uuid = uuid or uuid4()
        wished = slug_from or whole["title"]
        whole["slug"] = _free_slug(uuid, fields.get("slug"), wished)
        article = Article(
            uuid=uuid,
            author_id=author,
            editor_id=editor or author,
            # Under the uuid of a deleted article its versions go on.
            version=queries.last_number(uuid) + 1,
            slug_derived=not (fields.get("slug") or slug_from),
            seo=Seo(title=""),
        )
        _fill(article, whole)
        article.was_public = lifecycle.is_public(whole, clock.now())
        db.session.add(article)
        db.session.flush()
    return article


def replace(editor: UUID, uuid: UUID, fields: Fields) -> tuple[Article, bool]:
    """Write the article anew under that uuid, or replace what is there; tell whether it was made.

    What a body cannot name stays: the author, and where they are absent slug and time of publication.
    """
    with transaction():
        if queries.find_by_uuid(uuid) is None:
            return create(editor, fields, uuid=uuid), True
        whole = lifecycle.DEFAULTS | fields
        whole["seo"] = lifecycle.default_seo(whole) | fields.get("seo", {})
        return change(editor, uuid, whole), False


def change(editor: UUID, uuid: UUID, fields: Fields) -> Article:
    """Change what is named and keep the former version.

    Raises NotFound, Invalid, and Conflict for an impossible transition or a slug that is taken.
    """
    with transaction():
        article = queries.get_by_uuid(uuid)
        former, now = get_content(article), clock.now()
        whole = _revised(former, fields)
        # It may have become public by the clock alone. Noted with a change only: a row that nothing else
        # changes must stay as it is.
        public = article.was_public or lifecycle.is_public(former, now)
        whole["slug"] = _slug(article, former, fields.get("slug"), title=whole["title"], public=public)
        if whole != former:
            _keep(article, former)
            _rename(article, whole["slug"], public=public)
            _fill(article, whole)
            article.was_public = public or lifecycle.is_public(whole, now)
            article.version += 1
            article.editor_id = editor
            article.last_updated = now
            db.session.flush()
    return article


def delete(uuid: UUID) -> None:
    """Delete the article; its versions stay, so that it can be restored. Raises NotFound."""
    with transaction():
        article = queries.get_by_uuid(uuid)
        _keep(article, get_content(article))
        db.session.delete(article)
        db.session.flush()


def get_content(article: Article) -> ArticleContent:
    """Return all that is written of an article."""
    seo = article.seo
    return {name: getattr(article, name) for name in _PLAIN} | {
        "slug": article.slug,
        "category": article.category_id,
        "tags": [tag.uuid for tag in article.tags],
        "seo": {
            "title": seo.title,
            "description": seo.description,
            "og_image": seo.og_image,
            "canonical_url": seo.canonical_url,
        },
    }


def _fill(article: Article, whole: ArticleContent) -> None:
    for name in _PLAIN:
        setattr(article, name, whole[name])
    article.slug = whole["slug"]
    article.category = db.session.get_one(Category, whole["category"])
    worn = {tag.uuid: tag for tag in article.tags}
    if list(worn) != whole["tags"]:
        article.tags = [worn.get(uuid) or db.session.get_one(Tag, uuid) for uuid in whole["tags"]]
    for name, text in whole["seo"].items():
        setattr(article.seo, name, text)


def _keep(article: Article, former: ArticleContent) -> None:
    db.session.add(
        ArticleRevision(
            article_id=article.uuid,
            number=article.version,
            author_id=article.author_id,
            user_id=article.editor_id,
            created=article.last_updated,
            content=json.dumps(former, default=_as_text, ensure_ascii=False),
        )
    )


def _as_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _rename(article: Article, slug: str, *, public: bool) -> None:
    if slug != article.slug:
        record_rename(article.uuid, old=article.slug, new=slug, known=public)


def _slug(article: Article, former: ArticleContent, given: str | None, *, title: str, public: bool) -> str:
    """Return the slug after a change: as given; or, while nobody has seen or given it, of the title."""
    if given in (None, former["slug"]):
        follows = given is None and article.slug_derived and not public
        if not (follows and title != former["title"]):
            kept: str = former["slug"]
            return kept
    article.slug_derived = given is None
    return _free_slug(article.uuid, given, title)


def _free_slug(uuid: UUID, given: str | None, words: str) -> str:
    return unique_slugs.choose_slug(given, words, lambda slug: queries.find_similar_slugs(slug, but=uuid))


def _revised(former: ArticleContent | None, fields: Fields) -> ArticleContent:
    """Return the whole content after a change; raises Invalid with all that is wrong at once."""
    errors: Errors = {}
    named = _resolved(fields, errors)
    try:
        whole = lifecycle.revise(former, named, clock.now())
    except Invalid as error:
        errors |= error.errors or {}
    if errors:
        raise Invalid("The article cannot be written like this; `errors` names the fields.", errors=errors)
    return whole


def _resolved(fields: Fields, errors: Errors) -> ArticleContent:
    """Return the fields with category and tags as uuids; what does not exist goes into `errors`."""
    found = dict(fields)
    if "category" in fields:
        (found["category"],) = _uuids(Category, [fields["category"]], ["category"], errors)
    if "tags" in fields:
        paths = [f"tags.{index}" for index in range(len(fields["tags"]))]
        # Two references to one tag are one tag.
        found["tags"] = list(dict.fromkeys(_uuids(Tag, fields["tags"], paths, errors)))
    return found


def _uuids(
    model: type[Category | Tag], references: list[Fields], paths: list[str], errors: Errors
) -> list[UUID]:
    uuids = [reference["uuid"] for reference in references if "uuid" in reference]
    slugs_ = [reference["slug"] for reference in references if "slug" in reference]
    rows = db.session.execute(
        select(model.uuid, model.slug).where(model.uuid.in_(uuids) | model.slug.in_(slugs_))
    ).all()
    known = {row.uuid: row.uuid for row in rows} | {row.slug: row.uuid for row in rows}
    found = []
    for reference, path in zip(references, paths, strict=True):
        # The uuid counts where both are named: a slug may have changed since it was read.
        name = "uuid" if "uuid" in reference else "slug"
        if reference[name] not in known:
            errors[f"{path}.{name}"] = [f"There is no such {model.__tablename__}."]
        found.append(known.get(reference[name], queries.NO_UUID))
    return found


def record_rename(article: UUID, *, old: str, new: str, known: bool) -> None:
    """Keep the old slug where the world may know it (`known`); the new one is a former one no more."""
    db.session.execute(delete_rows(FormerSlug).where(FormerSlug.slug.in_((old, new))))
    if known:
        db.session.add(FormerSlug(slug=old, article_id=article))
