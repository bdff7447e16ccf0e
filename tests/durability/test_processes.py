"""Real server processes, each in its own folder and reached over a socket."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

from blogapi import __version__
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS

pytestmark = [pytest.mark.slow, pytest.mark.once]

ROOT = Path(__file__).parent.parent.parent
WSGI = [sys.executable, str(ROOT / "wsgi.py")]
BLOGAPI = [sys.executable, "-m", "blogapi"]
# A busy machine can take minutes to start a process.
TIMEOUT = 300


class ServerProcess:
    """A server process and its output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.output: list[str] = []
        self.lines: Queue[str] = Queue()
        self.output_reader = threading.Thread(target=self._read, daemon=True)
        self.output_reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the match in the first line that matches; fails if no line matches in time."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            try:
                self.output.append(self.lines.get(timeout=0.1))
            except Empty:
                if not self.output_reader.is_alive() and self.lines.empty():
                    break
                continue
            if found := re.search(pattern, self.output[-1]):
                return found
        raise AssertionError(f"{pattern!r} was never printed:\n{''.join(self.output)}")


def make_environment() -> dict[str, str]:
    """Return the environment of a process that imports the package and what the tests add to each process."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])}


@contextmanager
def start_process(command: list[str], cwd: Path) -> Iterator[ServerProcess]:
    environment = make_environment() | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    server_process = ServerProcess(process)
    try:
        yield server_process
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)
        server_process.output_reader.join(60)
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def start_server_process(command: list[str], cwd: Path) -> Iterator[tuple[int, ServerProcess]]:
    """Serve on a free port; yield the port and the process."""
    with start_process([*command, "--port", "0"], cwd) as server_process:
        yield int(server_process.wait_for(r"at http://127\.0\.0\.1:(\d+)/")[1]), server_process


def run_command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = make_environment()
    return subprocess.run(
        [*BLOGAPI, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
    )


def send(port: int, method: str, path: str, key: str | None = None) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, headers={"X-API-KEY": key} if key else {})
        response = connection.getresponse()
        body = response.read()
        assert response.headers["X-Frame-Options"] == "DENY" and response.headers["Server"] is None
        return response.status, json.loads(body) if body else None
    finally:
        connection.close()


def test_a_key_created_through_wsgi_py_can_read_the_lists(tmp_path, instance):
    with start_server_process(WSGI, tmp_path) as (port, server_process):
        assert "The blog is empty." in "".join(server_process.output)
        status, created = send(port, "POST", KEYS)
        assert status == 201
        for path in (CATEGORIES, TAGS, ARTICLES):
            assert send(port, "GET", path, created["public_state"]) == (200, [])
        assert send(port, "GET", ARTICLES)[0] == 401
        if os.name == "posix":
            server_process.process.send_signal(signal.SIGTERM)
            assert server_process.process.wait(60) == 0
    created = {path.name for path in instance.iterdir() if "db-" not in path.name}
    assert created | {"blog.db"} == {"blog.db", "secret_key"}


def test_the_demo_is_created_once(tmp_path):
    with start_server_process([*BLOGAPI, "serve", "--demo"], tmp_path) as (port, server_process):
        assert "Created a sample blog" in "".join(server_process.output)
        key = send(port, "POST", KEYS)[1]["public_state"]
        status, first = send(port, "GET", f"{ARTICLES}?fields=uuid,title,html", key)
        assert status == 200 and len(first) > 5
    with start_server_process([*BLOGAPI, "serve", "--demo"], tmp_path) as (port, server_process):
        assert "no sample was added" in "".join(server_process.output)
        assert send(port, "GET", f"{ARTICLES}?fields=uuid,title,html", key) == (200, first)
        assert send(port, "GET", "/api/v1/blog/site/", key)[1]["url"] == f"http://127.0.0.1:{port}"


def test_a_key_of_one_process_is_valid_in_the_others_until_it_is_deleted(tmp_path, make_app):
    with (
        start_server_process(WSGI, tmp_path) as (first, _),
        start_server_process(WSGI, tmp_path) as (second, _),
    ):
        created = send(first, "POST", KEYS)[1]
        key = created["public_state"]
        assert [send(port, "GET", TAGS, key)[0] for port in (second, first)] == [200, 200]
        assert send(second, "DELETE", f"{KEYS}{created['uuid']}/", key)[0] == 204
        assert [send(port, "GET", TAGS, key)[0] for port in (first, second)] == [401, 401]
        created = run_command("key", "create", cwd=tmp_path)
        key = created.stdout.splitlines()[-1]
        assert (created.returncode, send(first, "GET", TAGS, key)) == (0, (200, []))
        # This process is not that of the server, either.
        runner = make_app().test_cli_runner()
        uuid = json.loads(runner.invoke(args=["key", "list", "--json"]).stdout)[0]["uuid"]
        assert runner.invoke(args=["key", "delete", uuid]).exit_code == 0
        assert send(first, "GET", TAGS, key)[0] == 401


def test_flasks_development_server_serves_the_api(tmp_path):
    command = [sys.executable, "-m", "flask", "--app", str(ROOT / "wsgi.py"), "run", "--port", "0"]
    with start_process(command, tmp_path) as server_process:
        port = int(server_process.wait_for(r"Running on http://127\.0\.0\.1:(\d+)")[1])
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", KEYS)
        response = connection.getresponse()
        key = json.loads(response.read())["public_state"]
        connection.request("GET", ARTICLES, headers={"X-API-KEY": key})
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"[]")
        connection.close()


def test_the_error_for_a_port_in_use_is_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run_command("serve", "--demo", "--port", str(taken.getsockname()[1]), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"Error: Cannot listen on 127\.0\.0\.1:\d+: [^\n]+\n", result.stderr)


def test_the_error_for_an_unusable_instance_folder_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "file" / "x"))
    result = run_command("serve", "--demo", "--port", "0", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith("Error: The instance folder ")


@pytest.mark.parametrize("option", ["--version", "serve --help"])
def test_help_and_version_create_no_files(tmp_path, instance, option):
    result = run_command(*option.split(), cwd=tmp_path)
    assert result.returncode == 0 and result.stderr == ""
    assert (__version__ if option == "--version" else "Usage: python -m blogapi") in result.stdout
    assert not instance.exists() and list(tmp_path.iterdir()) == []
