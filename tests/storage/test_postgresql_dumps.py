"""Dumps of a PostgreSQL database: what needs no server."""

from __future__ import annotations

import subprocess
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
