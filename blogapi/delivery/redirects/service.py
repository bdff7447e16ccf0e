"""Stores and deletes the former slugs of articles, from which redirects lead."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, select, union_all

from blogapi.content.articles.models import Article, FormerSlug
from blogapi.storage.database import db, transaction


def add_former_slugs(article: UUID, slugs: Sequence[str]) -> list[str]:
    """Store slugs that the article had in another system; return the slugs that other articles have or had.

    The current slug of the article is ignored.
    """
    with transaction():
        # Store new articles first, because the statement below looks for the owners of the slugs.
        db.session.flush()
        current_owners = select(Article.slug, Article.uuid).where(Article.slug.in_(slugs))
        former_owners = select(FormerSlug.slug, FormerSlug.article_id).where(FormerSlug.slug.in_(slugs))
        owners = {row.slug: row.uuid for row in db.session.execute(union_all(current_owners, former_owners))}
        db.session.add_all(
            FormerSlug(slug=slug, article_id=article) for slug in dict.fromkeys(slugs) if slug not in owners
        )
        db.session.flush()
    return [slug for slug in slugs if owners.get(slug, article) != article]


def delete_former_slug(slug: str) -> None:
    """Delete the redirect from this slug, so that another article can use the slug."""
    with transaction():
        db.session.execute(delete(FormerSlug).where(FormerSlug.slug == slug))
