"""Fixtures: a blog with content and settings, a backup of the blog, and commands of the application."""

from __future__ import annotations

import hashlib
import threading

import pytest

from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import close_connections


def join_backup_threads():
    """Wait until the threads of the daily backups have ended; the caller has set their stop events."""
    for thread in threading.enumerate():
        if thread.name == "daily backup":
            thread.join(60)


@pytest.fixture
def run(app):
    """Runs a command of the application."""
    return lambda *words: app.test_cli_runner().invoke(args=[str(word) for word in words])


@pytest.fixture
def blog(app, instance, make_article, make_tag):
    """The instance folder of a blog with two articles, a settings file and a secret key."""
    make_article(title="Bread", tags=(make_tag("rye"),))
    make_article(title="Soup", status="draft")
    (instance / "config.toml").write_text("SESSION_DAYS = 7\n", encoding="utf-8")
    (instance / "secret_key").write_text("s" * 64, encoding="ascii")
    return instance


@pytest.fixture
def backup_file(run, blog, tmp_path):
    """A backup of the blog."""
    path = tmp_path / "saved.zip"
    assert run("backup", path).exit_code == 0
    return path


@pytest.fixture
def fingerprint(app, instance):
    """Returns the digests of all files in the instance folder."""

    @allow_opening()
    def digest_files() -> dict[str, str]:
        # SQLite moves the write-ahead log into the database file when the last connection is closed.
        close_connections(app)
        return {
            str(path.relative_to(instance)): hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else "folder"
            for path in sorted(instance.rglob("*"))
        }

    return digest_files
