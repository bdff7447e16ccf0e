"""Behind nginx, mixed requests during writes: no drafts, no responses to keys, and nothing after its life."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any

import pytest

from tests.conftest import ARTICLES, CATEGORIES
from tests.shared_caches.recipes import NGINX, Response, run_nginx, send

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
]

READERS, REQUESTS = 8, 10_000
# nginx closes a connection after 1,000 requests.
REQUESTS_PER_CONNECTION = 250
MAX_AGE, STALE = 1, 1
# nginx counts whole seconds.
LIFE = MAX_AGE + STALE + 1
SECRET, FLIP = "xyzzysecret", "Sometimes here"


@pytest.fixture
def app(make_app):
    return make_app(PUBLIC_READS=True, SHARED_MAX_AGE=MAX_AGE, STALE_WHILE_REVALIDATE=STALE)


class States:
    """The states that a writer has made, each with the times at which a fresh response could show it."""

    def __init__(self, first: Any) -> None:
        self.current = first
        self.periods: dict[Any, list[list[float]]] = {first: [[0.0, float("inf")]]}

    @contextmanager
    def change(self, state: Any) -> Iterator[None]:
        """Run the write that makes this state: it can be seen at once, and the former one until the end."""
        self.periods.setdefault(state, []).append([time.monotonic(), float("inf")])
        yield
        self.periods[self.current][-1][1] = time.monotonic()
        self.current = state

    def could_show(self, state: Any, start: float, end: float) -> bool:
        """Return whether a fresh response could show the state at a time from `start` to `end`."""
        return any(first <= end and start <= last for first, last in self.periods.get(state, ()))


@dataclass
class Caller:
    """The sender of a request: the headers, and whether the caller sees drafts."""

    headers: dict[str, str] = field(default_factory=dict)
    is_admin: bool = False


class MixedRequests:
    """One writer, and readers of all kinds, who compare each response with what the writer has done."""

    def __init__(self, connect: Callable[[], HTTPConnection], names: dict[str, str]) -> None:
        self.connect, self.names = connect, names
        self.numbers, self.flips = States(0), States(False)
        self.seen: Counter[str] = Counter()
        # The longest request: a response can be so old when nginx stores it.
        self.longest = 0.0
        self.ended = threading.Event()

    def run(self, callers: list[Caller], invalid: Caller, writer_key: str) -> None:
        """Send the requests; raise AssertionError for a response that the caller must not get."""
        with ThreadPoolExecutor(READERS + 1) as pool:
            writer = pool.submit(self._write, writer_key)
            readers = [pool.submit(self._read_all, seed, callers, invalid) for seed in range(READERS)]
            try:
                for reader in readers:
                    reader.result()
            finally:
                self.ended.set()
            writer.result()

    def _write(self, key: str) -> None:
        number, is_public = 0, False
        while not self.ended.wait(0.2):
            number, is_public = number + 1, not is_public
            with self.numbers.change(number):
                self._patch(key, "counter", {"title": f"Number {number}"})
            with self.flips.change(is_public):
                self._patch(key, "flip", {"status": "published" if is_public else "draft"})

    def _patch(self, key: str, name: str, body: dict[str, str]) -> None:
        connection = self.connect()
        headers = {"X-API-KEY": key, "Content-Type": "application/json"}
        connection.request("PATCH", f"{ARTICLES}{self.names[name]}/", json.dumps(body), headers)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        connection.close()

    def _read_all(self, seed: int, callers: list[Caller], invalid: Caller) -> None:
        choose = random.Random(seed)  # noqa: S311 (not a secret)
        for _ in range(0, REQUESTS // READERS, REQUESTS_PER_CONNECTION):
            connection = self.connect()
            for _ in range(REQUESTS_PER_CONNECTION):
                if choose.random() < 0.05:
                    response, _, _ = self._send(connection, ARTICLES, invalid)
                    assert (response.status, response.is_public) == (401, False)
                else:
                    self._read(connection, choose.choice(callers), choose.choice(self._list_reads()))
            connection.close()

    def _list_reads(self) -> list[tuple[str, str]]:
        """Return the paths, each with what it shows."""
        one = {name: f"{ARTICLES}{uuid}/" for name, uuid in self.names.items()}
        return [
            *((path, "list") for path in (ARTICLES, f"{ARTICLES}?page=1&page_size=5", f"{CATEGORIES}shelf/")),
            *((path, "number") for path in (one["counter"], f"{one['counter']}?fields=title,html")),
            *((one["flip"], "flip"), (one["draft"], "draft"), (f"{ARTICLES}?status=any", "all")),
        ]

    def _send(self, connection: HTTPConnection, path: str, caller: Caller) -> tuple[Response, float, float]:
        start = time.monotonic()
        response = send(connection, path, **caller.headers)
        end = time.monotonic()
        self.longest = max(self.longest, end - start)
        assert (response.headers["X-Cache"] == "BYPASS") is bool(caller.headers)
        return response, start, end

    def _read(self, connection: HTTPConnection, caller: Caller, read: tuple[str, str]) -> None:
        path, kind = read
        response, start, end = self._send(connection, path, caller)
        self.seen[f"{response.headers['X-Cache']} {response.status}"] += 1
        text = response.body.decode()
        # No caller without a key or a cookie gets a response to one with it, and the other way round.
        assert response.is_public is (not caller.headers and response.status == 200), path
        if caller.is_admin:
            assert response.status == 200
            assert (SECRET in text) is (kind in ("draft", "all"))
        else:
            assert SECRET not in text
            assert kind not in ("draft", "all") or response.status in (403, 404)
        # A private response and an error are never stored.
        oldest = start - (LIFE + self.longest if response.is_public else 0)
        if response.status == 200 and kind in ("list", "number"):
            found = re.search('"title":"Number ([0-9]+)"', text)
            assert found and self.numbers.could_show(int(found[1]), oldest, end), f"stale: {path}"
        if kind == "list" or (kind == "flip" and not caller.is_admin):
            assert self.flips.could_show(FLIP in text, oldest, end), f"stale: {path}"


def test_ten_thousand_mixed_requests(
    app, folder, port, people, deleted_key, admin_cookie, make_category, make_article
):
    shelf = make_category(name="Shelf")
    names = {
        "counter": make_article(shelf, title="Number 0"),
        "flip": make_article(shelf, title=FLIP, status="draft", published_at="2026-01-02T00:00:00Z"),
        "draft": make_article(shelf, title=SECRET, status="draft"),
    }
    callers = [
        *[Caller()] * 6,
        *(Caller({"X_API_KEY": people.key(owner)}) for owner in (None, people.member)),
        Caller({"X_API_KEY": people.key(people.admin)}, is_admin=True),
        Caller({"Cookie": admin_cookie}, is_admin=True),
    ]
    with run_nginx(folder, port) as connect:
        mixed = MixedRequests(connect, {name: str(article.uuid) for name, article in names.items()})
        mixed.run(callers, Caller({"X_API_KEY": deleted_key}), people.key(people.admin, "write"))
    # Without these, the test would show nothing.
    assert mixed.seen["HIT 200"] > REQUESTS / 10 and mixed.seen["BYPASS 200"] > REQUESTS / 10
    assert mixed.seen["STALE 200"] + mixed.seen["UPDATING 200"] > 0 and len(mixed.numbers.periods) > 10
