"""Stores and deletes former slugs of articles; the blog redirects requests for former slugs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select, union_all

from blogapi.content.articles.models import Article, FormerSlug
from blogapi.storage.database import db, transaction


def add_former_slugs(article: UUID, slugs: Sequence[str], times: Mapping[str, datetime | None]) -> list[str]:
    """Store slugs that the article had in another system; return the slugs that other articles have or had.

    The current slug of the article is ignored. `times` maps a slug to the time at which the article lost it,
    if the time is known.
    """
    with transaction():
        # New articles must be stored first, because the statement below finds the articles with these slugs.
        db.session.flush()
        current_owners = select(Article.slug, Article.uuid).where(Article.slug.in_(slugs))
        former_owners = select(FormerSlug.slug, FormerSlug.article_id).where(FormerSlug.slug.in_(slugs))
        owners = {row.slug: row.uuid for row in db.session.execute(union_all(current_owners, former_owners))}
        db.session.add_all(
            FormerSlug(slug=slug, article_id=article, created=times.get(slug))
            for slug in dict.fromkeys(slugs)
            if slug not in owners
        )
        db.session.flush()
    return [slug for slug in slugs if owners.get(slug, article) != article]


def delete_former_slug(slug: str) -> None:
    """Delete the redirect from this slug, so that another article can use the slug."""
    with transaction():
        db.session.execute(delete(FormerSlug).where(FormerSlug.slug == slug))
