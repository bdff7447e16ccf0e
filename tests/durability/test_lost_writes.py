"""No acknowledged write is lost if a command runs beside the server, whatever the server has done before.

If the server has lost SQLite's locks, the command deletes the log, and the server goes on writing to it.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from blogapi import clock, create_app
from blogapi.accounts.users import service as users
from blogapi.operations.backups import naming
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, close_connections
from tests.durability.conftest import Client, Response, run_in_threads, wait_until
from tests.durability.test_processes import run_command, start_server_process

pytestmark = [pytest.mark.slow, pytest.mark.once, pytest.mark.sqlite("its file and its log")]

COUNT = 30
PASSWORD = "a long pass phrase"
OLDER_BLOG = Path(__file__).parent.parent / "migrations" / "blogs" / "0011.sql"

# Serves the blog, and looks every few milliseconds whether the daily backup exists.
SERVE = [
    sys.executable,
    "-c",
    "import sys; from blogapi.operations.backups import daily; from blogapi.__main__ import main; "
    "daily.FIRST_CHECK_SECONDS = daily.CHECK_SECONDS = 0.02; main(['serve', *sys.argv[1:]])",
]
# Serves the blog with one application, and has created another one in the same process.
SERVE_SECOND = [
    sys.executable,
    "-c",
    "import sys; from blogapi import create_app; from blogapi.__main__ import main; "
    "first = create_app(); first.test_client().get('/health/'); main(['serve', *sys.argv[1:]])",
]


def write_articles(client: Client, count: int = COUNT) -> list[Response]:
    return [client("POST", ARTICLES, {"title": f"Title {number}", "content": "x"}) for number in range(count)]


def list_uuids(responses: list[Response]) -> set[str]:
    """Return the uuids of the articles whose creation the server has acknowledged."""
    return {response.json["uuid"] for response in responses if response.status == 201}


def list_stored(key: str) -> set[str]:
    """Start the blog again and return the uuids of its articles."""
    app = create_app()
    response = app.test_client().get(f"{ARTICLES}author/me/?fields=uuid", headers={"X-API-KEY": key})
    close_connections(app)
    return {article["uuid"] for article in response.json}


def end(process: subprocess.Popen[str], *, kill: bool) -> None:
    (process.kill if kill else process.terminate)()
    process.wait(60)


@pytest.fixture
def run(tmp_path):
    """Runs a command in a process of its own; returns its output."""

    def run(*words) -> str:
        completed = run_command(*map(str, words), cwd=tmp_path)
        assert completed.returncode == 0, completed.stderr
        return completed.stdout

    return run


def post_as_admin(client: Client, path: str) -> Response:
    """Log Ada in and send a request that needs a login."""
    stranger = Client(client.port)
    login = stranger("POST", "/api/v1/auth/login/", {"username": "ada", "password": PASSWORD})
    cookie = login.headers["Set-Cookie"].partition(";")[0]
    return stranger("POST", path, Cookie=cookie, Origin=f"http://127.0.0.1:{client.port}")


def make_backup(client, run, instance, tmp_path) -> None:
    assert post_as_admin(client, "/api/v1/backups/").status == 201


def wait_for_daily_backup(client, run, instance, tmp_path) -> None:
    def list_backups() -> list[Path]:
        return list((instance / "backups").glob("daily-*.zip"))

    # The day can have changed since the beginning of the test.
    for backup in list_backups():
        backup.unlink()
    wait_until(lambda: bool(list_backups()))


def run_doctor(client, run, instance, tmp_path) -> None:
    assert post_as_admin(client, "/api/v1/doctor/").status == 200


def copy_database(client, run, instance, tmp_path) -> None:
    run("db", "copy", instance / "blog.db", tmp_path / "copy.db")


def prune_media(client, run, instance, tmp_path) -> None:
    run("media", "prune")


def do_nothing(client, run, instance, tmp_path) -> None:
    pass


@pytest.mark.parametrize(
    ("triggers", "command", "kill"),
    [
        ((make_backup, run_doctor, copy_database, prune_media), SERVE, True),
        ((wait_for_daily_backup,), SERVE, False),
        ((do_nothing,), SERVE_SECOND, True),
    ],
    ids=["requests and commands", "daily backup", "two applications"],
)
def test_every_write_is_kept(
    app, serve, run, triggers, command, kill, write_key, instance, tmp_path, monkeypatch
):
    monkeypatch.setenv("BLOGAPI_DAILY_BACKUPS", "1")
    with app.app_context():
        users.set_password("ada", PASSWORD)
    # The server makes the backup of the day when this file is deleted.
    (instance / "backups").mkdir()
    (instance / "backups" / naming.make_daily_backup_name(clock.now().date())).touch()
    with serve(command=command) as (client, server):
        # There must be a log, so that it can be lost.
        written = list_uuids(write_articles(client, 1))
        for trigger in triggers:
            trigger(client, run, instance, tmp_path)
            run("key", "list")
            written |= list_uuids(write_articles(client))
        end(server.process, kill=kill)
    assert len(written) == COUNT * len(triggers) + 1
    assert list_stored(write_key) == written


def test_every_write_after_an_upgrade_is_kept(run, instance, tmp_path):
    instance.mkdir()
    with closing(sqlite3.connect(instance / "blog.db")) as connection:
        connection.executescript(OLDER_BLOG.read_text(encoding="utf-8"))
    with start_server_process(SERVE, tmp_path) as (port, server):
        key = run("key", "create", "--user", "ada", "--scope", "write").split()[-1]
        written = list_uuids(write_articles(Client(port, key)))
        end(server.process, kill=True)
    assert any((instance / "backups").glob("before-upgrade-*.db"))
    assert len(written) == COUNT
    assert list_stored(key) >= written


@pytest.mark.parametrize("damaged", [False, True], ids=["intact", "damaged"])
def test_every_write_that_is_acknowledged_after_a_restore_is_kept(
    serve, run, make_article, damaged, write_key, instance, tmp_path
):
    make_article()
    with serve() as (client, server):
        run("backup", tmp_path / "backup.zip")
        if damaged:
            damage(instance / "blog.db")
        restored = threading.Event()
        responses: list[Response] = []

        def write() -> None:
            while not restored.is_set():
                responses.extend(write_articles(client, 1))

        with run_in_threads(write):
            try:
                run("restore", tmp_path / "backup.zip")
            finally:
                restored.set()
        later = write_articles(client)
        run("key", "list")
        end(server.process, kill=True)
    assert {response.status for response in (*responses, *later)} <= {201, 503}
    assert {response.status for response in later} == ({503} if damaged else {201})
    assert list_stored(write_key) >= list_uuids(later)


@allow_opening()
def damage(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)
