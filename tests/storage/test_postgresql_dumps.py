"""Dumps of a PostgreSQL database: what needs no server."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from sqlalchemy import make_url

from blogapi.storage import postgresql_dumps


def test_a_message_in_the_code_page_of_windows_is_reported(tmp_path, monkeypatch):
    failed = CompletedProcess([], 1, stdout=b"", stderr="pg_dump: Rolle »ada« fehlt\n".encode("cp1252"))
    monkeypatch.setattr(postgresql_dumps.shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(
        postgresql_dumps.DumpError, match="pg_dump failed: pg_dump: Rolle \ufffdada\ufffd fehlt"
    ):
        postgresql_dumps.dump_database(make_url("postgresql://localhost/blog"), tmp_path / "blog.dump")
    assert list(tmp_path.iterdir()) == []


def test_the_password_of_a_client_key_is_in_a_file_that_only_the_user_can_read(tmp_path, monkeypatch):
    calls = []

    def run(arguments, env, **_):
        file = Path(env["PGSERVICEFILE"])
        calls.append((arguments, file, file.read_text(encoding="utf-8"), file.parent.stat().st_mode & 0o077))
        return CompletedProcess(arguments, 0)

    monkeypatch.setattr(postgresql_dumps.shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", run)
    url = make_url("postgresql+psycopg://ada@localhost/blog?sslpassword=secret-word&sslkey=key.pem")
    postgresql_dumps.dump_database(url, tmp_path / "blog.dump")
    ((arguments, file, content, others),) = calls
    assert arguments[1] == "--dbname=postgresql://ada@localhost/blog?sslkey=key.pem"
    assert content == "[blogapi]\nsslpassword=secret-word\n"
    assert (others == 0 or os.name == "nt") and not file.exists()
