"""Transactions between which other programs, such as the server, can write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from blogapi import clock
from blogapi.storage.database import db, transaction

# A program that waits for the lock of SQLite looks every 0.1 seconds whether it is free. The locks of
# PostgreSQL are given in the order of the requests.
_PAUSE_SECONDS = 0.12
# After a shorter transaction, a program that waits looks more often.
_SHORT_SECONDS = 0.1


class WriteTurns:
    """Opens the transactions of an import; after a long one, the next one does not begin immediately."""

    def __init__(self) -> None:
        self._free_at = 0.0

    @contextmanager
    def open_transaction(self) -> Iterator[None]:
        """Run the `with` block in a transaction, and wait for its turn before."""
        wait = self._free_at - clock.monotonic()
        if wait > 0 and db.engine.dialect.name == "sqlite":
            time.sleep(wait)
        started = clock.monotonic()
        try:
            with transaction():
                yield
        finally:
            ended = clock.monotonic()
            self._free_at = ended + _PAUSE_SECONDS if ended - started > _SHORT_SECONDS else 0.0
