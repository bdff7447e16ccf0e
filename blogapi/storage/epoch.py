"""The epoch of the database: a random text that changes when the counters of the database can repeat.

After a restore, a failover or a recovery to an earlier time, the counters can have the same values for other
content. Caches and clients therefore compare the epoch as well. On SQLite, `restore` renews the epoch. On
PostgreSQL, the identity of the server and its tables is stored with the epoch; if the stored identity differs
from the present one, the epoch is renewed.
"""

from __future__ import annotations

import secrets

from sqlalchemy import select, text

from blogapi.storage.database import CommitCounter, db, transaction

# This is a single statement, so that it needs no write lock.
RENEW_SQL = (
    "UPDATE revision SET epoch = :epoch, identity = database_identity() WHERE identity <> database_identity()"
)

_READ_SQL = "SELECT epoch, identity = database_identity() FROM revision"


def generate_epoch() -> str:
    """Return a new random epoch."""
    return secrets.token_hex(4)


def get_epoch() -> str:
    """Return the epoch of the database; renew it first if the database was replaced."""
    if db.engine.dialect.name == "sqlite":
        return db.session.scalars(select(CommitCounter.epoch)).one()
    current, same_database = db.session.execute(text(_READ_SQL)).one()
    if same_database:
        return str(current)
    with transaction():
        db.session.execute(text(RENEW_SQL), {"epoch": generate_epoch()})
        return db.session.scalars(select(CommitCounter.epoch)).one()
