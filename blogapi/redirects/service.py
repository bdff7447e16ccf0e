"""Writes of former slugs."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import delete

from blogapi.core.database import db
from blogapi.redirects.models import FormerSlug


def renamed(article: UUID, *, old: str, new: str, known: bool) -> None:
    """Keep the old slug where the world may know it (`known`); the new one is a former one no more."""
    db.session.execute(delete(FormerSlug).where(FormerSlug.slug.in_((old, new))))
    if known:
        db.session.add(FormerSlug(slug=old, article_id=article))
