"""An import over HTTP beside writers and readers: nothing is lost, and it ends with its server."""

from __future__ import annotations

import io
import json
import sqlite3
import threading
import urllib.request
import zipfile
from contextlib import closing
from http.client import HTTPException

import pytest

from blogapi.accounts.users import service as users
from blogapi.web.access import Role
from tests.accounts.users.conftest import LOGIN
from tests.conftest import ARTICLES, TAGS
from tests.durability.conftest import Client, is_intact, run_in_threads, wait_until
from tests.durability.test_processes import run_command

pytestmark = [pytest.mark.slow, pytest.mark.once, pytest.mark.sqlite("its log")]

IMPORTS = "/api/v1/imports/"
LIN = {"username": "lin", "password": "a long password"}
NUMBER, WRITERS = 300, 3
LIST = f"{ARTICLES}?fields=title"


@pytest.fixture
def archive(app):
    """A zip archive with many articles; Lin can log in and import it."""
    with app.app_context():
        users.create_user(LIN["username"], LIN["password"], role=Role.ADMIN)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for number in range(NUMBER):
            tags = [f"tag {number % 40}", f"tag {number % 7}"]
            head = json.dumps({"title": f"Imported {number}", "date": "2024-05-01", "tags": tags})
            file.writestr(f"site/post-{number}.md", f"---\n{head}\n---\n" + f"Words {number}. " * 30)
    return target.getvalue()


class Session:
    """Sends requests of Lin, who is logged in, to a server."""

    def __init__(self, client: Client) -> None:
        self.stranger = Client(client.port)
        self.cookie = self.stranger("POST", LOGIN, LIN).headers["Set-Cookie"].partition(";")[0]

    def __call__(self, method, path, body=None):
        return self.stranger(method, path, body, Cookie=self.cookie)

    def upload(self, archive):
        """Upload the archive, wait for its trial, and return the path of the import."""

        url = f"http://127.0.0.1:{self.stranger.port}{IMPORTS}?name=blog.zip"
        headers = {"Cookie": self.cookie, "Content-Type": "application/zip"}
        request = urllib.request.Request(url, archive, headers)
        with urllib.request.urlopen(request) as response:
            path = f"{IMPORTS}{json.load(response)['uuid']}/"
        self.wait_for(path, "tried")
        return path

    def start(self, path):
        """Start the import, and wait until it has stored articles."""
        assert self("POST", f"{path}start/").status == 200
        wait_until(lambda: self("GET", path).json["counts"]["articles"]["new"] > 0)

    def wait_for(self, path, status):
        """Wait until the import has the status."""
        wait_until(lambda: self("GET", path).json["status"] == status)


class Writer:
    """Creates tags, and remembers which were acknowledged."""

    def __init__(self, client: Client, number: int) -> None:
        self._client, self._number = client, number
        self.acknowledged: set[str] = set()

    def __call__(self, stop: threading.Event) -> None:
        """Write until the server ends or `stop` is set."""
        number = 0
        while not stop.is_set():
            name, number = f"written {self._number} {number}", number + 1
            try:
                response = self._client("POST", TAGS, {"name": name})
            except (OSError, HTTPException):
                return
            if response.status == 201:
                self.acknowledged.add(name)
            else:
                assert response.status == 503
            stop.wait(0.02)


def count_imported(client):
    return sum(article["title"].startswith("Imported") for article in client("GET", LIST).json)


@pytest.mark.parametrize("end", ["kill", ""])
def test_acknowledged_writes_and_imported_articles_are_kept(serve, instance, archive, tmp_path, end):
    with serve() as (client, server_process):
        session, writers = Session(client), [Writer(client, number) for number in range(WRITERS)]
        path, stop = session.upload(archive), threading.Event()
        assert count_imported(client) == 0
        with run_in_threads(*[lambda writer=writer: writer(stop) for writer in writers]):
            try:
                session.start(path)
                # The server sees the articles that another process stores.
                wait_until(lambda: count_imported(client) > 0)
                if end:
                    server_process.process.kill()
                    server_process.process.wait(60)
                else:
                    session.wait_for(path, "finished")
            finally:
                stop.set()
    # The process of the import has ended too: it holds no lock any more.
    with closing(sqlite3.connect(instance / "blog.db", timeout=30)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        (stored,) = connection.execute("SELECT count(*) FROM imported").fetchone()
        connection.rollback()
    with serve() as (client, _):
        session = Session(client)
        written = set().union(*(writer.acknowledged for writer in writers))
        assert written and written <= {tag["name"] for tag in client("GET", TAGS).json}
        assert stored <= count_imported(client)
        # The import can also have stored its last article before the server stopped.
        wait_until(lambda: session("GET", path).json["status"] in ("interrupted", "finished"))
        if session("GET", path).json["status"] == "interrupted":
            assert session("POST", f"{path}start/").status == 200
            session.wait_for(path, "finished")
        assert count_imported(client) == NUMBER
    assert is_intact(instance / "blog.db")
    assert json.loads(run_command("doctor", "--full", "--json", cwd=tmp_path).stdout)["ok"]
