"""Creates and revokes preview links."""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete, select

from blogapi import clock
from blogapi.content.articles.queries import check_exists
from blogapi.delivery.previews import queries
from blogapi.delivery.previews.models import Preview
from blogapi.storage.database import db, transaction
from blogapi.web.fields import WithAttributes
from blogapi.web.tokens import digest_token

# The maximum number of valid links of one article.
MAX_LINKS = 50


def create(user: UUID, article_id: UUID, *, seconds: int) -> WithAttributes:
    """Create a preview link and return it with its `token`, of which only the digest is stored.

    This also deletes expired links, and the oldest links of an article that has more than MAX_LINKS. Raises
    NotFound if the article does not exist.
    """
    token, now = secrets.token_urlsafe(32), clock.now()
    with transaction(visible=False):
        check_exists(article_id)
        db.session.execute(delete(Preview).where(Preview.expires <= now))
        preview = Preview(
            digest=digest_token(token),
            article_id=article_id,
            user_id=user,
            expires=now + timedelta(seconds=seconds),
        )
        db.session.add(preview)
        db.session.flush()
        newest = select(Preview.uuid).where(Preview.article_id == article_id)
        newest = newest.order_by(Preview.created.desc(), Preview.uuid != preview.uuid).limit(MAX_LINKS)
        others = (Preview.article_id == article_id) & Preview.uuid.not_in(newest)
        db.session.execute(delete(Preview).where(others))
    return WithAttributes(preview, token=token)


def revoke(article_id: UUID, uuid: UUID) -> None:
    """Delete a preview link; raises NotFound if the article has no such link."""
    with transaction(visible=False):
        db.session.delete(queries.get_preview(article_id, uuid))
