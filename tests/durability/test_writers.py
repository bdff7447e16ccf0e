"""Many who write at once, and somebody else who keeps the database to himself: nobody else is stopped."""

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
from tests.durability.conftest import Answer, Client, times, together, until
from tests.users.test_routes import LOGIN, ME

pytestmark = pytest.mark.sqlite("its lock")

CLIENTS = 8
WRITES = times("WRITES", 5)
FEW_SECONDS = 3
LOCK_SECONDS = times("LOCK_SECONDS", FEW_SECONDS)

# How long a read may take while others cannot write. A busy machine is no error, except to who wants to know
# it well.
READ_SECONDS = 2 if LOCK_SECONDS == FEW_SECONDS else 1

LIN = {"username": "lin", "password": "a long password"}


class Asking:
    """Requests of one kind, one after the other; and what came of them."""

    def __init__(self, ask: Callable[[int], Answer]) -> None:
        self.ask = ask
        self.heard: dict[int, Answer] = {}
        self.slowest = 0.0

    def __call__(self, over: threading.Event) -> None:
        """Ask until it is over."""
        for number in count():
            if over.is_set():
                return
            began = time.monotonic()
            self.heard[number] = self.ask(number)
            self.slowest = max(self.slowest, time.monotonic() - began)
            over.wait(float(self.heard[number].headers.get("Retry-After", 0.02)))

    def numbers(self, status: int) -> set[int]:
        """Return which requests got this status."""
        return {number for number, answer in self.heard.items() if answer.status == status}

    def statuses(self) -> set[int]:
        """Return the statuses of all answers."""
        return {answer.status for answer in self.heard.values()}


@contextmanager
def going_on(*askings: Asking) -> Iterator[None]:
    """Have all of them ask meanwhile."""
    over = threading.Event()
    with together(*[partial(asking, over) for asking in askings]):
        try:
            yield
        finally:
            over.set()


@pytest.fixture
def lin(app):
    """A user who can log in."""
    with app.app_context():
        users.create(LIN["username"], LIN["password"], role=Role.MEMBER)


def test_eight_clients_of_two_servers_lose_no_read_modify_write(serve, make_article):
    path = f"{ARTICLES}{make_article(subtitle='0').uuid}/"
    heard: Counter[int] = Counter()

    def count_up(ask: Client) -> None:
        written = 0
        while written < WRITES:
            read = ask("GET", path)
            body = {"subtitle": str(int(read.json["subtitle"]) + 1)}
            status = ask("PATCH", path, body, If_Match=read.headers["ETag"]).status
            heard[status] += 1
            written += status == 200

    with serve() as (one, _), serve() as (other, _):
        with together(*[partial(count_up, ask) for ask in (one, other) * (CLIENTS // 2)]):
            pass
        assert one("GET", path).json["subtitle"] == str(CLIENTS * WRITES)
    assert set(heard) <= {200, 412} and heard[200] == CLIENTS * WRITES


def test_reads_go_on_while_another_process_keeps_the_lock(serve, instance, make_article, lin):
    path = f"{ARTICLES}{make_article().uuid}/"
    with serve() as (ada, _):
        stranger = Client(ada.port)
        lent = [Client(ada.port, stranger("POST", KEYS).json["public_state"]) for _ in range(20)]
        cookie = stranger("POST", LOGIN, LIN).headers["Set-Cookie"].partition(";")[0]
        readers = {
            "given again": Asking(lambda _: ada("GET", path)),
            "made anew": Asking(lambda number: ada("GET", f"{ARTICLES}?page=1&page_size=1&q=b{number}")),
            "by keys that nobody had used": Asking(lambda number: lent[number % 20]("GET", TAGS)),
            "logged in": Asking(lambda _: stranger("GET", ME, Cookie=cookie)),
            "health": Asking(lambda _: stranger("GET", "/health/")),
        }
        tags = [
            Asking(lambda number, who=who: ada("POST", TAGS, {"name": f"tag {who} {number}"}))
            for who in range(CLIENTS)
        ]
        keys, logins = (
            Asking(lambda _: stranger("POST", KEYS)),
            Asking(lambda _: stranger("POST", LOGIN, LIN)),
        )
        with closing(sqlite3.connect(instance / "blog.db", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with going_on(*readers.values(), *tags, keys, logins):
                time.sleep(LOCK_SECONDS)
                assert not any(one.numbers(201) for one in (*tags, keys))
                holder.execute("ROLLBACK")
                until(lambda: all(one.numbers(201) for one in tags))
        names = {tag["name"] for tag in ada("GET", TAGS).json}
    for name, reader in readers.items():
        assert reader.statuses() == {200}, name
        assert reader.slowest < READ_SECONDS, name
    assert {status for one in (*tags, keys) for status in one.statuses()} == {201, 503}
    assert logins.statuses() <= {200, 503}
    # What was said to be stored is, and what was refused is not.
    assert names == {f"tag {who} {number}" for who, one in enumerate(tags) for number in one.numbers(201)}
