"""Which users have an article open, according to the reports of the editor pages in their browsers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ForeignKey, Select, bindparam, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from blogapi import clock
from blogapi.accounts.users.models import Account
from blogapi.storage.database import Base, UtcDateTime, current_time, db, table_of, transaction
from blogapi.storage.expressions import make_upsert_statement
from blogapi.web.fields import Fields


class OpenArticle(Base):
    """A user who has an article open in the editor, with the time of their last report."""

    __tablename__ = "open_article"

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("account.uuid", ondelete="CASCADE"), primary_key=True, index=True
    )
    seen: Mapped[datetime] = mapped_column(index=True)


# The editor reports twice a minute; after this time without a report, the article counts as closed.
REPORT_LIFETIME = timedelta(seconds=60)
_presence = table_of(OpenArticle)
_SINCE = bindparam("since", type_=UtcDateTime())
_SELECT_PRESENT_USERS = (
    select(_presence.c.article_id, Account.uuid, Account.username)
    .join(Account, Account.uuid == _presence.c.user_id)
    .where(_presence.c.article_id.in_(bindparam("uuids", expanding=True)))
    .where(_presence.c.seen >= _SINCE, _presence.c.user_id != bindparam("user"))
    .order_by(Account.username, Account.uuid)
)
_SELECT_PRESENCE_STATE = select(func.count(), func.max(_presence.c.seen)).where(_presence.c.seen >= _SINCE)


def find_present_users(uuids: Collection[UUID], *, other_than: UUID) -> Mapping[UUID, Sequence[Fields]]:
    """Return the users who have the articles open, by article; the user `other_than` is left out."""
    found = defaultdict[UUID, list[Fields]](list)
    values = {"uuids": list(uuids), "since": current_time() - REPORT_LIFETIME, "user": other_than}
    for article_id, uuid, username in db.session.connection().execute(_SELECT_PRESENT_USERS, values):
        found[article_id].append({"uuid": str(uuid), "username": username})
    return found


def get_presence_state(among: Select[UUID] | None = None) -> str:
    """Return a text that changes with each report, or with reports for the articles that `among` selects."""
    statement = _SELECT_PRESENCE_STATE
    if among is not None:
        statement = statement.where(_presence.c.article_id.in_(among))
    state = db.session.connection().execute(statement, {"since": current_time() - REPORT_LIFETIME})
    return " ".join(map(str, state.one()))


# The maximum number of articles that a user can have open at a time; older reports are deleted.
MAX_OPEN_ARTICLES = 50


def report_presence(user: UUID, article_id: UUID, check_exists: Callable[[UUID], None]) -> Sequence[Fields]:
    """Store that the user has the article open; return the other users who have it open.

    `check_exists` raises NotFound for an article that does not exist. No event is recorded, so that caches
    stay valid.
    """
    with transaction(visible=False):
        check_exists(article_id)
        now, connection = current_time(), db.session.connection()
        # This also deletes reports from the future, which were stored while the clock was ahead.
        connection.execute(
            delete(_presence).where(~_presence.c.seen.between(now - REPORT_LIFETIME, now + clock.TOLERANCE))
        )
        statement = make_upsert_statement(connection.dialect.name, _presence, "seen")
        connection.execute(statement, {"article_id": article_id, "user_id": user, "seen": now})
        newest = select(_presence.c.article_id).where(_presence.c.user_id == user)
        newest = newest.order_by(_presence.c.seen.desc(), _presence.c.article_id).limit(MAX_OPEN_ARTICLES)
        connection.execute(
            delete(_presence).where(_presence.c.user_id == user, _presence.c.article_id.not_in(newest))
        )
    return find_present_users([article_id], other_than=user)[article_id]
