"""The epoch of the database: a random text that changes when the counters of the database can repeat.

After a restore, a failover or a recovery to an earlier time, other content can have the same counters. Caches
and clients therefore compare the epoch as well. `restore` renews it on SQLite. On PostgreSQL, the identity of
the database server and its tables is stored with it, and the epoch is renewed when they differ.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, select, text

from blogapi.storage.database import CommitCounter, db, transaction

# A single statement, so that it needs no write lock.
RENEW_SQL = (
    "UPDATE revision SET epoch = :epoch, identity = database_identity() WHERE identity <> database_identity()"
)


def generate_epoch() -> str:
    """Return a new random epoch."""
    return secrets.token_hex(4)


def get_epoch() -> str:
    """Return the epoch of the database; renew it first if the database was replaced."""
    if db.engine.dialect.name != "sqlite" and not _is_same_database(db.session.connection()):
        with transaction():
            db.session.execute(text(RENEW_SQL), {"epoch": generate_epoch()})
    return db.session.scalars(select(CommitCounter.epoch)).one()


def _is_same_database(connection: Connection) -> bool:
    return bool(connection.scalar(text("SELECT identity = database_identity() FROM revision")))
