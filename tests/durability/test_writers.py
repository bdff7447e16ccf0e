"""Concurrent writers lose no update, and a process that holds the write lock does not stop reads."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count

import pytest

from blogapi.accounts.users import service as users
from blogapi.web.access import Role
from tests.accounts.users.conftest import LOGIN, ME
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.durability.conftest import (
    PATIENT_SERVER,
    Client,
    Response,
    get_repetitions,
    run_in_threads,
    wait_until,
)

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("its lock")]

CLIENTS = 8
WRITES = get_repetitions("WRITES", 5)
LOCK_SECONDS = get_repetitions("LOCK_SECONDS", 3)

# The number of reads of each kind that must succeed while another process holds the write lock. If each read
# waited 5 seconds for the lock, as a write does, this number would not be reached in time.
READS = 20

LIN = {"username": "lin", "password": "a long password"}


class RequestLoop:
    """Sends requests of one kind, one after another, and keeps their responses."""

    def __init__(self, send: Callable[[int], Response]) -> None:
        self.send = send
        self.responses: dict[int, Response] = {}

    def __call__(self, stop: threading.Event) -> None:
        """Send requests until `stop` is set."""
        for number in count():
            if stop.is_set():
                return
            self.responses[number] = self.send(number)
            stop.wait(float(self.responses[number].headers.get("Retry-After", 0.02)))

    def list_numbers(self, status: int) -> set[int]:
        """Return the numbers of the requests with this status."""
        return {number for number, response in self.responses.items() if response.status == status}

    def statuses(self) -> set[int]:
        """Return the statuses of all responses."""
        return {response.status for response in self.responses.values()}


@contextmanager
def run_loops(*loops: RequestLoop) -> Iterator[None]:
    """Run the loops during the `with` block."""
    stop = threading.Event()
    with run_in_threads(*[partial(loop, stop) for loop in loops]):
        try:
            yield
        finally:
            stop.set()


@pytest.fixture
def lin_account(app):
    """A user who can log in."""
    with app.app_context():
        users.create_user(LIN["username"], LIN["password"], role=Role.READER)


def test_no_update_is_lost_when_eight_clients_write_on_two_servers(serve, make_article):
    path = f"{ARTICLES}{make_article(subtitle='0').uuid}/"
    statuses: Counter[int] = Counter()

    def increment(client: Client) -> None:
        written = 0
        while written < WRITES:
            read = client("GET", path)
            body = {"subtitle": str(int(read.json["subtitle"]) + 1)}
            status = client("PATCH", path, body, If_Match=read.headers["ETag"]).status
            statuses[status] += 1
            written += status == 200

    with serve(command=PATIENT_SERVER) as (first, _), serve(command=PATIENT_SERVER) as (second, _):
        with run_in_threads(*[partial(increment, client) for client in (first, second) * (CLIENTS // 2)]):
            pass
        assert first("GET", path).json["subtitle"] == str(CLIENTS * WRITES)
    assert set(statuses) <= {200, 412} and statuses[200] == CLIENTS * WRITES


def test_reads_succeed_while_another_process_holds_the_write_lock(
    serve, instance, make_article, lin_account, monkeypatch
):
    # The loop creates keys until all others have written, however long that takes.
    monkeypatch.setenv("BLOGAPI_KEY_LIMIT", "100000 per minute")
    path = f"{ARTICLES}{make_article().uuid}/"
    uncached = f"{ARTICLES}?page=1&page_size=1&q=b"
    with serve() as (ada, _):
        stranger = Client(ada.port)
        unused = [Client(ada.port, stranger("POST", KEYS).json["public_state"]) for _ in range(20)]
        cookie = stranger("POST", LOGIN, LIN).headers["Set-Cookie"].partition(";")[0]
        readers = {
            "cached": RequestLoop(lambda _: ada("GET", path)),
            "not cached": RequestLoop(lambda number: ada("GET", f"{uncached}{number}")),
            "with unused keys": RequestLoop(lambda number: unused[number % 20]("GET", TAGS)),
            "logged in": RequestLoop(lambda _: stranger("GET", ME, Cookie=cookie)),
            "health": RequestLoop(lambda _: stranger("GET", "/health/")),
        }
        tags = [
            RequestLoop(lambda number, writer=writer: ada("POST", TAGS, {"name": f"tag {writer} {number}"}))
            for writer in range(CLIENTS)
        ]
        keys, logins = (
            RequestLoop(lambda _: stranger("POST", KEYS)),
            RequestLoop(lambda _: stranger("POST", LOGIN, LIN)),
        )
        with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with run_loops(*readers.values(), *tags, keys, logins):
                wait_until(lambda: all(len(loop.responses) >= READS for loop in readers.values()))
                time.sleep(LOCK_SECONDS)
                assert not any(loop.list_numbers(201) for loop in (*tags, keys))
                connection.execute("ROLLBACK")
                wait_until(lambda: all(loop.list_numbers(201) for loop in tags))
        names = {tag["name"] for tag in ada("GET", TAGS).json}
    for name, reader in readers.items():
        assert reader.statuses() == {200}, name
    assert {status for loop in (*tags, keys) for status in loop.statuses()} <= {201, 503}
    assert logins.statuses() <= {200, 503}
    # Exactly the acknowledged tags are stored.
    assert names == {
        f"tag {writer} {number}" for writer, loop in enumerate(tags) for number in loop.list_numbers(201)
    }
