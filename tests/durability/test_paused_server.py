"""A server that is paused during a write does not stop the writes of the others."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, text

from tests.conftest import TAGS
from tests.databases import SERVER_URL, other_connection
from tests.durability.conftest import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server"),
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot pause a process by a signal"),
]

_COUNT = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
WAITS_FOR_TABLE = _COUNT + "wait_event_type = 'Lock' AND wait_event = 'relation'"
# The pause can stop other threads in a read transaction, which ends later.
_HOLDS_LOCK = "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)"
HAS_WRITE_LOCK = _COUNT + _HOLDS_LOCK


def test_a_server_that_is_paused_during_a_write_fails_cleanly_and_others_write(app, serve):
    def count(connection: Connection, query: str) -> int:
        return int(connection.scalar(text(query)) or 0)

    with (
        serve() as (paused, process),
        serve() as (other, _),
        ThreadPoolExecutor(1) as pool,
        other_connection(app) as connection,
        other_connection(app) as locking,
    ):
        # The write gets the write lock, and waits for the table until the process is paused.
        locking.exec_driver_sql("BEGIN; LOCK TABLE tag IN ACCESS EXCLUSIVE MODE")
        response = pool.submit(paused, "POST", TAGS, {"name": "paused"})
        wait_until(lambda: count(connection, WAITS_FOR_TABLE) == 1)
        os.kill(process.process.pid, signal.SIGSTOP)
        try:
            locking.exec_driver_sql("ROLLBACK")
            wait_until(lambda: count(connection, HAS_WRITE_LOCK) == 0)
            assert other("POST", TAGS, {"name": "other"}).status == 201
        finally:
            os.kill(process.process.pid, signal.SIGCONT)
        failed = response.result(60)
        assert (failed.status, failed.json["code"]) == (503, "unavailable")
        assert failed.headers["Retry-After"] == "1"
        assert paused("POST", TAGS, {"name": "again"}).status == 201
        assert [tag["name"] for tag in paused("GET", TAGS).json] == ["again", "other"]
