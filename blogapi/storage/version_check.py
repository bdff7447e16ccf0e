"""The check in every write transaction that no other version of blogapi has taken over the database.

After an upgrade by another server, a server of an older version would store rows that the newer version does
not find, such as articles without an entry in a new search index.
"""

from __future__ import annotations

from typing import Any

from flask import Flask, current_app
from sqlalchemy import Connection, Row
from sqlalchemy.orm import Session

from blogapi.storage import database_clock, upgrades

_RENDERERS_KEY = "blogapi-renderers"

# `renderer` is the version of the code that rendered the stored JSON of the articles. The statement has only
# columns that every version has.
_READ_VERSIONS = "SELECT version_num, renderer, tag{} FROM alembic_version, article_stats, commit_counter"


class NewerSchema(Exception):
    """Another version of blogapi has upgraded the database or has rendered its articles again."""

    def __init__(self) -> None:
        super().__init__(
            "This server and the database belong to different versions of blogapi, so nothing was stored; "
            "upgrade this server and restart it."
        )


def accept_renderers(app: Flask, *versions: str) -> None:
    """Refuse writes unless the stored version is one of these.

    Before the first call, writes are accepted with any stored version.
    """
    app.extensions[_RENDERERS_KEY] = versions


def check_version(session: Session) -> str:
    """Raise NewerSchema if another version of blogapi has upgraded the database or rendered its articles.

    Returns the tag of the last commit; see `database.CommitCounter`. The session must hold the write lock. On
    PostgreSQL, this also reads the time of the transaction.
    """
    connection = session.connection()
    row = _read_versions(connection)
    renderers = current_app.extensions.get(_RENDERERS_KEY)
    if row is None or row.version_num != upgrades.list_migrations()[-1]:
        raise NewerSchema
    if renderers is not None and row.renderer not in renderers:
        raise NewerSchema
    if connection.dialect.name != "sqlite":
        database_clock.set_time(session, row.now)
    tag: str = row.tag
    return tag


def _read_versions(connection: Connection) -> Row[*tuple[Any, ...]] | None:
    time = "" if connection.dialect.name == "sqlite" else ", clock_timestamp() AS now"
    return connection.exec_driver_sql(_READ_VERSIONS.format(time)).one_or_none()
