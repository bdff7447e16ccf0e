"""Finds the users who have an article open in the editor, according to the reports of its page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Select, bindparam, func, select

from blogapi.accounts.users.models import Account
from blogapi.content.presence.models import OpenArticle
from blogapi.storage.database import UtcDateTime, current_time, db, table_of
from blogapi.web.fields import Fields

# The page of the editor reports twice a minute; after this time without a report, the article counts as
# closed.
LIFETIME = timedelta(seconds=60)
_presence = table_of(OpenArticle)
_SINCE = bindparam("since", type_=UtcDateTime())
_SELECT_USERS = (
    select(_presence.c.article_id, Account.uuid, Account.username)
    .join(Account, Account.uuid == _presence.c.user_id)
    .where(_presence.c.article_id.in_(bindparam("uuids", expanding=True)))
    .where(_presence.c.seen >= _SINCE, _presence.c.user_id != bindparam("user"))
    .order_by(Account.username, Account.uuid)
)
_SELECT_STATE = select(func.count(), func.max(_presence.c.seen)).where(_presence.c.seen >= _SINCE)


def find_present_users(uuids: Collection[UUID], *, other_than: UUID) -> Mapping[UUID, Sequence[Fields]]:
    """Return the users, except for this one, who have the articles open, by article."""
    found = defaultdict[UUID, list[Fields]](list)
    values = {"uuids": list(uuids), "since": current_time() - LIFETIME, "user": other_than}
    for article_id, uuid, username in db.session.connection().execute(_SELECT_USERS, values):
        found[article_id].append({"uuid": str(uuid), "username": username})
    return found


def get_presence_state(among: Select[UUID] | None = None) -> str:
    """Return a text that changes with the reports of open articles: all, or those that `among` selects."""
    statement = _SELECT_STATE
    if among is not None:
        statement = statement.where(_presence.c.article_id.in_(among))
    state = db.session.connection().execute(statement, {"since": current_time() - LIFETIME})
    return " ".join(map(str, state.one()))
