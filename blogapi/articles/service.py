"""Writes of articles."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.articles import queries, rules
from blogapi.articles.models import Article, Seo
from blogapi.categories.models import Category
from blogapi.core import clock, slugs
from blogapi.core.database import db, transaction
from blogapi.core.schema import Fields
from blogapi.tags.models import Tag


def create(author: UUID, fields: Fields, *, category: Category, tags: Sequence[Tag]) -> Article:
    """Write a new article from the fields of an ArticleBodySchema.

    A slug that is wished or comes from the title gets a number where it is taken.
    """
    with transaction():
        article = Article(author_id=author, seo=Seo(title=""))
        _fill(article, fields, category=category, tags=tags)
        article.slug = _free_slug(fields.get("slug") or fields["title"])
        db.session.add(article)
        db.session.flush()
    return article


def rewrite(article: Article, fields: Fields, *, category: Category, tags: Sequence[Tag]) -> Article:
    """Give an article new fields; its uuid, slug and author stay."""
    with transaction():
        _fill(article, fields, category=category, tags=tags)
        db.session.flush()
    return article


def _fill(article: Article, fields: Fields, *, category: Category, tags: Sequence[Tag]) -> None:
    for name in ("title", "subtitle", "cover_image", "content", "content_type", "status"):
        setattr(article, name, fields[name])
    article.published_at = rules.publication(fields["status"], fields["published_at"], clock.now())
    article.category = category
    article.tags = list(tags)
    seo = fields["seo"]
    article.seo.title = seo.get("title") or fields["title"]
    article.seo.description = seo.get("description") or fields["subtitle"]
    article.seo.og_image = seo.get("og_image") or fields["cover_image"]
    article.seo.canonical_url = seo.get("canonical_url", "")


def _free_slug(words: str) -> str:
    wished = slugs.slug_of(words)
    return slugs.free(wished, queries.slugs_like(wished))
