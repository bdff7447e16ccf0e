"""The releases of blogapi that have used the database, each with the access rules of its API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from sqlalchemy import Connection, String, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base, current_time, db, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.version import __version__


class Release(Base):
    """A version of blogapi that was started with this database.

    `rights` is a JSON object: who may call each operation of the API. `started` is the time of the first
    start.
    """

    __tablename__ = "release"

    version: Mapped[str] = mapped_column(String(32), primary_key=True)
    rights: Mapped[str]
    started: Mapped[datetime]


def record_release(rights: Mapping[str, str]) -> None:
    """Store the running version and its rights, unless both are stored or the database refuses writes."""
    text = json.dumps(rights, sort_keys=True)
    with suppress(SQLAlchemyError, NewerSchema):
        stored = db.session.get(Release, __version__)
        if stored is not None and stored.rights == text:
            return
        started = stored.started if stored else current_time()
        with transaction(wait=False, visible=False):
            db.session.merge(Release(version=__version__, rights=text, started=started))


def read_last_release(connection: Connection) -> tuple[str, dict[str, str], datetime] | None:
    """Return the version whose first start was the latest, its rights, and the time of this start.

    Returns None if only versions before 1.0 have used the database.
    """
    if not inspect(connection).has_table(Release.__tablename__):
        return None
    columns = select(Release.version, Release.rights, Release.started)
    row = connection.execute(columns.order_by(Release.started.desc()).limit(1)).one_or_none()
    return None if row is None else (row.version, json.loads(row.rights), row.started)
