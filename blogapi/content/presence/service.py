"""Stores who has an article open in the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from sqlalchemy import delete, select

from blogapi import clock
from blogapi.content.presence.models import OpenArticle
from blogapi.content.presence.queries import LIFETIME, find_present_users
from blogapi.storage.database import current_time, db, table_of, transaction
from blogapi.storage.expressions import insert_or_update
from blogapi.web.fields import Fields

# The maximum number of articles that a user can have open at a time; older reports are deleted.
MAX_ARTICLES = 50

_presence = table_of(OpenArticle)


def report_presence(user: UUID, article_id: UUID, check_exists: Callable[[UUID], None]) -> Sequence[Fields]:
    """Store that the user has the article open; return the other users who have it open.

    `check_exists` raises NotFound for an article that does not exist. No event is recorded, and caches
    stay valid.
    """
    with transaction(visible=False):
        check_exists(article_id)
        now, connection = current_time(), db.session.connection()
        # A report from the future was stored while the clock was ahead.
        connection.execute(
            delete(_presence).where(~_presence.c.seen.between(now - LIFETIME, now + clock.TOLERANCE))
        )
        statement = insert_or_update(connection.dialect.name, _presence, "seen")
        connection.execute(statement, {"article_id": article_id, "user_id": user, "seen": now})
        newest = select(_presence.c.article_id).where(_presence.c.user_id == user)
        newest = newest.order_by(_presence.c.seen.desc(), _presence.c.article_id).limit(MAX_ARTICLES)
        connection.execute(
            delete(_presence).where(_presence.c.user_id == user, _presence.c.article_id.not_in(newest))
        )
    return find_present_users([article_id], other_than=user)[article_id]
