"""Upgrade a blog of the former release: `python .ci/upgrade.py FORMER_PYTHON NEW_PYTHON [SERVER]`.

Both environments have blogapi installed. The former release fills the demo and reads it with a key; the new
one must return the same values for the same key. This is done on SQLite and, if SERVER is the URL of a
PostgreSQL server as in BLOGAPI_TEST_DATABASE_URL, in a new database there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

API = "/api/v1/"
LISTS = ("blog/articles/", "blog/categories/", "blog/tags/", "blog/authors/", "blog/archive/", "blog/site/")
STOP_SECONDS = 60
UPGRADE_SECONDS = 60
_SERVING = re.compile(r" at (http://127\.0\.0\.1:\d+)/")
_SQL = "import psycopg, sys; psycopg.connect(sys.argv[1], autocommit=True).execute(sys.argv[2])"


def list_differences(before: Any, after: Any, place: str = "") -> list[str]:
    """Return the places of the former values that are missing or different; new fields are no difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            line
            for name, value in before.items()
            for line in (
                list_differences(value, after[name], f"{place}.{name}")
                if name in after
                else [f"{place}.{name}: missing"]
            )
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            line
            for number, (former, new) in enumerate(zip(before, after, strict=True))
            for line in list_differences(former, new, f"{place}[{number}]")
        ]
    return [] if before == after else [f"{place}: {before!r} became {after!r}"]


def upgrade(former: str, new: str, environment: dict[str, str], folder: Path) -> None:
    """Fill a blog with one release and read it with the other; exits if a value differs."""
    with _serve([former, "-m", "blogapi", "serve", "--port", "0", "--demo"], environment, folder) as address:
        key = _fetch(f"{address}{API}auth/api-key/", method="POST")["public_state"]
        before = _read_all(address, key)
    with _serve([new, "-m", "blogapi", "serve", "--port", "0"], environment, folder) as address:
        after = _read_all(address, key)
    if found := list_differences(before, after):
        sys.exit("\n".join(("The upgraded blog returns other values:", *found[:20])))
    subprocess.run([new, "-m", "blogapi", "doctor"], cwd=folder, env=environment, check=True)


def _read_all(address: str, key: str) -> dict[str, Any]:
    found = {path: _fetch(f"{address}{API}{path}", key) for path in LISTS}
    if not found[LISTS[0]]:
        sys.exit("The former release has created no article.")
    for article in found[LISTS[0]]:
        path = f"{LISTS[0]}{article['uuid']}/"
        found[path] = _fetch(f"{address}{API}{path}", key)
    return found


def _fetch(url: str, key: str = "", method: str = "GET") -> Any:
    request = Request(url, headers={"X-API-KEY": key} if key else {}, method=method)
    deadline = time.monotonic() + UPGRADE_SECONDS
    while True:
        try:
            with urlopen(request, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            # The service answers so while it upgrades the blog.
            if error.code != 503 or time.monotonic() > deadline:
                raise
            time.sleep(0.5)


@contextmanager
def _serve(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[str]:
    """Run a server, and yield its address."""
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert server.stdout
    lines = []
    try:
        for line in server.stdout:
            lines.append(line)
            if found := _SERVING.search(line):
                yield found[1]
                break
        else:
            sys.exit("".join(lines))
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=STOP_SECONDS)


@contextmanager
def _create_database(python: str, server: str) -> Iterator[str]:
    """Create a database, yield its URL, and drop it."""
    name = f"blogapi_upgrade_{secrets.token_hex(4)}"
    connection = server.replace("+psycopg", "")
    subprocess.run(
        [python, "-c", _SQL, connection, f'CREATE DATABASE "{name}" TEMPLATE template0'], check=True
    )
    try:
        yield f"{server.rsplit('/', 1)[0]}/{name}"
    finally:
        subprocess.run([python, "-c", _SQL, connection, f'DROP DATABASE "{name}" WITH (FORCE)'], check=True)


def main(former: str, new: str, server: str = "") -> None:
    """Upgrade a blog on each database."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BLOGAPI_", "PYTHON"))}
    with TemporaryDirectory() as folder:
        home = {"BLOGAPI_INSTANCE_PATH": str(Path(folder, "instance")), "PYTHONUNBUFFERED": "1"}
        upgrade(former, new, kept | home, Path(folder))
    print("The upgrade of a blog on SQLite keeps its content.")
    if not server:
        print("BLOGAPI_TEST_DATABASE_URL names no server: no blog on PostgreSQL was upgraded.")
        return
    with TemporaryDirectory() as folder, _create_database(new, server) as url:
        home = {"BLOGAPI_INSTANCE_PATH": str(Path(folder, "instance")), "PYTHONUNBUFFERED": "1"}
        upgrade(former, new, kept | home | {"BLOGAPI_DATABASE_URL": url}, Path(folder))
    print("The upgrade of a blog on PostgreSQL keeps its content.")


if __name__ == "__main__":
    main(*sys.argv[1:])
