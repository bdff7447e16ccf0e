"""blogapi on Windows, simulated on another system: all its parts in one process, and single functions."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from blogapi.operations.doctor import instance_checks
from blogapi.serving import listening
from blogapi.storage import files
from tests.audit_hooks import windows
from tests.durability.test_processes import make_environment

pytestmark = [pytest.mark.slow, pytest.mark.once]

ROOT = Path(__file__).parent.parent

# Creates, fills, serves, checks, backs up and restores a blog.
PROGRAM = """
import sys
import threading
from http.client import HTTPConnection
from blogapi import create_app
from blogapi.__main__ import main
from blogapi.serving import listening, server

def run(*arguments):
    try:
        main(list(arguments))
    except SystemExit as ended:
        assert not ended.code, (arguments, ended.code)

run("init")
run("user", "create", "ada", "--admin", "--password-stdin")
run("import", "posts", "--author", "ada")
run("export", "exported")
app = create_app()
http_server = server.create_server(app, listening_socket=listening.bind_address("127.0.0.1", 0), threads=4)
thread = threading.Thread(target=http_server.run)
thread.start()
connection = HTTPConnection("127.0.0.1", int(http_server.effective_port), timeout=60)
connection.request("POST", "/api/v1/auth/api-key/")
key = connection.getresponse().read().split(b'"')[3].decode()
connection.request("GET", "/api/v1/blog/articles/?fields=title", headers={"X-API-KEY": key})
print(connection.getresponse().read().decode())
connection.close()
http_server.stop()
thread.join(60)
assert not thread.is_alive()
run("doctor")
run("backup", "blog.zip")
run("restore", "blog.zip")
print("done")
"""


@pytest.mark.sqlite("its file is backed up and restored")
def test_a_blog_is_created_served_and_backed_up_without_posix(tmp_path):
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "2026-01-01-bread.md").write_text("---\ntitle: Brot für alle\n---\nText", "utf-8")
    environment = make_environment() | windows.make_environment() | {"PYTHONIOENCODING": "utf-8"}
    completed = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        **{"cwd": tmp_path, "env": environment, "input": "a long pass phrase\n", "timeout": 600},
        **{"capture_output": True, "encoding": "utf-8"},
    )
    assert (completed.returncode, completed.stdout.splitlines()[-1:]) == (0, ["done"]), (
        completed.stdout + completed.stderr
    )
    assert '[{"title":"Brot für alle"}]' in completed.stdout


@pytest.fixture
def pretend_windows(monkeypatch):
    """Return a function that makes modules see Windows as `os.name`."""

    def set_os_name(*modules):
        for module in modules:
            monkeypatch.setattr(module, "os", SimpleNamespace(**vars(os) | {"name": "nt"}))

    return set_os_name


@pytest.mark.parametrize("times", [2, files._MAX_RENAME_TRIES])
def test_replacing_an_open_file_is_retried(pretend_windows, tmp_path, monkeypatch, times):
    pretend_windows(files)
    attempts, replace = [], Path.replace

    def fail_at_first(self, target):
        attempts.append(target)
        if len(attempts) <= times:
            raise PermissionError(13, "in use")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_at_first)
    monkeypatch.setattr(files, "_RENAME_PAUSE_SECONDS", 0)
    (tmp_path / "new").write_text("new", encoding="utf-8")
    (tmp_path / "old").write_text("old", encoding="utf-8")
    if times < files._MAX_RENAME_TRIES:
        files.replace_file(tmp_path / "new", tmp_path / "old")
    else:
        with pytest.raises(PermissionError):
            files.replace_file(tmp_path / "new", tmp_path / "old")
    assert len(attempts) == min(times + 1, files._MAX_RENAME_TRIES)
    assert (tmp_path / "old").read_text(encoding="utf-8") == (
        "new" if times < files._MAX_RENAME_TRIES else "old"
    )


def test_folders_are_not_opened_and_modes_not_checked_on_windows(pretend_windows, tmp_path, monkeypatch):
    pretend_windows(files, instance_checks)
    files.os.open = instance_checks.os.open = None
    (tmp_path / "secret_key").write_text("x" * 64, encoding="utf-8")
    (tmp_path / "secret_key").chmod(0o666)
    tmp_path.chmod(0o777)
    files._sync_folder(tmp_path)
    assert {finding.check for finding in instance_checks.run_checks(tmp_path, None)} == {"disk", "clock"}


def test_a_port_is_exclusive_on_windows(pretend_windows):
    pretend_windows(listening)
    with closing(listening.bind_address("127.0.0.1", 0)) as listening_socket:
        assert not listening_socket.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
