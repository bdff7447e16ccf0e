"""Fixtures: server processes for the test's blog, and clients for them."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
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

from blogapi import create_app
from blogapi.config import CannotStart
from blogapi.storage.upgrades import SQLITE_PAGE_SIZE as SQLITE_PAGE_SIZE
from tests.conftest import ARTICLES, CATEGORIES, TAGS, People, close_connections
from tests.durability.test_processes import WSGI, ServerProcess, start_server_process

TIMEOUT = 60
# A server whose writes wait long for each other, because machines can be busy, but less long than its
# clients wait.
PATIENT_SERVER = [
    sys.executable,
    "-c",
    "import sys; from blogapi.storage import connections; from blogapi.__main__ import main; "
    "connections.WRITE_WAIT_SECONDS = 50; main(['serve', *sys.argv[1:]])",
]
LISTS = (
    TAGS,
    CATEGORIES,
    ARTICLES,
    f"{ARTICLES}?fields=html,excerpt",
    f"{ARTICLES}?q=title",
    f"{ARTICLES}author/me/",
)


@dataclass(frozen=True)
class Response:
    """A response of the server."""

    status: int
    json: Any
    headers: HTTPMessage


@dataclass(frozen=True)
class Client:
    """Sends requests to the server at a local port, with the API key if `key` is not empty."""

    port: int
    key: str = ""

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        """Return the response; raises OSError or HTTPException if the server sends none."""
        all_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers |= {"X-API-KEY": self.key} if self.key else {}
        all_headers |= {} if body is None else {"Content-Type": "application/json"}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), all_headers)
            response = connection.getresponse()
            content = response.read()
            return Response(response.status, json.loads(content) if content else None, response.headers)


@pytest.fixture
def write_key(people: People) -> str:
    """A key of Ada with the scope `write`."""
    return people.key(people.admin, "write")


Serve = Callable[..., AbstractContextManager[tuple[Client, ServerProcess]]]


@pytest.fixture
def serve(app: Flask, write_key: str, tmp_path: Path) -> Serve:
    """Serves the test's blog in a process of its own; yields Ada's client and the process."""

    @contextmanager
    def start(*options: str, command: list[str] = WSGI) -> Iterator[tuple[Client, ServerProcess]]:
        close_connections(app)
        with start_server_process([*command, *options], tmp_path) as (port, server_process):
            yield Client(port, write_key), server_process

    return start


def is_intact(path: Path) -> bool:
    """Return whether SQLite finds no fault in the file."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        return found == [("ok",)] and not connection.execute("PRAGMA foreign_key_check").fetchall()


def get_repetitions(name: str, default: int) -> int:
    """Return the value of the variable `BLOGAPI_TEST_<name>`, or `default` if it is not set."""
    return int(os.environ.get(f"BLOGAPI_TEST_{name}", default))


@contextmanager
def run_in_threads(*functions: Callable[[], None]) -> Iterator[None]:
    """Run each function in a thread during the `with` block; raise the first of their exceptions."""
    errors: list[BaseException] = []

    def run(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    for error in errors:
        raise error


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the function returns true."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def blog(instance, make_article, make_tag) -> Path:
    """The file of a blog with long and short articles."""
    for number in range(12):
        make_article(title=f"Title {number}", content="<p>Words.</p>" * 60 * number, tags=(make_tag(),))
    return instance / "blog.db"


def get_status_and_code(response: Response) -> tuple[int, str]:
    return response.status, "" if isinstance(response.json, list) else response.json.get("code", "")


def get_start_error(**settings: Any) -> str:
    """Start the application and return its error message."""
    with pytest.raises(CannotStart) as raised:
        create_app(settings)
    assert raised.value.message.endswith(".") and "\n" not in raised.value.message
    return raised.value.message
