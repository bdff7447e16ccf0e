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

from blogapi.users import service as users
from blogapi.users.models import Role
from tests.conftest import ARTICLES, KEYS, TAGS
from tests.durability.conftest import Client, Response, in_threads, times, wait_until
from tests.users.test_routes import LOGIN, ME

pytestmark = pytest.mark.sqlite("its lock")

CLIENTS = 8
WRITES = times("WRITES", 5)
FEW_SECONDS = 3
LOCK_SECONDS = times("LOCK_SECONDS", FEW_SECONDS)

# How long a read may take while another process holds the write lock; the default run allows more for a busy
# machine.
READ_SECONDS = 2 if LOCK_SECONDS == FEW_SECONDS else 1

LIN = {"username": "lin", "password": "a long password"}


class RequestLoop:
    """Requests of one kind, one after the other, and their responses."""

    def __init__(self, send: Callable[[int], Response]) -> None:
        self.send = send
        self.responses: dict[int, Response] = {}
        self.slowest = 0.0

    def __call__(self, stop: threading.Event) -> None:
        """Send requests until `stop` is set."""
        for number in count():
            if stop.is_set():
                return
            began = time.monotonic()
            self.responses[number] = self.send(number)
            self.slowest = max(self.slowest, time.monotonic() - began)
            stop.wait(float(self.responses[number].headers.get("Retry-After", 0.02)))

    def numbers(self, status: int) -> set[int]:
        """Return the numbers of the requests with this status."""
        return {number for number, response in self.responses.items() if response.status == status}

    def statuses(self) -> set[int]:
        """Return the statuses of all responses."""
        return {response.status for response in self.responses.values()}


@contextmanager
def running(*loops: RequestLoop) -> Iterator[None]:
    """Run the loops during the `with` block."""
    stop = threading.Event()
    with in_threads(*[partial(loop, stop) for loop in loops]):
        try:
            yield
        finally:
            stop.set()


@pytest.fixture
def lin(app):
    """A user who can log in."""
    with app.app_context():
        users.create(LIN["username"], LIN["password"], role=Role.MEMBER)


def test_eight_clients_of_two_servers_lose_no_read_modify_write(serve, make_article):
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

    with serve() as (one, _), serve() as (other, _):
        with in_threads(*[partial(increment, client) for client in (one, other) * (CLIENTS // 2)]):
            pass
        assert one("GET", path).json["subtitle"] == str(CLIENTS * WRITES)
    assert set(statuses) <= {200, 412} and statuses[200] == CLIENTS * WRITES


def test_reads_succeed_while_another_process_holds_the_write_lock(serve, instance, make_article, lin):
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
        with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with running(*readers.values(), *tags, keys, logins):
                time.sleep(LOCK_SECONDS)
                assert not any(one.numbers(201) for one in (*tags, keys))
                holder.execute("ROLLBACK")
                wait_until(lambda: all(one.numbers(201) for one in tags))
        names = {tag["name"] for tag in ada("GET", TAGS).json}
    for name, reader in readers.items():
        assert reader.statuses() == {200}, name
        assert reader.slowest < READ_SECONDS, name
    assert {status for one in (*tags, keys) for status in one.statuses()} == {201, 503}
    assert logins.statuses() <= {200, 503}
    # Exactly the acknowledged tags are stored.
    assert names == {
        f"tag {writer} {number}" for writer, one in enumerate(tags) for number in one.numbers(201)
    }
