"""Fixtures: clients of real processes that serve the test's blog, and what its file says by itself."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.conftest import People, release
from tests.durability.test_processes import WSGI, Running, serving

PATIENCE = 60


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    json: Any
    headers: HTTPMessage


@dataclass(frozen=True)
class Client:
    """Asks the server at a port, with a key if there is one."""

    port: int
    key: str = ""

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Return the answer; raises OSError or HTTPException where there is none."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        told |= {"X-API-KEY": self.key} if self.key else {}
        told |= {} if body is None else {"Content-Type": "application/json"}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), told)
            answer = connection.getresponse()
            content = answer.read()
            return Answer(answer.status, json.loads(content) if content else None, answer.headers)


@pytest.fixture
def write_key(people: People) -> str:
    """A key of Ada's that may write."""
    return people.key(people.admin, "write")


Serve = Callable[..., AbstractContextManager[tuple[Client, Running]]]


@pytest.fixture
def serve(app: Flask, write_key: str, tmp_path: Path) -> Serve:
    """Serves the test's blog in a process of its own; gives Ada's client and the process."""

    @contextmanager
    def serving_it(*options: str, command: list[str] = WSGI) -> Iterator[tuple[Client, Running]]:
        release(app)
        with serving([*command, *options], tmp_path) as (port, running):
            yield Client(port, write_key), running

    return serving_it


def is_whole(path: Path) -> bool:
    """Tell whether SQLite finds nothing wrong with the file."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        return found == [("ok",)] and not connection.execute("PRAGMA foreign_key_check").fetchall()


def times(name: str, few: int) -> int:
    """Return how often to do it: `few` times, unless somebody wants to know it better."""
    return int(os.environ.get(f"BLOGAPI_TEST_{name}", few))


@contextmanager
def together(*works: Callable[[], None]) -> Iterator[None]:
    """Do all of it in a thread each, meanwhile; fails with the first of their exceptions."""
    failed: list[BaseException] = []

    def do(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=do, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    for error in failed:
        raise error


def until(holds: Callable[[], bool]) -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
