"""Checks in each write transaction that no other version of blogapi has upgraded the database.

After an upgrade by another server, a server of an older version would store rows that the newer version does
not find, such as articles without an entry in a new search index.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any

from flask import Flask, current_app
from sqlalchemy import DateTime, text
from sqlalchemy.orm import Session

from blogapi.storage import database_clock
from blogapi.storage.migration_names import list_migrations

_RENDERER_VERSIONS_KEY = "blogapi-renderers"

# `renderer` is the version of the code that rendered the stored JSON of the articles. The statement uses only
# columns that exist in every version of the schema. The statement has subqueries because PostgreSQL has no
# statistics of these tables: for a join, it would expect millions of rows and compile the join each time.
_READ_STATE_SQL = (
    "SELECT (SELECT version_num FROM alembic_version) AS version_num, "
    "(SELECT renderer FROM article_stats) AS renderer, "
    "commit_counter.*, (SELECT min(due) FROM event) AS min_due{} FROM commit_counter"
)
_TIME_COLUMNS = {name: DateTime() for name in ("announced_until", "min_due")}
_STATEMENTS = {
    "sqlite": text(_READ_STATE_SQL.format("")).columns(**_TIME_COLUMNS),
    "postgresql": text(_READ_STATE_SQL.format(", clock_timestamp() AS now")).columns(**_TIME_COLUMNS),
}


class NewerSchema(Exception):
    """Another version of blogapi has upgraded the database or has rendered its articles again."""

    def __init__(self) -> None:
        super().__init__(
            "This server and the database belong to different versions of blogapi, so nothing was stored; "
            "upgrade this server and restart it."
        )


def accept_renderer_versions(app: Flask, *versions: str) -> None:
    """Accept writes only if the stored version of the renderer is one of `versions`.

    Until the first call, writes are accepted with any stored version.
    """
    app.extensions[_RENDERER_VERSIONS_KEY] = versions


def read_state_and_check_version(session: Session) -> dict[str, Any]:
    """Raise NewerSchema if another version of blogapi has upgraded the database or rendered its articles.

    Returns the columns of `database.CommitCounter`, and as `min_due` the time at which the next scheduled
    item becomes public. The session must hold the write lock, so that no other writer changes these values.
    On PostgreSQL, this also reads the time of the transaction.
    """
    dialect = session.get_bind().dialect.name
    row = session.connection().execute(_STATEMENTS[dialect]).one_or_none()
    renderers = current_app.extensions.get(_RENDERER_VERSIONS_KEY)
    if row is None or row.version_num != list_migrations()[-1]:
        raise NewerSchema
    if renderers is not None and row.renderer not in renderers:
        raise NewerSchema
    if dialect != "sqlite":
        database_clock.set_transaction_time(session, row.now)
    state = dict(row._mapping)
    for name in _TIME_COLUMNS:
        state[name] = state[name] and state[name].replace(tzinfo=UTC)
    return state
